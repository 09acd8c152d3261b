import type {
  Carrier,
  ChannelRelation,
  EventSource,
  ShipmentCategory,
  ShipmentPackage,
  ShipmentPlace,
  SourceShipment,
} from '../../carriers/contract.ts';
import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import { fromEpochMicros, type Instant } from '../../platform/time.ts';
import type { OrderIdentity } from '../orders/index.ts';
import type { CarrierSource, Shipment, ShipmentEvent, ShipmentIdentity } from './shipment.ts';

type Account = Omit<CarrierSource, 'connectionId'>;

/** What recording needs to know of a stored shipment. */
export interface StoredShipment {
  readonly id: string;
  readonly category: ShipmentCategory;
  readonly fingerprint: string;
  readonly changedAt: Instant | null;
  readonly fetchedAt: Instant;
}

interface VersionRow {
  readonly id: string;
  readonly category: string;
  readonly fingerprint: string;
  readonly changed_at: Instant | null;
  readonly fetched_at: Instant;
}

const SELECT_VERSIONS = `select id, category, fingerprint, changed_at, fetched_at from shipments
    where organization_id = $1 and carrier = $2 and account_id = $3 and id = any($4::text[])`;
const VERSIONS = statement<VersionRow>('shipments.versions', SELECT_VERSIONS);
const LOCK_VERSIONS = statement<VersionRow>(
  'shipments.lock-versions',
  `${SELECT_VERSIONS} order by id for update`,
);

/** The columns that a version replaces; the linked order is found apart. */
const COLUMNS = {
  id: 'text',
  tracking_number: 'text',
  guide_number: 'text',
  category: 'text',
  carrier_status: 'text',
  is_final: 'boolean',
  is_damaged: 'boolean',
  is_return: 'boolean',
  parent_id: 'text',
  final_carrier: 'text',
  service_type: 'text',
  cost: 'numeric',
  currency: 'text',
  declared_value: 'numeric',
  created_at: 'timestamptz',
  picked_up_at: 'timestamptz',
  delivered_at: 'timestamptz',
  estimated_delivery: 'timestamptz',
  origin: 'text',
  destination: 'text',
  packages: 'text',
  order_reference: 'text',
  relations: 'text',
  changed_at: 'timestamptz',
  fetched_at: 'timestamptz',
  fingerprint: 'text',
  raw: 'text',
} as const;
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

const UPSERT = statement<object>(
  'shipments.upsert',
  `insert into shipments
     (organization_id, carrier, account_id, connection_id, recorded_at, updated_at, ${NAMES.join(', ')})
   select $1, $2::text, $3::text, $4::uuid, $5::timestamptz, $5::timestamptz, g.*
     from unnest(${NAMES.map((name, at) => `$${at + 6}::${COLUMNS[name]}[]`).join(', ')})
       as g (${NAMES.join(', ')})
   on conflict (organization_id, carrier, account_id, id) do update
     set connection_id = excluded.connection_id, updated_at = excluded.updated_at,
         ${NAMES.map((name) => `${name} = excluded.${name}`).join(', ')}`,
);

const ADD_EVENTS = statement<object>(
  'shipments.add-events',
  `insert into shipment_events
     (organization_id, carrier, account_id, recorded_at, source, tracking_number, code, occurred_at, category,
      description, location, shipment_id, raw)
   select $1, $2::text, $3::text, $4::timestamptz, 'tracking_history', g.*
     from unnest($5::text[], $6::text[], $7::timestamptz[], $8::text[], $9::text[], $10::text[], $11::text[],
       $12::text[])
       as g (tracking_number, code, occurred_at, category, description, location, shipment_id, raw)
   on conflict (organization_id, carrier, tracking_number, code, occurred_at) do update
     set category = excluded.category, account_id = excluded.account_id, shipment_id = excluded.shipment_id
     where (shipment_events.category, shipment_events.account_id, shipment_events.shipment_id)
       is distinct from (excluded.category, excluded.account_id, excluded.shipment_id)`,
);

