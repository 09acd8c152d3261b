import { CARRIERS, SHIPMENT_CATEGORIES } from '../../carriers/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import { type ReadScope, together } from '../../platform/db/database.ts';
import { choice, choices, type GivenBy, instant, wording } from '../../platform/input-fields.ts';
import { epochMicros } from '../../platform/time.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import { type OrderIdentity, ordersNamed } from '../orders/index.ts';
import type { ShownShipment } from './fields.ts';
import type { Shipment, ShipmentIdentity } from './shipment.ts';
import { eventsOf } from './store-history.ts';
import { type NamedOrder, pageOfShipments, type ShipmentPosition } from './store-page.ts';
import { guideReferencesOf, shipmentsNaming, shipmentsOf } from './store-relations.ts';

export const SHIPMENT_FILTERS = {
  carrier: choice(CARRIERS, 'Solo de esta paquetería.', CARRIERS[0]),
  category: choices(SHIPMENT_CATEGORIES, 'Solo en estas categorías.', ['EN_TRANSITO']),
  tracking_number: wording(
    'Exactamente este número de rastreo o de guía.',
    '6055900600123456789012',
  ),
  order_id: wording('Los de la orden con este identificador.', '2000009876543210'),
  from: instant('Creados en este instante o después.', '2026-11-01T00:00:00Z'),
  to: instant('Creados en este instante o antes.', '2026-11-30T23:59:59Z'),
};
type ShipmentFilters = GivenBy<typeof SHIPMENT_FILTERS>;

export interface ShipmentQuery extends ShipmentFilters, PageQuery {
  /** False: the histories are not read. */
  readonly withEvents: boolean;
}

interface ShipmentPage {
  readonly shipments: readonly ShownShipment[];
  readonly nextCursor: string | null;
}

/**
 * Newest first, each with its history on request, the oldest event first.
 * @throws Failure invalid_cursor
 */
export async function listShipments(
  scope: ReadScope,
  cursors: CursorMaker,
  { withEvents, ...query }: ShipmentQuery,
): Promise<ShipmentPage> {
  const { rows, nextCursor } = await readPage(
    WALK,
    scope,
    cursors,
    query,
    async ({ carrier, category, trackingNumber, orderId, from, to, after, limit, ...unread }) => {
      // A filter without a condition does not compile.
      unread satisfies Readonly<Record<string, never>>;
      return pageOfShipments(scope, {
        carriers: carrier === null ? CARRIERS : [carrier],
        categories: category.length === 0 ? SHIPMENT_CATEGORIES : category,
        isWhole: carrier === null && category.length === 0,
        order: orderId === null ? null : await namedOrder(scope, orderId),
        trackingNumber,
        from,
        to,
        after,
        limit,
      });
    },
  );
  return { shipments: await historiesOf(scope, withEvents ? rows : [], rows), nextCursor };
}

/**
 * The shipments that carry an order, newest first, each with its history: those linked to it, and
 * those of its guides, which a pack shares.
 */
export async function listShipmentsOfOrder(
  scope: ReadScope,
  order: OrderIdentity,
  limit: number,
): Promise<ShownShipment[]> {
  const references = await guideReferencesOf(scope, order);
  const [linked, named] = await together([
    shipmentsOf(scope, [order]),
    shipmentsNaming(scope, references),
  ] as const);
  const guided = named.filter(
    ({ orderReference }) => orderReference !== null && references.includes(orderReference),
  );
  const byKey = new Map([...linked, ...guided].map((one) => [keyOf(one), one]));
  const newest = [...byKey.values()]
    .toSorted((one, other) => Temporal.Instant.compare(other.createdAt, one.createdAt))
    .slice(0, limit);
  return historiesOf(scope, newest, newest);
}

/** An order's id, and the references of the guides of the orders that have it. */
async function namedOrder(scope: ReadScope, id: string): Promise<NamedOrder> {
  const orders = await ordersNamed(scope, [id]);
  const guides = await Promise.all(orders.map((order) => guideReferencesOf(scope, order)));
  return { id, guides: guides.flat() };
}

const WALK: RowWalk<ShipmentFilters, Shipment, ShipmentPosition> = {
  kind: 'shipments',
  instants: { from: true, to: true },
  positionOf: ({ createdAt, carrier, accountId, id }) => [
    epochMicros(createdAt),
    carrier,
    accountId,
    id,
  ],
};

/** @param reported the shipments whose history is read */
async function historiesOf(
  scope: ReadScope,
  reported: readonly Shipment[],
  shipments: readonly Shipment[],
): Promise<ShownShipment[]> {
  const events = Map.groupBy(await eventsOf(scope, reported), ({ of }) => keyOf(of));
  return shipments.map((shipment) => ({ ...shipment, events: events.get(keyOf(shipment)) ?? [] }));
}

function keyOf({ carrier, accountId, id }: ShipmentIdentity): string {
  return JSON.stringify([carrier, accountId, id]);
}
