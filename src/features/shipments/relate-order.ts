import type { ChannelRelation, SourceShipment } from '../../carriers/contract.ts';
import { serviceName } from '../../carriers/registry.ts';
import { MARKETPLACES, type Marketplace, type SourceShipping } from '../../connectors/contract.ts';
import { type ReadScope, together, type WriteScope } from '../../platform/db/database.ts';
import {
  annotate,
  type OrderChange,
  type OrderIdentity,
  type OrderListener,
  orderKey,
  ordersNamed,
} from '../orders/index.ts';
import { deliveryOf } from './order-delivery.ts';
import type { CarrierSource, Shipment, ShipmentIdentity } from './shipment.ts';
import * as store from './store-relations.ts';

/** Tags that identify one thing and not a kind of thing contain a number. */
const NAMES_ONE_THING = /\d{4}/;

/** The references of a shipment to its order. */
interface Reported {
  readonly orderReference: string | null;
  readonly relations: readonly ChannelRelation[];
}

/** An order that one of those values may identify, and the kind of the value there. */
interface Bearer {
  readonly value: string;
  /** `guide`: the value is the reference of a guide that was made here for the order. */
  readonly kind: 'order' | 'pack' | 'tag' | 'guide';
  readonly order: OrderIdentity;
}

/** Finds the orders of these stored shipments, and updates the orders by their parcels. */
export async function relateShipments(
  scope: WriteScope,
  source: CarrierSource,
  shipments: readonly SourceShipment[],
  listeners: readonly OrderListener[],
): Promise<void> {
  await store.setRelations(
    scope,
    source,
    shipments.map((shipment) => ({ id: shipment.id, values: valuesOf(shipment) })),
  );
  const given = shipments.map(({ id }) => ({ ...source, id }));
  await relate(scope, given, listeners, { annotatesAll: true });
}

/**
 * Calls this listener, and relates orders to parcels that were stored before them; the listener
 * gets the orders' changes by that as well.
 */
export function relatingOrders(listener: OrderListener): OrderListener {
  return async (scope, changes) => {
    const [, shipments] = await together([
      listener(scope, changes),
      findShipments(scope, changes),
    ] as const);
    if (shipments.length > 0) await relate(scope, shipments, [listener], { annotatesAll: false });
  };
}

/**
 * The shipments that may belong to these orders. The orders' other names are stored for shipments
 * still to come.
 */
async function findShipments(
  scope: WriteScope,
  changes: readonly OrderChange[],
): Promise<readonly Shipment[]> {
  const reported = changes.filter(
    ({ before, after }) => !before || namesOf(before) !== namesOf(after),
  );
  if (reported.length === 0) return [];
  const known = reported.filter(({ before }) => before !== null);
  // Its former name no longer finds it.
  const orders = reported.flatMap(({ before, after }) => (before ? [before, after] : [after]));
  const values = orders.flatMap(({ id, packId, tags }) => [
    id,
    ...(packId ? [packId] : []),
    ...tags,
  ]);
  const [, , shipments] = await together([
    store.forgetOrderRelations(
      scope,
      known.map(({ after }) => after),
    ),
    store.addOrderRelations(
      scope,
      reported.map(({ after: { marketplace, accountId, id, packId, tags } }) => ({
        order: { marketplace, accountId, id },
        packId,
        tags: tags.filter((tag) => NAMES_ONE_THING.test(tag)),
      })),
    ),
    store.shipmentsNaming(scope, [...new Set(values)]),
  ] as const);
  return shipments;
}

/**
 * Before a guide is asked for: the shipment that names its reference is then known to take these
 * orders.
 */
export function nameGuide(
  scope: WriteScope,
  reference: string,
  orders: readonly OrderIdentity[],
): Promise<void> {
  return store.addGuideRelations(scope, reference, orders);
}

/** The orders that a guide with this reference was made for; none = it was not made here. */
export async function ordersOfGuide(
  scope: ReadScope,
  reference: string | null,
): Promise<OrderIdentity[]> {
  if (reference === null) return [];
  const named = await store.orderRelations(scope, [reference]);
  const orders = named.flatMap(({ kind, order }) => (kind === 'guide' ? [order] : []));
  return orders.sort((one, other) => (orderKey(one) < orderKey(other) ? -1 : 1));
}

/** Updates the orders of shipments whose status changed. */
export async function updateOrders(
  scope: WriteScope,
  shipments: readonly Shipment[],
  listeners: readonly OrderListener[],
): Promise<void> {
  const orders = shipments.flatMap(({ order }) => order ?? []);
  await annotateOrders(scope, orders, listeners);
}

function namesOf({ packId, tags }: Pick<OrderChange['after'], 'packId' | 'tags'>): string {
  return JSON.stringify([packId, tags]);
}