interface ShipmentRow {
  readonly carrier: string;
  readonly account_id: string;
  readonly connection_id: string;
  readonly id: string;
  readonly tracking_number: string | null;
  readonly guide_number: string | null;
  readonly category: string;
  readonly carrier_status: string;
  readonly is_final: boolean;
  readonly is_damaged: boolean;
  readonly is_return: boolean;
  readonly parent_id: string | null;
  readonly final_carrier: string | null;
  readonly service_type: string | null;
  readonly cost: Decimal | null;
  readonly currency: string;
  readonly declared_value: Decimal | null;
  readonly created_at: Instant;
  readonly picked_up_at: Instant | null;
  readonly delivered_at: Instant | null;
  readonly estimated_delivery: Instant | null;
  readonly origin: string | null;
  readonly destination: string | null;
  readonly packages: string;
  readonly order_reference: string | null;
  readonly relations: string;
  readonly order_marketplace: string | null;
  readonly order_account_id: string | null;
  readonly order_id: string | null;
}

const SHOWN = `s.carrier, s.account_id, s.connection_id, s.id, s.tracking_number, s.guide_number, s.category,
    s.carrier_status, s.is_final, s.is_damaged, s.is_return, s.parent_id, s.final_carrier, s.service_type, s.cost,
    s.currency, s.declared_value, s.created_at, s.picked_up_at, s.delivered_at, s.estimated_delivery, s.origin, s.destination, s.packages,
    s.order_reference, s.relations, s.order_marketplace, s.order_account_id, s.order_id`;

const BY_IDS = statement<ShipmentRow>(
  'shipments.by-ids',
  `select ${SHOWN} from shipments s
    where s.organization_id = $1 and s.carrier = $2 and s.account_id = $3 and s.id = any($4::text[]) order by s.id`,
);

/** Followed upwards and downwards; a shipment that names itself or a circle ends it. */
const FAMILY = statement<ShipmentRow>(
  'shipments.family',
  `with recursive family (carrier, account_id, id) as (
     select carrier, account_id, id collate "C"
       from unnest($2::text[], $3::text[], $4::text[]) as given (carrier, account_id, id)
     union
     select f.carrier, f.account_id, relative.id from family f, lateral (
       select child.id from shipments child
        where child.organization_id = $1 and child.carrier = f.carrier and child.account_id = f.account_id
          and child.parent_id = f.id
       union all
       select known.parent_id from shipments known
        where known.organization_id = $1 and known.carrier = f.carrier and known.account_id = f.account_id
          and known.id = f.id and known.parent_id is not null) relative)
   select ${SHOWN} from family f join shipments s on s.organization_id = $1 and s.carrier = f.carrier
      and s.account_id = f.account_id and s.id = f.id
    order by s.carrier, s.account_id, s.id`,
);

const OPEN = statement<{ id: string }>(
  'shipments.open',
  `select id from shipments where organization_id = $1 and connection_id = $2 and not is_final and id > $3
    order by id limit $4`,
);

const STATES = statement<{ id: string; carrier_status: string }>(
  'shipments.states',
  `select id, carrier_status from shipments
    where organization_id = $1 and carrier = $2 and account_id = $3 and id = any($4::text[])`,
);

const FORGET_RELATIONS = statement<object>(
  'shipments.forget-relations',
  `delete from shipment_relations
    where organization_id = $1 and carrier = $2 and account_id = $3 and shipment_id = any($4::text[])`,
);
const ADD_RELATIONS = statement<object>(
  'shipments.add-relations',
  `insert into shipment_relations (organization_id, carrier, account_id, shipment_id, value)
   select $1, $2::text, $3::text, g.* from unnest($4::text[], $5::text[]) as g (shipment_id, value)
   on conflict do nothing`,
);

const NAMING = statement<ShipmentRow>(
  'shipments.naming',
  `select distinct on (s.carrier, s.account_id, s.id) ${SHOWN} from shipment_relations r
     join shipments s on s.organization_id = r.organization_id and s.carrier = r.carrier
       and s.account_id = r.account_id and s.id = r.shipment_id
    where r.organization_id = $1 and r.value = any($2::text[])
    order by s.carrier, s.account_id, s.id`,
);

const LINK = statement<object>(
  'shipments.link',
  `update shipments s set order_marketplace = g.order_marketplace, order_account_id = g.order_account_id,
          order_id = g.order_id, updated_at = $2::timestamptz
     from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       as g (carrier, account_id, id, order_marketplace, order_account_id, order_id)
    where s.organization_id = $1 and s.carrier = g.carrier and s.account_id = g.account_id and s.id = g.id`,
);

