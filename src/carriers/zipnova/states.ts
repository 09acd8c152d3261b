import { inTable } from '../../platform/word-table.ts';
import type { ShipmentCategory } from '../contract.ts';

interface State {
  readonly category: ShipmentCategory;
  /** No further change is expected, though a lost parcel may still be delivered. */
  readonly isFinal?: true;
  readonly isDamaged?: true;
}

/** All 29 states that Zipnova documents, in its own order. */
const STATES: Readonly<Record<string, State>> = {
  new: { category: 'PREPARACION' },
  documentation_ready: { category: 'PREPARACION' },
  ready_to_ship: { category: 'PREPARACION' },
  cancelled: { category: 'CANCELADO', isFinal: true },
  expired: { category: 'CANCELADO', isFinal: true },
  // It continues as another shipment with the same reference.
  reshipped: { category: 'CANCELADO', isFinal: true },
  shipped: { category: 'EN_TRANSITO' },
  in_transit_to_crossdock: { category: 'EN_TRANSITO' },
  admitted: { category: 'EN_TRANSITO' },
  xd_pending: { category: 'EN_TRANSITO' },
  crossdock: { category: 'EN_TRANSITO' },
  in_transit_to_carrier: { category: 'EN_TRANSITO' },
  received_by_carrier: { category: 'EN_TRANSITO' },
  in_transit: { category: 'EN_TRANSITO' },
  out_for_delivery: { category: 'EN_TRANSITO' },
  available_for_pickup: { category: 'EN_TRANSITO' },
  delivery_attempt: { category: 'INCIDENCIA' },
  not_delivered: { category: 'INCIDENCIA' },
  delivered: { category: 'ENTREGADO', isFinal: true },
  delivered_with_damage: { category: 'ENTREGADO', isFinal: true, isDamaged: true },
  rejected: { category: 'DEVOLUCION' },
  in_carrier_ready_to_return: { category: 'DEVOLUCION' },
  generated_return: { category: 'DEVOLUCION', isFinal: true },
  return_xd_pending: { category: 'DEVOLUCION' },
  on_hold_crossdock: { category: 'DEVOLUCION' },
  in_transit_to_seller: { category: 'DEVOLUCION' },
  returned_to_seller: { category: 'DEVOLUCION', isFinal: true },
  lost_in_carrier: { category: 'SINIESTRADO', isFinal: true },
  lost: { category: 'SINIESTRADO', isFinal: true },
};

/** After one of these, transport to the crossdock is the return. */
const FAILURES: readonly string[] = ['not_delivered', 'rejected', 'in_carrier_ready_to_return'];

/** The first state of a parcel that Zipnova makes to return undeliverable goods. */
const SENT_BACK = 'return_xd_pending';

/** Whether a history is that of a parcel made for a return: it was never in transit to a buyer. */
export function beganAsReturn(codes: readonly string[]): boolean {
  const sentBackAt = codes.indexOf(SENT_BACK);
  if (sentBackAt === -1) return false;
  return codes.slice(0, sentBackAt).every((code) => stateOf(code)?.category === 'PREPARACION');
}

export function stateOf(code: string): State | null {
  return inTable(STATES, code) ?? null;
}

/** The category of a state, given the state before it; null = an undocumented state. */
export function categoryOf(code: string, before: readonly string[]): ShipmentCategory | null {
  const isWayBack =
    code === 'in_transit_to_crossdock' && before.some((earlier) => FAILURES.includes(earlier));
  return isWayBack ? 'DEVOLUCION' : (stateOf(code)?.category ?? null);
}
