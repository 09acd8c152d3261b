/**
 * Fulfillment orders: where dated versions of the API report a parcel, its price for the buyer
 * included.
 */
import { dice } from '../dice.ts';
import { decimal, type Order, placedAt, reachedAt, type State } from '../order.ts';
import { carrierCost, shippingCost } from './facts.ts';

/** The newest first. */
const STATUSES: readonly (readonly [State, string])[] = [
  ['cancelled', 'CANCELLED'],
  ['delivered', 'DELIVERED'],
  ['shipped', 'DISPATCHED'],
  ['packed', 'PACKED'],
];

export function parcelId(order: Order): string {
  return `01${dice('tiendanube parcel', order.id).whole(1e15, 9e15).toString(32).toUpperCase()}`;
}

export function parcelDocument(order: Order, now: number) {
  const money = (cents: number) => ({ value: Number(decimal(cents)), currency: 'MXN' });
  const shipped = reachedAt(order, 'shipped', now);
  const [, status = 'UNPACKED'] =
    STATUSES.find(([state]) => reachedAt(order, state, now) !== null) ?? [];
  return {
    id: parcelId(order),
    number: '1',
    total_quantity: order.lines.reduce((sum, { quantity }) => sum + quantity, 0),
    total_weight: 0.5,
    total_price: { value: Number(order.total), currency: 'MXN' },
    line_items: order.lines.map((line, index) => ({
      id: String(index + 1),
      quantity: line.quantity,
      order_line_item_id: String(Number(order.id) * 10 + index),
    })),
    recipient: {
      name: `${order.buyer.firstName} ${order.buyer.lastName}`,
      phone: order.buyer.phone,
    },
    shipping: {
      type: 'ship',
      carrier: { name: 'estafeta', id: '12345' },
      option: { name: 'Estafeta terrestre', code: 'ground', reference: null },
      merchant_cost: money(carrierCost(order)),
      consumer_cost: money(shippingCost(order)),
      min_delivery_date: null,
      max_delivery_date: null,
      pickup_details: null,
    },
    status,
    tracking_info: { url: null, code: shipped === null ? null : order.tracking },
    fulfilled_at: shipped === null ? null : utc(shipped),
    created_at: utc(placedAt(order)),
    updated_at: utc(shipped ?? placedAt(order)),
  };
}

/** `2026-11-16T18:00:00+00:00`. */
function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+00:00`;
}