const OF_ORDERS = statement<ShipmentRow>(
  'shipments.of-orders',
  `select ${SHOWN} from unnest($2::text[], $3::text[], $4::text[]) as wanted (marketplace, account_id, id)
     join shipments s on s.organization_id = $1 and s.order_marketplace = wanted.marketplace
       and s.order_account_id = wanted.account_id and s.order_id = wanted.id`,
);

const FORGET_ORDER_RELATIONS = statement<object>(
  'shipments.forget-order-relations',
  `delete from order_relations r using unnest($2::text[], $3::text[], $4::text[]) as g (marketplace, account_id, id)
    where r.organization_id = $1 and r.marketplace = g.marketplace and r.account_id = g.account_id
      and r.order_id = g.id`,
);
const ADD_ORDER_RELATIONS = statement<object>(
  'shipments.add-order-relations',
  `insert into order_relations (organization_id, marketplace, account_id, order_id, kind, value)
   select $1, * from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) on conflict do nothing`,
);
const ORDER_RELATIONS = statement<{
  value: string;
  kind: string;
  marketplace: string;
  account_id: string;
  order_id: string;
}>(
  'shipments.order-relations',
  `select value, kind, marketplace, account_id, order_id from order_relations
    where organization_id = $1 and value = any($2::text[])`,
);

interface EventRow {
  readonly carrier: string;
  readonly account_id: string;
  readonly shipment_id: string;
  readonly tracking_number: string;
  readonly code: string;
  readonly category: string | null;
  readonly description: string | null;
  readonly location: string | null;
  readonly occurred_at: Instant;
  readonly source: string;
}

const EVENTS = statement<EventRow>(
  'shipments.events',
  `select e.carrier, e.account_id, e.shipment_id, e.tracking_number, e.code, e.category, e.description, e.location,
          e.occurred_at, e.source
     from unnest($2::text[], $3::text[], $4::text[]) as wanted (carrier, account_id, id)
     join shipment_events e on e.organization_id = $1 and e.carrier = wanted.carrier
       and e.account_id = wanted.account_id and e.shipment_id = wanted.id
    order by e.occurred_at, e.seq`,
);

/** `$2` from, `$3` to, `$4` to `$7` the last one that was handed out, `$8` how many. */
const BOUNDS = `s.created_at >= coalesce($2::timestamptz, '-infinity')
      and s.created_at <= least(coalesce($3::timestamptz, 'infinity'), coalesce($4::timestamptz, 'infinity'))
      and ($4::timestamptz is null or (s.created_at, s.carrier, s.account_id, s.id) < ($4, $5::text, $6::text, $7::text))`;
const NEWEST_FIRST =
  'order by s.created_at desc, s.carrier desc, s.account_id desc, s.id desc limit $8';
const FILTERS = 's.carrier = any($9::text[]) and s.category = any($10::text[])';

const PAGE = statement<ShipmentRow>(
  'shipments.page',
  `select ${SHOWN} from shipments s where s.organization_id = $1 and ${BOUNDS} ${NEWEST_FIRST}`,
);

/**
 * A walk of its own for each carrier and category, so that rare ones are found as soon as common
 * ones.
 */
const PAGE_BY_CATEGORY = statement<ShipmentRow>(
  'shipments.page-by-category',
  `select ${SHOWN}
     from unnest($9::text[]) as c (carrier), unnest($10::text[]) as k (category),
          lateral (select * from shipments s
                    where s.organization_id = $1 and s.carrier = c.carrier and s.category = k.category and ${BOUNDS}
                    order by s.created_at desc, s.account_id desc, s.id desc limit $8) s
    ${NEWEST_FIRST}`,
);

/**
 * Each carrier by itself, so that the key is taken whole, whatever the planner believes of the
 * tables.
 */
const PAGE_BY_TRACKING = statement<ShipmentRow>(
  'shipments.page-by-tracking',
  `select ${SHOWN} from unnest($9::text[]) as asked (carrier), lateral (
       select * from shipments
        where organization_id = $1 and carrier = asked.carrier and tracking_number = $11
       union
       select * from shipments
        where organization_id = $1 and carrier = asked.carrier and guide_number = $11) s
    where ${FILTERS} and ${BOUNDS} and ($12::text is null or s.order_id = $12) ${NEWEST_FIRST}`,
);

