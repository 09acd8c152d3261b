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
