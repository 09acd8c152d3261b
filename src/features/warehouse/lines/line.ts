import {
  MARKETPLACE_SHIPS,
  type Marketplace,
  type OrderStatus,
} from '../../../connectors/contract.ts';
import { fail } from '../../../platform/failure.ts';
import type { Instant } from '../../../platform/time.ts';
import type { Address } from '../address.ts';

/**
 * `staged`: waits in preparation. `held`: its orders are not ready just now. `in_transit`: «En
 * camino», still in preparation. `transferred`: left preparation. `shipped_elsewhere`: its orders
 * left without us, or the marketplace ships them.
 */
export const LINE_STATES = [
  'staged',
  'held',
  'in_transit',
  'transferred',
  'cancelled',
  'shipped_elsewhere',
] as const;
export type LineState = (typeof LINE_STATES)[number];

/** As users read them. */
export const STATE_NAMES: Readonly<Record<LineState, string>> = {
  staged: 'En preparación',
  held: 'En espera',
  in_transit: 'En camino',
  transferred: 'Transferida a envíos',
  cancelled: 'Cancelada',
  shipped_elsewhere: 'Enviada por otro medio',
};

export const LINE_ACTIONS = [
  'edit',
  'remove_tracking',
  'generate_guide',
  'cancel_guide',
  'set_in_transit',
  'transfer',
  'undo_transfer',
] as const;
export type LineAction = (typeof LINE_ACTIONS)[number];

/** The actions of people on a line, and the states that they lead to; any other is refused. */
const MOVES: Readonly<Record<LineAction, Readonly<Partial<Record<LineState, LineState>>>>> = {
  edit: {
    staged: 'staged',
    held: 'held',
    in_transit: 'in_transit',
    shipped_elsewhere: 'shipped_elsewhere',
  },
  remove_tracking: {
    staged: 'staged',
    held: 'held',
    in_transit: 'in_transit',
    cancelled: 'cancelled',
  },
  generate_guide: { staged: 'staged', in_transit: 'in_transit' },
  cancel_guide: {
    staged: 'staged',
    held: 'held',
    in_transit: 'in_transit',
    cancelled: 'cancelled',
    shipped_elsewhere: 'shipped_elsewhere',
  },
  set_in_transit: { staged: 'in_transit' },
  transfer: { staged: 'transferred', in_transit: 'transferred' },
  undo_transfer: { transferred: 'staged' },
};

/** A pre-shipping line: one parcel, of one order or of the orders of one pack. */
export interface Line {
  readonly id: string;
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly packId: string | null;
  readonly state: LineState;
  readonly packages: number;
  /** Null = not given yet: orders hold no address. */
  readonly destination: Address | null;
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly guideNumber: string | null;
  readonly trackingSource: 'guide' | 'manual' | null;
  /** The carrier's shipment that was set in transit. */
  readonly carrierShipmentId: string | null;
  readonly stagedAt: Instant;
  readonly inTransitAt: Instant | null;
  readonly transferredAt: Instant | null;
  /** No label of it is stored again. */
  readonly isBuyerForgotten: boolean;
  readonly orders: readonly LineOrder[];
}

export interface LineOrder {
  readonly id: string;
  readonly status: OrderStatus;
  readonly items: readonly LineItem[];
  readonly tags: readonly string[];
}

export interface LineItem {
  readonly id: string | null;
  readonly sku: string | null;
  readonly title: string;
  readonly quantity: number;
}

/** @throws Failure transition_not_allowed */
export function moved(line: Pick<Line, 'id' | 'state'>, action: LineAction): LineState {
  const next = MOVES[action][line.state];
  if (next === undefined)
    throw fail('transition_not_allowed', {
      message: `${whyNot(line.state)} Por eso no se puede hacer esto.`,
      details: { line_id: line.id, state: line.state, action },
    });
  return next;
}

export function mayMove(state: LineState, action: LineAction): boolean {
  return MOVES[action][state] !== undefined;
}

export function whyNot(state: LineState): string {
  return `La línea está en el estado «${STATE_NAMES[state]}».`;
}

const READY: ReadonlySet<OrderStatus> = new Set(['paid', 'ready_to_ship']);
const GONE: ReadonlySet<OrderStatus> = new Set(['cancelled', 'refunded', 'returned']);
const SENT: ReadonlySet<OrderStatus> = new Set(['shipped', 'delivered']);

export function isReady(status: OrderStatus): boolean {
  return READY.has(status);
}

type Wish = Pick<LineOrder, 'status' | 'tags'>;

function isValid({ status }: Wish): boolean {
  return !GONE.has(status);
}

/** Whether an order still needs its goods from us. */
export function isWanted(order: Wish): boolean {
  return isValid(order) && !order.tags.includes(MARKETPLACE_SHIPS);
}

/** Orders of a line that still need their goods from us. */
export function wanted<O extends Wish>(orders: readonly O[]): O[] {
  return orders.filter(isWanted);
}

type Standing = Pick<Line, 'state' | 'orders' | 'trackingNumber' | 'inTransitAt'>;

/**
 * The state of a line after its orders or its number changed. A line that left preparation keeps
 * its state; one in transit changes only by cancellation. An order that the marketplace calls
 * shipped was shipped by us where we have its tracking number.
 */
export function stateOf({ state, orders, trackingNumber, inTransitAt }: Standing): LineState {
  const open = wanted(orders);
  if (state === 'transferred') return state;
  if (!orders.some(isValid)) return 'cancelled';
  if (inTransitAt !== null) return 'in_transit';
  if (open.length > 0 && open.every(({ status }) => READY.has(status))) return 'staged';
  if (!open.every(({ status }) => SENT.has(status))) return 'held';
  return trackingNumber === null ? 'shipped_elsewhere' : 'staged';
}
