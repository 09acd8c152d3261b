import type { Marketplace, OrderStatus } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../../platform/time.ts';
import { lastUpdatedText, spliceList } from './present.ts';
import * as store from './store.ts';
import { type OrderFilters, type PageRow, type Position, pageOfOrders } from './store-page.ts';

export interface OrderQuery {
  /** Filters that the caller gave; with a cursor they may be left out, or must be the cursor's own. */
  readonly filters: OrderFilters;
  readonly limit: number;
  readonly cursor: string | null;
}

export interface OrderPage {
  /** The public orders, a JSON array as text. */
  readonly json: string;
  readonly nextCursor: string | null;
  /** The first instant that this walk does not cover: the `updated_since` of the next poll. */
  readonly asOf: Instant;
}

/** Stamps of orders recorded before any clock: an organisation without orders. */
const BEFORE_ALL = Temporal.Instant.from('1970-01-01T00:00:00Z');
const KIND = 'orders';

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
  clock: Instant | null,
): Promise<OrderPage> {
  const walk = query.cursor === null ? null : openWalk(scope, cursors, query.cursor, query.filters);
  const filters = walk?.filters ?? query.filters;
  // The clock is read before the page: whatever commits in between is left to the next poll, never lost.
  const asOf = walk?.asOf ?? after(clock ?? (await store.readClock(scope)) ?? BEFORE_ALL);
  const rows = await pageOfOrders(scope, {
    filters,
    asOf,
    position: walk?.position ?? null,
    limit: query.limit + 1,
  });
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  const nextCursor = last ? makeCursor(scope, cursors, filters, asOf, positionOf(last, filters)) : null;
  return {
    json: `[${page.map((row) => spliceList(row.list_json, row.last_updated)).join(',')}]`,
    nextCursor,
    asOf,
  };
}

/** What a poll gets when nothing can have changed since. */
export function emptyPage(clock: Instant): OrderPage {
  return { json: '[]', nextCursor: null, asOf: after(clock) };
}

function after(stamp: Instant): Instant {
  return stamp.add({ microseconds: 1 });
}

function positionOf(row: PageRow, filters: OrderFilters): Position {
  if (filters.updatedSince)
    return { order: 'updated', after: Temporal.Instant.from(lastUpdatedText(row.last_updated)) };
  const order = JSON.parse(row.list_json) as {
    date_created: string;
    marketplace: string;
    account_id: string;
    id: string;
  };
  return {
    order: 'created',
    newestFirst: -Temporal.Instant.from(order.date_created).epochMilliseconds,
    marketplace: order.marketplace,
    accountId: order.account_id,
    id: order.id,
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
  filters: OrderFilters,
  asOf: Instant,
  position: Position,
): string {
  const packed: PackedPosition =
    position.order === 'updated'
      ? [epochMicros(position.after)]
      : [position.newestFirst, position.marketplace, position.accountId, position.id];
  return cursors.make([
    KIND,
    scope.organizationId,
    packFilters(filters),
    epochMicros(asOf),
    packed,
  ] satisfies Packed);
}

function openWalk(scope: ReadScope, cursors: CursorMaker, cursor: string, given: OrderFilters) {
  const [kind, organizationId, packed, asOf, position] = cursors.open(cursor) as Packed;
  if (kind !== KIND || organizationId !== scope.organizationId)
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
  return { filters: unpackFilters(packed), asOf: fromEpochMicros(asOf), position: unpackPosition(position) };
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
