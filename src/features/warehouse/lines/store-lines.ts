import { CARRIERS } from '../../../carriers/contract.ts';
import type { Marketplace, OrderStatus } from '../../../connectors/contract.ts';
import { bulk } from '../../../platform/db/bulk.ts';
import { type ReadScope, together, type WriteScope } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/query.ts';
import { sealFor } from '../../../platform/db/sealed-column.ts';
import type { Instant } from '../../../platform/time.ts';
import type { Address } from '../address.ts';
import type { Line, LineItem, LineState } from './line.ts';
import {
  COLUMNS,
  DESTINATION,
  type LineRow,
  linesOf,
  ORDERS_OF,
  withOrders,
} from './store-line-rows.ts';

/** The identity of an order. */
export interface OrderKey {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly id: string;
}

export interface NewLine {
  readonly id: string;
  readonly marketplace: Marketplace;
  readonly accountId: string;
  /** `order:…` or `pack:…`. */
  readonly parcel: string;
  readonly packId: string | null;
}

export interface PlacedOrder extends OrderKey {
  readonly lineId: string;
  readonly status: OrderStatus;
  readonly items: readonly LineItem[];
  readonly tags: readonly string[];
}

const ORDERS = bulk('warehouse_line_orders', ['marketplace', 'account_id', 'order_id']);
const PLACED = bulk('warehouse_line_orders', [
  'marketplace',
  'account_id',
  'order_id',
  'line_id',
  'status',
  'items',
  'tags',
]);
const LINES = bulk('warehouse_lines', ['id', 'marketplace', 'account_id', 'parcel', 'pack_id']);
const STATES = bulk('warehouse_lines', ['id', 'state']);

const LINES_OF_ORDERS = ORDERS.statement<{
  marketplace: string;
  account_id: string;
  order_id: string;
  line_id: string;
}>(
  'warehouse-lines.of-orders',
  (given) => `select placed.marketplace, placed.account_id, placed.order_id, placed.line_id
     from ${given}
     join warehouse_line_orders placed on placed.organization_id = $1 and placed.marketplace = given.marketplace
      and placed.account_id = given.account_id and placed.order_id = given.order_id`,
);

const INSERT_LINES = LINES.statement(
  'warehouse-lines.insert',
  (given) => `insert into warehouse_lines
     (organization_id, state, packages, staged_at, updated_at, ${LINES.names})
   select $1, 'staged', 1, $2::timestamptz, $2::timestamptz, given.* from ${given}`,
);

const PLACE_ORDERS = PLACED.statement(
  'warehouse-lines.place-orders',
  (given) => `insert into warehouse_line_orders (organization_id, ${PLACED.names})
   select $1, given.* from ${given}
   on conflict (organization_id, marketplace, account_id, order_id) do update
     set status = excluded.status, items = excluded.items, tags = excluded.tags`,
);

const LOCK = statement<LineRow>(
  'warehouse-lines.lock',
  `select ${COLUMNS} from warehouse_lines where organization_id = $1 and id = any($2::uuid[]) order by id for update`,
);

const BY_IDS = statement<LineRow>(
  'warehouse-lines.by-ids',
  `select ${COLUMNS} from warehouse_lines where organization_id = $1 and id = any($2::uuid[]) order by id`,
);

const SET_STATES = STATES.statement(
  'warehouse-lines.set-states',
  (given) => `update warehouse_lines line set state = given.state, updated_at = $2::timestamptz
     from ${given}
    where line.organization_id = $1 and line.id = given.id`,
);

const BY_TRACKING = statement<{ id: string }>(
  'warehouse-lines.by-tracking',
  `select id from warehouse_lines
    where organization_id = $1 and tracking_number = $2 and id <> $3 limit 1`,
);

const HAS_MOVED = statement<object>(
  'warehouse-lines.has-moved',
  `select from shipments where organization_id = $1 and carrier = any($2::text[])
      and tracking_number = $3 and category not in ('PREPARACION', 'CANCELADO') limit 1`,
);

/**
 * Deletes the destination of orders whose buyer is to be forgotten: the address, and its copies in
 * requests and labels.
 */
const FORGET_DESTINATIONS = statement<{ id: string }>(
  'warehouse-lines.forget-destinations',
  `update warehouse_lines line
      set destination = null, destination_box = null, is_buyer_forgotten = true
     from warehouse_line_orders placed
    where placed.organization_id = $1 and placed.marketplace = $2 and placed.account_id = $3
      and placed.order_id = any($4::text[])
      and line.organization_id = $1 and line.id = placed.line_id
   returning line.id`,
);

/** The list is read once, not for each attempt that it is compared with. */
const FORGET_REQUESTS = statement<object>(
  'warehouse-lines.forget-requests',
  `update guide_attempts set request = null, zpl = null, pdf_base64 = null, request_box = null,
     zpl_box = null, pdf_box = null
    where organization_id = $1 and line_id = any((select $2::uuid[])::uuid[])`,
);

