import { once } from '../../../features/idempotency/index.ts';
import type { KeyDoing } from '../../../features/trail/index.ts';
import type { ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { type Described, flag, listOf, orNull, shape, text } from '../../../platform/fields.ts';
import { META } from '../every-answer.ts';
import type { OperationParts, OperationRequest } from '../operation.ts';

const PAGINATION = {
  next_cursor: orNull(text('Pásalo en `cursor` para lo que sigue.', 'eyJ2IjoxfQ')),
  has_more: flag('Si ya hay más que leer.', false),
};

export function reading<T>(
  { database }: OperationParts,
  { access, context }: OperationRequest,
  work: (scope: ReadScope) => Promise<T>,
): Promise<T> {
  return database.within(access.organization.id).read(work, { signal: context.signal });
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
  const written = await writing(parts, request, (scope, by) =>
    once(scope, asked, async () => JSON.stringify(await work(scope, by))),
  );
  return JSON.parse(written) as T;
}

/** The shape of `answer`. */
export function answerShape(description: string, data: Described): Described {
  return shape(description, { data, meta: META });
}

export function answer(request: OperationRequest, data: unknown): string {
  return answerText(request, JSON.stringify(data));
}

/** @param data JSON text */
export function answerText({ requestId }: OperationRequest, data: string): string {
  return `{"data":${data},"meta":{"request_id":"${requestId}"}}`;
}

/** The shape of `pageAnswer`. @param more beside the cursor */
export function pageShape(
  description: string,
  row: Described,
  more: Readonly<Record<string, Described>> = {},
): Described {
  return shape(description, {
    data: listOf('Las filas de la página.', row),
    pagination: shape('Cómo seguir.', { ...PAGINATION, ...more }),
    meta: META,
  });
}

/** @param rows JSON texts @param more beside the cursor */
export function pageAnswer(
  { requestId }: OperationRequest,
  rows: readonly string[],
  nextCursor: string | null,
  hasMore = nextCursor !== null,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const pagination = JSON.stringify({ next_cursor: nextCursor, has_more: hasMore, ...more });
  return `{"data":[${rows}],"pagination":${pagination},"meta":{"request_id":"${requestId}"}}`;
}