const PAGE_BY_ORDER = statement<ShipmentRow>(
  'shipments.page-by-order',
  `select ${SHOWN} from shipments s
    where s.organization_id = $1 and s.order_id = $11 and ${FILTERS} and ${BOUNDS} ${NEWEST_FIRST}`,
);

/** `lock`: nobody else writes these rows until the transaction ends. */
export async function versions(
  scope: ReadScope,
  { carrier, accountId }: Account,
  ids: readonly string[],
  { lock }: { lock: boolean },
): Promise<StoredShipment[]> {
  const rows = await scope.prepared(lock ? LOCK_VERSIONS : VERSIONS, [carrier, accountId, ids]);
  return rows.map((row) => ({
    id: row.id,
    category: row.category as ShipmentCategory,
    fingerprint: row.fingerprint,
    changedAt: row.changed_at,
    fetchedAt: row.fetched_at,
  }));
}

export async function upsert(
  scope: WriteScope,
  { carrier, accountId, connectionId }: CarrierSource,
  given: readonly { source: SourceShipment; category: ShipmentCategory; fingerprint: string }[],
): Promise<void> {
  const rows = given.map(valuesOf);
  await scope.prepared(UPSERT, [
    carrier,
    accountId,
    connectionId,
    scope.clock.now().toString(),
    ...NAMES.map((name) => rows.map((row) => row[name])),
  ]);
}

function valuesOf({
  source,
  category,
  fingerprint,
}: {
  source: SourceShipment;
  category: ShipmentCategory;
  fingerprint: string;
}): Record<keyof typeof COLUMNS, string | boolean | null> {
  return {
    id: source.id,
    tracking_number: source.trackingNumber,
    guide_number: source.guideNumber,
    category,
    carrier_status: source.carrierStatus,
    is_final: source.isFinal,
    is_damaged: source.isDamaged,
    is_return: source.isReturn,
    parent_id: source.parentId,
    final_carrier: source.finalCarrier,
    service_type: source.serviceType,
    cost: source.cost,
    currency: source.currency,
    declared_value: source.declaredValue,
    created_at: source.createdAt.toString(),
    picked_up_at: source.pickedUpAt?.toString() ?? null,
    delivered_at: source.deliveredAt?.toString() ?? null,
    estimated_delivery: source.estimatedDelivery?.toString() ?? null,
    origin: source.origin && JSON.stringify(source.origin),
    destination: source.destination && JSON.stringify(source.destination),
    packages: JSON.stringify(source.packages),
    order_reference: source.orderReference,
    relations: JSON.stringify(source.relations),
    changed_at: source.changedAt?.toString() ?? null,
    fetched_at: source.fetchedAt.toString(),
    fingerprint,
    raw: source.raw,
  };
}

/**
 * What the carrier told of these shipments when it was asked. What is known already stays as it is.
 */
export async function addEvents(
  scope: WriteScope,
  { carrier, accountId }: Account,
  shipments: readonly SourceShipment[],
): Promise<void> {
  // One statement may not meet one key twice.
  const events = new Map(
    shipments.flatMap(({ id, events: told }) =>
      told.map((event) => [
        [event.trackingNumber, event.code, event.occurredAt].join('\n'),
        { ...event, id },
      ]),
    ),
  );
  const rows = [...events.values()];
  if (rows.length === 0) return;
  await scope.prepared(ADD_EVENTS, [
    carrier,
    accountId,
    scope.clock.now().toString(),
    rows.map(({ trackingNumber }) => trackingNumber),
    rows.map(({ code }) => code),
    rows.map(({ occurredAt }) => occurredAt.toString()),
    rows.map(({ category }) => category),
    rows.map(({ description }) => description),
    rows.map(({ location }) => location),
    rows.map(({ id }) => id),
    rows.map(({ raw }) => raw),
  ]);
}

export async function byIds(
  scope: ReadScope,
  { carrier, accountId }: Account,
  ids: readonly string[],
): Promise<Shipment[]> {
  return (await scope.prepared(BY_IDS, [carrier, accountId, ids])).map(shipmentOf);
}

