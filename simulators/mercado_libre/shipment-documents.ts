/** A shipment in Mercado Libre's documents, new shape and old. */
import { dice } from '../dice.ts';
import { rawNumber } from '../exact-json.ts';
import { cents, decimal, type Order, type State } from '../order.ts';
import {
  buyerId,
  cancellation,
  forwardId,
  itemId,
  nameOf,
  returnExists,
  shipmentExists,
  time,
  userProductId,
  type View,
  variationId,
  zoneOf,
} from './facts.ts';
import { type Direction, type Seller, shipmentId } from './shop.ts';

const SHIPMENT_STEPS: readonly State[] = ['paid', 'packed', 'shipped', 'delivered', 'cancelled'];
const RETURN_STEPS: readonly State[] = ['returning', 'returned'];

const SHIPPING_LIST_COST = 99;

/** A return comes first in the list, so that whoever takes the first is wrong. */
export function shipmentList(order: Order, seller: Seller, view: View) {
  const back = { id: rawNumber(shipmentId(order, seller, 'return')), type: 'return' };
  const there = { id: rawNumber(forwardId(order, seller)), type: 'forward' };
  return [...(returnExists(order, view) ? [back] : []), ...(shipmentExists(order, view) ? [there] : [])];
}

/** With `x-format-new: true`. */
export function shipmentDocument(order: Order, type: Direction, seller: Seller, view: View) {
  const { steps, status, substatus, cart, zone } = shipmentState(order, type, seller, view);
  const value = cart.reduce((sum, one) => sum + cents(one.total), 0);
  const { address } = order.buyer;
  const shop = { sender_id: seller.id, type: 'selling_address' };
  const home = {
    receiver_id: buyerId(order),
    receiver_name: nameOf(order),
    type: 'buying_address',
    shipping_address: {
      zip_code: address.zip,
      city: { name: address.city },
      state: { id: address.stateCode, name: address.state },
      country: { id: 'MX', name: 'Mexico' },
    },
  };
  return {
    id: rawNumber(shipmentId(order, seller, type)),
    external_reference: null,
    status,
    substatus,
    date_created: time(steps[0]?.at ?? 0, zone),
    last_updated: time(steps.at(-1)?.at ?? 0, zone),
    tracking_number: trackingOf(order, type, status),
    tracking_method: 'MEL Distribution',
    declared_value: Number(decimal(value)),
    logistic: { mode: 'me2', type: logisticType(order), direction: type },
    origin: shop,
    destination: home,
    lead_time: {
      cost: 0,
      cost_type: 'free',
      list_cost: SHIPPING_LIST_COST,
      currency_id: 'MXN',
      option_id: 1,
      service_id: 1,
    },
    source: { site_id: 'MLM', market_place: 'MELI' },
    tags: [],
  };
}

/** Without that header: the old, flat shape. */
export function oldShipmentDocument(order: Order, type: Direction, seller: Seller, view: View) {
  const { steps, status, substatus, cart, zone } = shipmentState(order, type, seller, view);
  const { address } = order.buyer;
  return {
    id: rawNumber(shipmentId(order, seller, type)),
    order_id: rawNumber(order.id),
    status,
    substatus,
    type,
    mode: 'me2',
    logistic_type: logisticType(order),
    tracking_number: trackingOf(order, type, status),
    sender_id: seller.id,
    receiver_id: buyerId(order),
    receiver_address: {
      receiver_name: nameOf(order),
      zip_code: address.zip,
      city: { name: address.city },
      state: { id: address.stateCode, name: address.state },
      country: { id: 'MX', name: 'Mexico' },
    },
    site_id: 'MLM',
    market_place: 'MELI',
    order_cost: Number(decimal(cart.reduce((sum, one) => sum + cents(one.total), 0))),
    base_cost: SHIPPING_LIST_COST,
    date_created: time(steps[0]?.at ?? 0, zone),
    last_updated: time(steps.at(-1)?.at ?? 0, zone),
    shipping_items: cart.flatMap((one) =>
      one.lines.map((line) => ({
        id: itemId(line.product.sku),
        description: line.title,
        quantity: line.quantity,
        user_product_id: userProductId(line.sku),
        sender_id: seller.id,
      })),
    ),
    shipping_option: {
      id: 1,
      name: 'Estándar a domicilio',
      cost: 0,
      list_cost: SHIPPING_LIST_COST,
      currency_id: 'MXN',
      delivery_type: 'estimated',
    },
  };
}

/** What travels in it, line by line, each with the order that it belongs to. */
export function shipmentItems(order: Order, type: Direction, seller: Seller, view: View) {
  const travelling = (type === 'return' ? [order] : seller.world.cartOf(order)).filter((one) =>
    shipmentExists(one, view),
  );
  return travelling.flatMap((one) =>
    one.lines.map((line) => ({
      item_id: itemId(line.product.sku),
      user_product_id: userProductId(line.sku),
      variation_id: line.variant ? variationId(line.variant.sku) : null,
      description: line.title,
      quantity: line.quantity,
      dimensions: null,
      order_id: rawNumber(one.id),
      sender_id: seller.id,
    })),
  );
}

/** The cost belongs to the shipment, so to the whole pack. */
export function costsDocument(order: Order, seller: Seller) {
  return {
    gross_amount: SHIPPING_LIST_COST,
    receiver: { user_id: buyerId(order), cost: 0, compensation: 0, save: SHIPPING_LIST_COST, discounts: [] },
    senders: [{ user_id: seller.id, cost: 49.5, compensation: 0, save: 49.5, discounts: [] }],
  };
}

const LOGISTICS = ['cross_docking', 'drop_off', 'xd_drop_off', 'self_service'] as const;

function logisticType(order: Order): string {
  return order.lines[0]?.product.keptByMarketplace
    ? 'fulfillment'
    : dice('logistic', order.cart).pick(LOGISTICS);
}

/** [status, substatus] */
const FORWARD: Partial<Record<State, readonly [string, string | null]>> = {
  paid: ['handling', 'waiting_for_label_generation'],
  packed: ['ready_to_ship', 'ready_to_print'],
  shipped: ['shipped', 'out_for_delivery'],
  delivered: ['delivered', null],
  cancelled: ['cancelled', null],
};

const RETURN: Partial<Record<State, readonly [string, string | null]>> = {
  returning: ['shipped', null],
  returned: ['delivered', null],
};

/** A pack travels together: its shipment shows the first of its orders that is still alive. */
function shipmentState(order: Order, type: Direction, seller: Seller, view: View) {
  const now = view.now();
  const cart = type === 'return' ? [order] : seller.world.cartOf(order);
  const leader = cart.find((one) => !cancellation(one, now) && shipmentExists(one, view)) ?? order;
  const [table, states] = type === 'return' ? [RETURN, RETURN_STEPS] : [FORWARD, SHIPMENT_STEPS];
  const steps = leader.steps.filter(({ state, at }) => at <= now && states.includes(state));
  const [status, substatus] = table[steps.at(-1)?.state ?? 'paid'] ?? ['pending', null];
  return { steps, status, substatus, cart, zone: zoneOf(order) };
}

function trackingOf(order: Order, type: Direction, status: string): string | null {
  if (type === 'return') return `${order.tracking}R`;
  return ['handling', 'cancelled'].includes(status) ? null : order.tracking;
}
