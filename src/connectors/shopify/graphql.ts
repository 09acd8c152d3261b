import { z } from 'zod';
import type { Instant } from '../../platform/time.ts';
import { documentOrNull } from '../answer-document.ts';
import type { Call, Verdict, WireAnswer } from '../contract.ts';
import { Rows, walkAll } from '../lists.ts';
import { amount, optional } from '../wire-fields.ts';
import { API_VERSION } from './queries.ts';

/** One endpoint for all queries; errors are in the body, mostly with HTTP 200. */

const PATH = `/admin/api/${API_VERSION}/graphql.json`;

const Fault = z.object({
  message: optional(z.string()),
  path: optional(Rows),
  extensions: optional(z.object({ code: optional(z.string()) })),
});
const Cost = z.object({
  requestedQueryCost: amount,
  throttleStatus: z.object({ currentlyAvailable: amount, restoreRate: amount }),
});
const Envelope = z.object({
  data: z.unknown().optional(),
  errors: optional(z.array(Fault)).catch(null),
  extensions: optional(z.object({ cost: optional(Cost).catch(null) })).catch(null),
});

export interface Answered<Data> {
  readonly data: Data;
  /** Fields that were withheld for lack of a permission; the rest of the answer is valid. */
  readonly withheld: ReadonlySet<string>;
  readonly fetchedAt: Instant;
}

/**
 * @returns null when the query costs more than one query may: the caller must request less.
 * @throws ZodError
 */
export async function ask<Data>(
  call: Call<unknown>,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  schema: z.ZodType<Data>,
): Promise<Answered<Data> | null> {
  const isQuery = !query.trimStart().startsWith('mutation');
  const answer = await call.request({
    method: 'POST',
    path: PATH,
    body: { json: { query, variables } },
    ...(isQuery && { reads: true }),
  });
  const { data, errors } = Envelope.parse(documentOrNull(answer));
  if (codesOf(errors).includes('MAX_COST_EXCEEDED')) return null;
  const denied = (errors ?? []).filter(({ extensions }) => extensions?.code === 'ACCESS_DENIED');
  const withheld = denied
    .flatMap(({ path }) => path ?? [])
    .filter((step) => typeof step === 'string');
  return { data: schema.parse(data), withheld: new Set(withheld), fetchedAt: answer.fetchedAt };
}

/** First match wins; in an answer with data the other codes concern only some of its fields. */
export function verdict(answer: WireAnswer): Verdict | null {
  if (answer.status !== 200) return null;
  const envelope = envelopeOf(answer);
  if (!envelope) return null;
  const codes = codesOf(envelope.errors);
  if (codes.includes('THROTTLED') || codes.includes('INTERNAL_SERVER_ERROR')) return 'retry';
  const isEmpty = envelope.data === null || envelope.data === undefined;
  if (!envelope.errors || !isEmpty || codes.includes('MAX_COST_EXCEEDED')) return null;
  return codes.includes('ACCESS_DENIED') ? 'forbid' : 'refuse';
}

/** The wait until the bucket holds the cost of a query like this one. */
export function pace(answer: WireAnswer): number {
  const cost = envelopeOf(answer)?.extensions?.cost;
  if (!cost) return 0;
  const missing = Number(cost.requestedQueryCost) - Number(cost.throttleStatus.currentlyAvailable);
  const perSecond = Number(cost.throttleStatus.restoreRate);
  return missing > 0 && perSecond > 0 ? Math.ceil((missing / perSecond) * 1_000) : 0;
}

function envelopeOf(answer: WireAnswer): z.infer<typeof Envelope> | undefined {
  return Envelope.safeParse(documentOrNull(answer)).data;
}

export const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: optional(z.string()) });

/** A page whose rows are read one by one. */
export const PagedRows = z.object({ nodes: Rows, pageInfo: PageInfo });

/** The position of a walk. The size shrinks where a page costs too much. */
export interface Position {
  readonly after: string | null;
  readonly size: number;
}

export function positionOf(packed: string | null, size: number): Position {
  return packed === null ? { after: null, size } : JSON.parse(packed);
}

export function positionAfter(
  position: Position,
  { hasNextPage, endCursor }: z.infer<typeof PageInfo>,
) {
  return hasNextPage && endCursor
    ? JSON.stringify({ ...position, after: endCursor } satisfies Position)
    : null;
}

/** @throws ZodError where one row alone costs too much */
export function smaller(position: Position): string {
  const { size } = position;
  if (size === 1) throw broken(['extensions', 'cost'], 'one row costs more than a query may');
  return JSON.stringify({ ...position, size: Math.floor(size / 2) });
}

const Named = z.looseObject({ id: z.string() });
const Owner = z.object({ owner: z.object({ list: PagedRows }).nullable() });

type List = z.infer<typeof PagedRows>;

/**
 * Reads a list inside of a row to its end. A list that cannot be read completely stays open, and
 * its row is set aside.
 */
export async function completed(
  call: Call<unknown>,
  row: unknown,
  list: string,
  more: string,
): Promise<unknown> {
  const found = Named.safeParse(row);
  const rows = PagedRows.safeParse(found.data?.[list]);
  if (!found.success || !rows.success || !rows.data.pageInfo.hasNextPage) return row;
  return { ...(row as object), [list]: await listAfter(call, found.data.id, more, rows.data) };
}

/** Adds a list to a row that was requested without it; none where it is not available. */
export async function withList(
  call: Call<unknown>,
  row: unknown,
  list: string,
  query: string,
): Promise<unknown> {
  const { id } = Named.parse(row);
  const first = await listPage(call, id, query, null);
  return first ? { ...(row as object), [list]: await listAfter(call, id, query, first) } : row;
}

async function listAfter(
  call: Call<unknown>,
  id: string,
  query: string,
  start: List,
): Promise<List> {
  let { pageInfo } = start;
  const first = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  if (!first) return start;
  const more = await walkAll(call, first, async (after) => {
    const page = await listPage(call, id, query, after);
    if (!page) return { rows: [], next: null };
    pageInfo = page.pageInfo;
    return { rows: page.nodes, next: pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null };
  });
  return { nodes: [...start.nodes, ...more], pageInfo };
}

async function listPage(
  call: Call<unknown>,
  id: string,
  query: string,
  after: string | null,
): Promise<List | null> {
  const answered = await ask(call, query, { id, after }, z.unknown());
  return Owner.safeParse(answered?.data).data?.owner?.list ?? null;
}

/** An answer of the right shape with impossible content. */
export function broken(path: (string | number)[], message: string): z.ZodError {
  return new z.ZodError([{ code: 'custom', path, message, input: undefined }]);
}

export function gid(kind: 'Order' | 'InventoryItem', id: string): string {
  return `gid://shopify/${kind}/${id}`;
}

/** `gid://shopify/Order/450` → `450`. */
export function tailOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).split('?', 1)[0] ?? '';
}

function codesOf(errors: readonly z.infer<typeof Fault>[] | null): (string | null | undefined)[] {
  return (errors ?? []).map(({ extensions }) => extensions?.code);
}