/**
 * These shipments, with those that they follow and those that follow them, as far as they are
 * stored.
 */
export async function familyOf(
  scope: ReadScope,
  shipments: readonly ShipmentIdentity[],
): Promise<Shipment[]> {
  if (shipments.length === 0) return [];
  const rows = await scope.prepared(FAMILY, [
    shipments.map(({ carrier }) => carrier),
    shipments.map(({ accountId }) => accountId),
    shipments.map(({ id }) => id),
  ]);
  return rows.map(shipmentOf);
}

/** Those of a connection that may still move, in order of id. */
export async function openShipments(
  scope: ReadScope,
  connectionId: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  return (await scope.prepared(OPEN, [connectionId, after ?? '', limit])).map(({ id }) => id);
}

/** The native states of those of these that are stored. */
export async function statesOf(
  scope: ReadScope,
  { carrier, accountId }: Account,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await scope.prepared(STATES, [carrier, accountId, ids]);
  return new Map(rows.map((row) => [row.id, row.carrier_status]));
}

/** Replaces what shipments say of their orders. */
export async function setRelations(
  scope: WriteScope,
  { carrier, accountId }: Account,
  given: readonly { id: string; values: readonly string[] }[],
): Promise<void> {
  await scope.prepared(FORGET_RELATIONS, [carrier, accountId, given.map(({ id }) => id)]);
  const rows = given.flatMap(({ id, values }) => values.map((value) => ({ id, value })));
  if (rows.length === 0) return;
  await scope.prepared(ADD_RELATIONS, [
    carrier,
    accountId,
    rows.map(({ id }) => id),
    rows.map(({ value }) => value),
  ]);
}

/** Shipments that name one of these, as an order's id, pack or tag. */
export async function shipmentsNaming(
  scope: ReadScope,
  values: readonly string[],
): Promise<Shipment[]> {
  return (await scope.prepared(NAMING, [values])).map(shipmentOf);
}

export async function linkOrders(
  scope: WriteScope,
  given: readonly { shipment: ShipmentIdentity; order: OrderIdentity | null }[],
): Promise<void> {
  if (given.length === 0) return;
  await scope.prepared(LINK, [
    scope.clock.now().toString(),
    given.map(({ shipment }) => shipment.carrier),
    given.map(({ shipment }) => shipment.accountId),
    given.map(({ shipment }) => shipment.id),
    given.map(({ order }) => order?.marketplace ?? null),
    given.map(({ order }) => order?.accountId ?? null),
    given.map(({ order }) => order?.id ?? null),
  ]);
}

/** The shipments that are linked to these orders. */
export async function shipmentsOf(
  scope: ReadScope,
  orders: readonly OrderIdentity[],
): Promise<Shipment[]> {
  const rows = await scope.prepared(OF_ORDERS, [
    orders.map(({ marketplace }) => marketplace),
    orders.map(({ accountId }) => accountId),
    orders.map(({ id }) => id),
  ]);
  return rows.map(shipmentOf);
}

export async function forgetOrderRelations(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
): Promise<void> {
  if (orders.length === 0) return;
  await scope.prepared(FORGET_ORDER_RELATIONS, [
    orders.map(({ marketplace }) => marketplace),
    orders.map(({ accountId }) => accountId),
    orders.map(({ id }) => id),
  ]);
}

/** What orders are called besides their id. */
export async function addOrderRelations(
  scope: WriteScope,
  given: readonly { order: OrderIdentity; packId: string | null; tags: readonly string[] }[],
): Promise<void> {
  const rows = given.flatMap(({ order, packId, tags }) => [
    ...(packId ? [{ order, kind: 'pack', value: packId }] : []),
    ...tags.map((value) => ({ order, kind: 'tag', value })),
  ]);
  if (rows.length === 0) return;
  await scope.prepared(ADD_ORDER_RELATIONS, [
    rows.map(({ order }) => order.marketplace),
    rows.map(({ order }) => order.accountId),
    rows.map(({ order }) => order.id),
    rows.map(({ kind }) => kind),
    rows.map(({ value }) => value),
  ]);
}

