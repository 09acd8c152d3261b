import { type ZodType, z } from 'zod';
import type { Instant } from '../../platform/time.ts';
import { documentOf } from '../answer-document.ts';
import type { Call, CallRequest, WireAnswer } from '../contract.ts';
import { Rows } from '../lists.ts';
import { optional } from '../wire-fields.ts';

/** One page of a list; a list with nothing in it may be absent. */
export interface Listed {
  readonly rows: readonly unknown[];
  /** The token of the next page; null = this is the last. */
  readonly next: string | null;
  readonly fetchedAt: Instant;
}

const Envelope = z.object({ data: z.unknown() });
const ListRows = Rows.nullish();
const List = z.looseObject({ next_page_token: optional(z.string()) });

/** What an answer has under `data`. */
export async function ask<T>(
  call: Call<unknown>,
  request: CallRequest,
  schema: ZodType<T>,
): Promise<T> {
  return dataOf(await call.request(request), schema);
}

export async function askList(
  call: Call<unknown>,
  request: CallRequest,
  name: string,
): Promise<Listed> {
  return listOf(await call.request(request), name);
}

/** @returns null where the application may not ask that, or the shop's region does not have it */
export async function askListIfAny(
  call: Call<unknown>,
  request: CallRequest,
  name: string,
): Promise<Listed | null> {
  const answer = await call.request({ ...request, expect: [403, 404] });
  return answer.status >= 400 ? null : listOf(answer, name);
}

function listOf(answer: WireAnswer, name: string): Listed {
  const list = dataOf(answer, List);
  return {
    rows: ListRows.parse(list[name]) ?? [],
    next: list.next_page_token?.trim() || null,
    fetchedAt: answer.fetchedAt,
  };
}

function dataOf<T>(answer: WireAnswer, schema: ZodType<T>): T {
  return schema.parse(Envelope.parse(documentOf(answer)).data ?? {});
}
