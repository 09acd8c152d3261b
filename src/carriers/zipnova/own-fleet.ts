import type { z } from 'zod';
import { MARKETPLACES } from '../../connectors/contract.ts';
import { walkAll } from '../../connectors/lists.ts';
import { parseLossless } from '../../platform/json.ts';
import type { LiveShipment, OwnFleetApi } from '../contract.ts';
import { listed, type ZipnovaCall } from './shipments.ts';
import { stateOf } from './states.ts';
import { isReturnParcel, Row, reasonsOf, Shipment } from './wire.ts';

const IN_TRANSIT = 'in_transit';
/**
 * States before a parcel of our own fleet is in transit; any other state, except in transit, is
 * after it.
 */
const BEFORE: readonly string[] = [
  'new',
  'documentation_ready',
  'ready_to_ship',
  'shipped',
  'in_transit_to_carrier',
  'received_by_carrier',
];
/** Pages of shipments of one order. */
const MOST_PAGES = 5;
/**
 * 400 is documented; 422 is the answer of the framework behind the API when it validates a form
 * itself.
 */
const REFUSALS: readonly number[] = [400, 422];

/** Parcels of «Flota Propia», with states that the seller sets. */
export function openOwnFleet(call: ZipnovaCall): OwnFleetApi {
  return {
    find: (order) => findShipments(call, order),
    read: (id) => readLive(call, id),
    async setInTransit(id) {
      const path = `${pathOf(id)}/tracking`;
      const body = { json: { status: IN_TRANSIT } };
      const answer = await call.request({
        method: 'POST',
        path,
        body,
        once: true,
        expect: REFUSALS,
      });
      return REFUSALS.includes(answer.status)
        ? { ok: false, reasons: reasonsOf(answer.body) }
        : { ok: true };
    },
  };
}

/**
 * Another channel may have an order of the same number: where the relation gives a channel, it must
 * be ours.
 */
async function findShipments(
  call: ZipnovaCall,
  { marketplace, orderId }: Parameters<OwnFleetApi['find']>[0],
): Promise<string[]> {
  const { account_id } = call.credentials;
  const ask = (page: number) => listed(call, '/shipments', { account_id, order_id: orderId, page });
  const ids = (await walkAll(call, 1, ask, MOST_PAGES)).map((row) => Row.parse(row).id);
  const details = await Promise.all(ids.map((id) => readDetail(call, id)));
  return details.flatMap((detail) =>
    detail && isOf(detail, marketplace, orderId) ? [detail.id] : [],
  );
}

function isOf(shipment: z.infer<typeof Shipment>, marketplace: string, orderId: string): boolean {
  const { channel_relations: relations, status } = shipment;
  // A cancelled or replaced shipment, or a return, does not take the order to its buyer.
  if (stateOf(status)?.category === 'CANCELADO' || isReturnParcel(shipment, [])) return false;
  const named = relations.filter(({ order_id }) => order_id === orderId);
  return named.length === 0 || named.some(({ channel }) => !isForeign(channel, marketplace));
}

/** `MercadoLibre` and `mercado_libre` are one; an unknown channel is not foreign. */
function isForeign(channel: string | null, marketplace: string): boolean {
  const name = lettersOf(channel ?? '');
  return MARKETPLACES.some((slug) => lettersOf(slug) === name && slug !== marketplace);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

async function readLive(call: ZipnovaCall, id: string): Promise<LiveShipment | null> {
  const detail = await readDetail(call, id);
  if (!detail) return null;
  const { status, logistic_type, carrier } = detail;
  const isFinal = stateOf(status)?.isFinal ?? false;
  return {
    id: detail.id,
    carrierStatus: status,
    isFinal,
    isOwnFleet: /own/i.test(logistic_type ?? '') || /flota propia/i.test(carrier?.name ?? ''),
    progress: status === IN_TRANSIT ? 'there' : BEFORE.includes(status) ? 'before' : 'past',
  };
}

async function readDetail(call: ZipnovaCall, id: string): Promise<z.infer<typeof Shipment> | null> {
  const answer = await call.request({ method: 'GET', path: pathOf(id), expect: [404] });
  return answer.status === 404 ? null : Shipment.parse(parseLossless(answer.body));
}

function pathOf(id: string): string {
  return `/shipments/${encodeURIComponent(id)}`;
}