async function relate(
  scope: WriteScope,
  shipments: readonly ShipmentIdentity[],
  listeners: readonly OrderListener[],
  { annotatesAll }: { annotatesAll: boolean },
): Promise<void> {
  const family = await store.familyOf(scope, shipments);
  const bearers = await bearersOf(scope, family.flatMap(valuesOf));
  const byKey = new Map(family.map((shipment) => [shipmentKeyOf(shipment), shipment]));
  const found = family.map((shipment) => ({
    shipment,
    order: inheritedOrder(shipment, byKey, bearers),
  }));
  const moved = found.filter(
    ({ shipment, order }) => keyOrNone(shipment.order) !== keyOrNone(order),
  );
  await store.linkOrders(scope, moved);
  const concerned = (annotatesAll ? found : moved).flatMap(({ shipment, order }) => [
    order,
    shipment.order,
  ]);
  await annotateOrders(
    scope,
    concerned.filter((order) => order !== null),
    listeners,
  );
}

/**
 * The order that a shipment names, else that of the shipment it follows: a return may name none.
 */
function inheritedOrder(
  shipment: Shipment,
  family: ReadonlyMap<string, Shipment>,
  bearers: readonly Bearer[],
): OrderIdentity | null {
  const seen = new Set<Shipment>();
  let at: Shipment | undefined = shipment;
  while (at && !seen.has(at)) {
    const order = orderOf(at, bearers);
    if (order) return order;
    seen.add(at);
    at = at.parentId === null ? undefined : family.get(shipmentKeyOf({ ...at, id: at.parentId }));
  }
  return null;
}

/** Every value that may identify an order, in any sense. */
export function valuesOf({ orderReference, relations }: Reported): string[] {
  const values = relations.flatMap(({ orderId, packId, tags }) => [
    orderId,
    packId,
    ...tags.filter((tag) => NAMES_ONE_THING.test(tag)),
  ]);
  return [
    ...new Set([...values, orderReference].filter((value) => value !== null && value !== '')),
  ] as string[];
}

export async function bearersOf(scope: ReadScope, values: readonly string[]): Promise<Bearer[]> {
  if (values.length === 0) return [];
  const wanted = [...new Set(values)];
  const named = (await ordersNamed(scope, wanted)).map((order) => ({
    value: order.id,
    kind: 'order' as const,
    order,
  }));
  return [...named, ...(await store.orderRelations(scope, wanted))];
}

/** The one order that a shipment can mean; where it means several, the result is none. */
function orderOf(reported: Reported, bearers: readonly Bearer[]): OrderIdentity | null {
  const [order, ...others] = ordersMeant(reported, bearers);
  return others.length === 0 ? (order ?? null) : null;
}

/**
 * The orders that a shipment can mean: by the marketplace's id, else by its pack, else by its tags,
 * else by the seller's own reference, which may be that of a guide.
 */
export function ordersMeant(reported: Reported, bearers: readonly Bearer[]): OrderIdentity[] {
  const { relations, orderReference } = reported;
  const steps = [
    relations.flatMap((one) => meant(bearers, one.orderId, ['order'], one.channel)),
    relations.flatMap((one) => meant(bearers, one.packId, ['pack', 'order'], one.channel)),
    relations.flatMap((one) =>
      one.tags.flatMap((tag) => meant(bearers, tag, ['order', 'pack', 'tag'], one.channel)),
    ),
    meant(bearers, orderReference, ['order', 'guide'], null),
  ];
  const first = steps.find((orders) => orders.length > 0) ?? [];
  return [...new Map(first.map((order) => [orderKey(order), order])).values()];
}

function meant(
  bearers: readonly Bearer[],
  value: string | null,
  kinds: readonly Bearer['kind'][],
  channel: string | null,
): OrderIdentity[] {
  const marketplace = marketplaceOf(channel);
  return bearers
    .filter((bearer) => bearer.value === value && kinds.includes(bearer.kind))
    .filter(({ order }) => marketplace === null || order.marketplace === marketplace)
    .map(({ order }) => order);
}

/** A channel in the carrier's spelling, such as `MercadoLibre`; null = an unknown one. */
function marketplaceOf(channel: string | null): Marketplace | null {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const wanted = plain(channel ?? '');
  return MARKETPLACES.find((slug) => plain(slug) === wanted) ?? null;
}

async function annotateOrders(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
  listeners: readonly OrderListener[],
): Promise<void> {
  const distinct = [...new Map(orders.map((order) => [orderKey(order), order])).values()];
  if (distinct.length === 0) return;
  const parcels = Map.groupBy(await store.shipmentsOf(scope, distinct), ({ order }) =>
    keyOrNone(order),
  );
  const given = distinct.map((order) => {
    const parcel = deliveryOf(parcels.get(orderKey(order)) ?? []);
    return { order, annotation: { shipping: parcel && shippingOf(parcel) } };
  });
  await annotate(scope, given, listeners);
}

function shippingOf(parcel: Shipment): SourceShipping {
  return {
    carrier: parcel.finalCarrier ?? serviceName(parcel.carrier),
    trackingNumber: parcel.trackingNumber,
    method: parcel.serviceType,
    status: parcel.category,
    shippedAt: parcel.pickedUpAt,
    deliveredAt: parcel.deliveredAt,
  };
}

function keyOrNone(order: OrderIdentity | null): string | null {
  return order && orderKey(order);
}

export function shipmentKeyOf({ carrier, accountId, id }: ShipmentIdentity): string {
  return `${carrier}\n${accountId}\n${id}`;
}