/** @returns the line of each order that has one, by `keyOf` */
export async function linesOfOrders(
  scope: ReadScope,
  orders: readonly OrderKey[],
): Promise<Map<string, string>> {
  const wanted = orders.map(({ marketplace, accountId, id }) => ({
    marketplace,
    account_id: accountId,
    order_id: id,
  }));
  const rows = await scope.prepared(LINES_OF_ORDERS, LINES_OF_ORDERS.values([], wanted));
  return new Map(
    rows.map((row) => [`${row.marketplace}\n${row.account_id}\n${row.order_id}`, row.line_id]),
  );
}

export async function insertLines(
  scope: WriteScope,
  lines: readonly NewLine[],
  at: Instant,
): Promise<void> {
  if (lines.length === 0) return;
  const rows = lines.map(({ id, marketplace, accountId, parcel, packId }) => ({
    id,
    marketplace,
    parcel,
    account_id: accountId,
    pack_id: packId,
  }));
  await scope.prepared(INSERT_LINES, INSERT_LINES.values([at.toString()], rows));
}

export async function placeOrders(
  scope: WriteScope,
  orders: readonly PlacedOrder[],
): Promise<void> {
  const rows = orders.map(({ marketplace, accountId, id, lineId, status, items, tags }) => ({
    marketplace,
    account_id: accountId,
    order_id: id,
    line_id: lineId,
    status,
    items: JSON.stringify(items),
    tags: JSON.stringify(tags),
  }));
  await scope.prepared(PLACE_ORDERS, PLACE_ORDERS.values([], rows));
}

/** Locks the lines until the transaction ends. */
export async function lockLines(scope: WriteScope, ids: readonly string[]): Promise<Line[]> {
  // In this order: the rows are read once they are locked.
  return linesOf(
    scope,
    await together([scope.prepared(LOCK, [ids]), scope.prepared(ORDERS_OF, [ids])] as const),
  );
}

export async function linesById(scope: ReadScope, ids: readonly string[]): Promise<Line[]> {
  return withOrders(scope, await scope.prepared(BY_IDS, [ids]));
}

export async function setStates(
  scope: WriteScope,
  lines: readonly { id: string; state: LineState }[],
  at: Instant,
): Promise<void> {
  if (lines.length === 0) return;
  await scope.prepared(SET_STATES, SET_STATES.values([at.toString()], lines));
}

export interface LineValues {
  readonly state?: LineState;
  readonly packages?: number;
  readonly carrier?: string | null;
  readonly tracking_number?: string | null;
  readonly guide_number?: string | null;
  readonly tracking_source?: 'guide' | 'manual' | null;
  readonly carrier_shipment_id?: string | null;
  readonly in_transit_at?: string | null;
  readonly transferred_at?: string | null;
}

export async function update(scope: WriteScope, id: string, values: LineValues): Promise<void> {
  const changed = { ...values, updated_at: scope.clock.now().toString() };
  await scope.rows(scope.update('warehouse_lines').set(changed).where('id', '=', id));
}

/** Sealed, and bound to the line. */
export async function setDestination(
  scope: WriteScope,
  id: string,
  destination: Address,
): Promise<void> {
  const vault = await scope.vault();
  const text = JSON.stringify(destination);
  const changed = {
    destination: null,
    destination_box: await sealFor(vault, DESTINATION, [id], text),
    updated_at: scope.clock.now().toString(),
  };
  await scope.rows(scope.update('warehouse_lines').set(changed).where('id', '=', id));
}

/** Whether another line has this tracking number. */
export async function isTrackingTaken(
  scope: ReadScope,
  trackingNumber: string,
  lineId: string,
): Promise<boolean> {
  return (await scope.prepared(BY_TRACKING, [trackingNumber, lineId])).length > 0;
}

const LEFT_WITH = statement<{ tracking_number: string; id: string; transferred_at: Instant }>(
  'warehouse-lines.left-with',
  `select distinct on (tracking_number) tracking_number, id, transferred_at from warehouse_lines
    where organization_id = $1 and tracking_number = any($2::text[]) and state = 'transferred'
      and transferred_at is not null
    order by tracking_number, transferred_at desc, id`,
);

/** The lines that left the warehouse with these numbers, the last one where several did. */
export function leftWith(scope: ReadScope, trackingNumbers: readonly string[]) {
  return scope.prepared(LEFT_WITH, [trackingNumbers]);
}

/**
 * Whether a carrier reported that this parcel left preparation. The line may name the carrier in
 * another way: people type it.
 */
export async function hasMoved(scope: ReadScope, trackingNumber: string): Promise<boolean> {
  return (await scope.prepared(HAS_MOVED, [CARRIERS, trackingNumber])).length > 0;
}

export async function forgetDestinations(
  scope: WriteScope,
  { marketplace, accountId }: Pick<OrderKey, 'marketplace' | 'accountId'>,
  orderIds: readonly string[],
): Promise<void> {
  const lines = await scope.prepared(FORGET_DESTINATIONS, [marketplace, accountId, orderIds]);
  if (lines.length > 0) await scope.prepared(FORGET_REQUESTS, [lines.map(({ id }) => id)]);
}