/** Orders whose pack or tag is one of these. */
export async function orderRelations(scope: ReadScope, values: readonly string[]) {
  return (await scope.prepared(ORDER_RELATIONS, [values])).map((row) => ({
    value: row.value,
    kind: row.kind as 'pack' | 'tag',
    order: {
      marketplace: row.marketplace as Marketplace,
      accountId: row.account_id,
      id: row.order_id,
    },
  }));
}

/** The oldest first. */
export async function eventsOf(
  scope: ReadScope,
  shipments: readonly ShipmentIdentity[],
): Promise<(ShipmentEvent & { of: ShipmentIdentity })[]> {
  if (shipments.length === 0) return [];
  const rows = await scope.prepared(EVENTS, [
    shipments.map(({ carrier }) => carrier),
    shipments.map(({ accountId }) => accountId),
    shipments.map(({ id }) => id),
  ]);
  return rows.map((row) => ({
    of: { carrier: row.carrier as Carrier, accountId: row.account_id, id: row.shipment_id },
    trackingNumber: row.tracking_number,
    code: row.code,
    category: row.category as ShipmentCategory | null,
    description: row.description,
    location: row.location,
    occurredAt: row.occurred_at,
    source: row.source as EventSource,
  }));
}

/** Microseconds of the creation, and the key. */
export type ShipmentPosition = readonly [number, string, string, string];

export interface ShipmentPageRequest {
  readonly carriers: readonly string[];
  readonly categories: readonly string[];
  /** Neither carrier nor category was asked for. */
  readonly isWhole: boolean;
  readonly trackingNumber: string | null;
  readonly orderId: string | null;
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly after: ShipmentPosition | null;
  readonly limit: number;
}

export async function pageOfShipments(
  scope: ReadScope,
  { trackingNumber, orderId, isWhole, ...request }: ShipmentPageRequest,
): Promise<Shipment[]> {
  const bounds = boundsOf(request);
  const filters = [request.carriers, request.categories];
  const rows =
    trackingNumber !== null
      ? await scope.prepared(PAGE_BY_TRACKING, [...bounds, ...filters, trackingNumber, orderId])
      : orderId !== null
        ? await scope.prepared(PAGE_BY_ORDER, [...bounds, ...filters, orderId])
        : isWhole
          ? await scope.prepared(PAGE, bounds)
          : await scope.prepared(PAGE_BY_CATEGORY, [...bounds, ...filters]);
  return rows.map(shipmentOf);
}

function boundsOf({
  from,
  to,
  after,
  limit,
}: Pick<ShipmentPageRequest, 'from' | 'to' | 'after' | 'limit'>): unknown[] {
  const [micros, ...key] = after ?? [null, null, null, null];
  return [
    from?.toString() ?? null,
    to?.toString() ?? null,
    micros === null ? null : fromEpochMicros(micros).toString(),
    ...key,
    limit,
  ];
}

function shipmentOf(row: ShipmentRow): Shipment {
  return {
    carrier: row.carrier as Carrier,
    accountId: row.account_id,
    connectionId: row.connection_id,
    id: row.id,
    trackingNumber: row.tracking_number,
    guideNumber: row.guide_number,
    category: row.category as ShipmentCategory,
    carrierStatus: row.carrier_status,
    isFinal: row.is_final,
    isDamaged: row.is_damaged,
    isReturn: row.is_return,
    parentId: row.parent_id,
    finalCarrier: row.final_carrier,
    serviceType: row.service_type,
    cost: row.cost,
    currency: row.currency,
    declaredValue: row.declared_value,
    createdAt: row.created_at,
    pickedUpAt: row.picked_up_at,
    deliveredAt: row.delivered_at,
    estimatedDelivery: row.estimated_delivery,
    origin: row.origin === null ? null : (JSON.parse(row.origin) as ShipmentPlace),
    destination: row.destination === null ? null : (JSON.parse(row.destination) as ShipmentPlace),
    packages: JSON.parse(row.packages) as ShipmentPackage[],
    orderReference: row.order_reference,
    relations: JSON.parse(row.relations) as ChannelRelation[],
    order: orderOf(row),
  };
}

function orderOf({
  order_marketplace,
  order_account_id,
  order_id,
}: ShipmentRow): OrderIdentity | null {
  if (order_marketplace === null || order_account_id === null || order_id === null) return null;
  return {
    marketplace: order_marketplace as Marketplace,
    accountId: order_account_id,
    id: order_id,
  };
}
