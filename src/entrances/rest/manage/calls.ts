import { once } from '../../../features/idempotency/index.ts';
import { effectiveTerms } from '../../../features/organizations/index.ts';
import type { KeyDoing } from '../../../features/trail/index.ts';
import type { ReadScope, WriteScope } from '../../../platform/db/database.ts';
import type { OperationParts, OperationRequest } from '../operation.ts';

/** What the plan says of webhooks. */
export function webhookTerms({ access }: OperationRequest) {
  return effectiveTerms(access.organization);
}

export function reading<T>(
  { database }: OperationParts,
  { access, signal }: OperationRequest,
  work: (scope: ReadScope) => Promise<T>,
): Promise<T> {
  return database.within(access.organization.id).read(work, { signal });
}

/** The trail names the key. */
export function writing<T>(
  { database }: OperationParts,
  { access, address }: OperationRequest,
  work: (scope: WriteScope, by: KeyDoing) => Promise<T>,
): Promise<T> {
  const by = { keyId: access.key.id, address };
  return database.within(access.organization.id).write((scope) => work(scope, by));
}

/**
 * The same, once: a repetition with its `Idempotency-Key` gets the first answer.
 * @param operation the same key for another operation, object or body is refused
 */
export async function writingOnce<T>(
  parts: OperationParts,
  request: OperationRequest,
  operation: string,
  work: (scope: WriteScope, by: KeyDoing) => Promise<T>,
): Promise<T> {
  const { access, idempotencyKey, id, body } = request;
  if (idempotencyKey === null) return writing(parts, request, work);
  const asked = { callerId: access.key.id, idempotencyKey, what: [operation, id, body] };
  const text = await writing(parts, request, (scope, by) =>
    once(scope, asked, async () => JSON.stringify(await work(scope, by))),
  );
  return JSON.parse(text) as T;
}

export function answer({ requestId }: OperationRequest, data: unknown): string {
  return JSON.stringify({ data, meta: { request_id: requestId } });
}

export function pageAnswer(
  { requestId }: OperationRequest,
  data: readonly unknown[],
  nextCursor: string | null,
): string {
  const pagination = { next_cursor: nextCursor, has_more: nextCursor !== null };
  return JSON.stringify({ data, pagination, meta: { request_id: requestId } });
}
