import type { Marketplace, OrderStatus } from '../../../connectors/contract.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/query.ts';
import { openFrom, sealedColumn } from '../../../platform/db/sealed-column.ts';
import type { Instant } from '../../../platform/time.ts';
import type { Address } from '../address.ts';
import type { Line, LineOrder, LineState } from './line.ts';

export interface LineRow {
  readonly id: string;
  readonly marketplace: string;
  readonly account_id: string;
  readonly pack_id: string | null;
  readonly state: string;
  readonly packages: number;
  /** As a former version stored it. */
  readonly destination: string | null;
  readonly destination_box: Buffer | null;
  readonly carrier: string | null;
  readonly tracking_number: string | null;
  readonly guide_number: string | null;
  readonly tracking_source: string | null;
  readonly carrier_shipment_id: string | null;
  readonly staged_at: Instant;
  readonly in_transit_at: Instant | null;
  readonly transferred_at: Instant | null;
  readonly is_buyer_forgotten: boolean;
}

interface OrderRow {
  readonly line_id: string;
  readonly order_id: string;
  readonly status: string;
  readonly items: string;
  readonly tags: string;
}

export const COLUMNS = `id, marketplace, account_id, pack_id, state, packages, destination, destination_box, carrier,
  tracking_number, guide_number, tracking_source, carrier_shipment_id, staged_at, in_transit_at, transferred_at,
  is_buyer_forgotten`;

/** Line by line: with few statistics each order would be compared with all of these lines. */
export const ORDERS_OF = statement<OrderRow>(
  'warehouse-lines.orders-of',
  `select placed.* from (select distinct id from unnest($2::uuid[]) as id) as given
    cross join lateral (
      select line_id, order_id, status, items, tags from warehouse_line_orders
       where organization_id = $1 and line_id = given.id order by order_id) as placed
    order by placed.line_id, placed.order_id`,
);

export const DESTINATION = sealedColumn({
  table: 'warehouse_lines',
  keys: ['id'],
  clear: ['destination'],
  box: 'destination_box',
  purpose: 'destination',
});

export async function withOrders(scope: ReadScope, rows: readonly LineRow[]): Promise<Line[]> {
  if (rows.length === 0) return [];
  return linesOf(scope, [rows, await scope.prepared(ORDERS_OF, [rows.map(({ id }) => id)])]);
}

export function linesOf(
  scope: ReadScope,
  [rows, orders]: readonly [readonly LineRow[], readonly OrderRow[]],
): Promise<Line[]> {
  const byLine = Map.groupBy(orders, ({ line_id }) => line_id);
  return Promise.all(
    rows.map(async (row) =>
      fromRow(row, await destinationOf(scope, row), byLine.get(row.id) ?? []),
    ),
  );
}

async function destinationOf(
  scope: ReadScope,
  { id, destination: clear, destination_box: box }: LineRow,
): Promise<Address | null> {
  const text = await openFrom(scope, DESTINATION, [id], { box, clear });
  return text === null ? null : JSON.parse(text);
}

function fromRow(row: LineRow, destination: Address | null, orders: readonly OrderRow[]): Line {
  return {
    id: row.id,
    marketplace: row.marketplace as Marketplace,
    accountId: row.account_id,
    packId: row.pack_id,
    state: row.state as LineState,
    packages: row.packages,
    destination,
    carrier: row.carrier,
    trackingNumber: row.tracking_number,
    guideNumber: row.guide_number,
    trackingSource: row.tracking_source as Line['trackingSource'],
    carrierShipmentId: row.carrier_shipment_id,
    stagedAt: row.staged_at,
    inTransitAt: row.in_transit_at,
    transferredAt: row.transferred_at,
    isBuyerForgotten: row.is_buyer_forgotten,
    orders: orders.map(fromOrderRow),
  };
}

function fromOrderRow({ order_id: id, status, items, tags }: OrderRow): LineOrder {
  return { id, status: status as OrderStatus, items: JSON.parse(items), tags: JSON.parse(tags) };
}
