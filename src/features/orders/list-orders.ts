import type { Marketplace, OrderStatus } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../../platform/time.ts';
import { type AsOf, asOfMicros, type DeltaClock, deltaClock } from './as-of.ts';
import * as store from './store.ts';
import { type OrderFilters, type Position, pageOfOrders, SEPARATOR } from './store-page.ts';

export interface OrderQuery {
  /** Filters that the caller gave; with a cursor they may be left out, or must be the cursor's own. */
  readonly filters: OrderFilters;
  readonly limit: number;
  readonly cursor: string | null;
  /** Which list it is: a cursor of one is none of the other. */
  readonly list: OrderList;
}

type OrderList = 'rest' | 'agents';

export interface OrderPage {
  /** The public orders, a JSON array as text. */
  readonly json: string;
  /** How many those are. */
  readonly count: number;
  readonly nextCursor: string | null;
  /** The first instant that this walk does not cover: the `updated_since` of the next poll. */
  readonly asOf: AsOf;
}

/** Stamps of orders recorded before any clock: an organisation without orders. */
const BEFORE_ALL = Temporal.Instant.from('1970-01-01T00:00:00Z');
const KINDS: Readonly<Record<OrderList, string>> = { rest: 'orders', agents: 'orders.agents' };

/**
 * One page of orders: by creation, newest first; with `updatedSince` by `last_updated`, oldest first, up to
 * the instant at which the walk began.
 * @param clock what a cache knows of the organisation's delta clock; null = it is read before the page.
 * @throws Failure invalid_cursor
 */
export async function listOrders(
  scope: ReadScope,
  cursors: CursorMaker,
  query: OrderQuery,
  clock: DeltaClock | null,
): Promise<OrderPage> {
  const walk = openWalk(scope, cursors, query);
  const filters = walk?.filters ?? query.filters;
  // The clock is read before the page: whatever commits in between is left to the next poll, never lost.
  const { asOf } = walk ?? clock ?? deltaClock((await store.readClock(scope)) ?? BEFORE_ALL);
  const { text, count } = await pageOfOrders(scope, {
    filters,
    asOf: asOf.text,
    position: walk?.position ?? null,
    limit: query.limit + 1,
  });
  if (text === null) return { json: '[]', count: 0, nextCursor: null, asOf };
  if (count <= query.limit) return { json: `[${text}]`, count, nextCursor: null, asOf };
  // One order more than was asked for says that there are more; it is cut off again.
  const page = text.slice(0, text.lastIndexOf(SEPARATOR));
  const position = positionOf(page.slice(page.lastIndexOf(SEPARATOR) + 1), filters);
  const nextCursor = makeCursor(scope, cursors, query.list, filters, asOf, position);
  return { json: `[${page}]`, count: query.limit, nextCursor, asOf };
}

/** What a poll gets when nothing can have changed since, which most polls ask; null where something may have. */
export function emptyPage(clock: DeltaClock | null, since: Instant | null): OrderPage | null {
  if (!clock || !since || epochMicros(since) < clock.asOf.micros) return null;
  return { json: '[]', count: 0, nextCursor: null, asOf: clock.asOf };
}

function positionOf(lastJson: string, filters: OrderFilters): Position {
  const last = JSON.parse(lastJson) as Record<
    'date_created' | 'last_updated' | 'marketplace' | 'account_id' | 'id',
    string
  >;
  if (filters.updatedSince) return { order: 'updated', after: Temporal.Instant.from(last.last_updated) };
  return {
    order: 'created',
    newestFirst: -Temporal.Instant.from(last.date_created).epochMilliseconds,
    marketplace: last.marketplace,
    accountId: last.account_id,
    id: last.id,
  };
}

type PackedFilters = [
  number | null,
  number | null,
  number | null,
  readonly string[],
  readonly string[],
  readonly string[],
];
type PackedPosition = [number] | [number, string, string, string];
type Packed = [
  kind: string,
  organizationId: string,
  filters: PackedFilters,
  asOf: number,
  position: PackedPosition,
];

function makeCursor(
  scope: ReadScope,
  cursors: CursorMaker,
  list: OrderList,
  filters: OrderFilters,
  asOf: AsOf,
  position: Position,
): string {
  const packed: PackedPosition =
    position.order === 'updated'
      ? [epochMicros(position.after)]
      : [position.newestFirst, position.marketplace, position.accountId, position.id];
  return cursors.make([
    KINDS[list],
    scope.organizationId,
    packFilters(filters),
    asOf.micros,
    packed,
  ] satisfies Packed);
}

function openWalk(scope: ReadScope, cursors: CursorMaker, { cursor, filters: given, list }: OrderQuery) {
  if (cursor === null) return null;
  const [kind, organizationId, packed, asOf, position] = cursors.open(cursor) as Packed;
  if (kind !== KINDS[list] || organizationId !== scope.organizationId)
    throw fail('invalid_cursor', { param: 'cursor' });
  // A filter may be left out (the cursor has it) or repeated; another value would be another walk.
  const differs = packFilters(given).some(
    (value, index) => isGiven(value) && JSON.stringify(value) !== JSON.stringify(packed[index]),
  );
  if (differs)
    throw fail('invalid_cursor', {
      param: 'cursor',
      message: 'El cursor se hizo con otros filtros. Repite los mismos u omítelos.',
    });
  return { filters: unpackFilters(packed), asOf: asOfMicros(asOf), position: unpackPosition(position) };
}

function isGiven(value: PackedFilters[number]): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== null;
}

function packFilters(filters: OrderFilters): PackedFilters {
  const micros = (instant: Instant | null) => instant && epochMicros(instant);
  return [
    micros(filters.from),
    micros(filters.to),
    micros(filters.updatedSince),
    filters.status,
    filters.marketplace,
    filters.accountId,
  ];
}

function unpackFilters([
  from,
  to,
  updatedSince,
  status,
  marketplace,
  accountId,
]: PackedFilters): OrderFilters {
  const instant = (micros: number | null) => (micros === null ? null : fromEpochMicros(micros));
  return {
    from: instant(from),
    to: instant(to),
    updatedSince: instant(updatedSince),
    status: status as OrderStatus[],
    marketplace: marketplace as Marketplace[],
    accountId,
  };
}

function unpackPosition(packed: PackedPosition): Position {
  if (packed.length === 1) return { order: 'updated', after: fromEpochMicros(packed[0]) };
  const [newestFirst, marketplace, accountId, id] = packed;
  return { order: 'created', newestFirst, marketplace, accountId, id };
}
