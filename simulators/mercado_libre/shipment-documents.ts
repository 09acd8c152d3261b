/** A shipment in Mercado Libre's documents, new shape and old. */
import { dice } from '../dice.ts';
import { rawNumber } from '../exact-json.ts';
import { cents, decimal, type Order, type State, type Step } from '../order.ts';
import {
  buyerId,
  cancellation,
  forwardId,
  itemId,
  laterExists,
  nameOf,
  shipmentExists,
  shippingCost,
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

/**
 * Only `list_all` lists what came after the first parcel; it comes first, so that code which takes the
 * first is wrong.
 */
export function shipmentList(
  order: Order,
  seller: Seller,
  view: View,
  { isAll }: { isAll: boolean },
) {
  const later = (['return_to_buyer', 'return'] as const)
    .filter((type) => isAll && laterExists(order, type, view))
    .map((type) => ({ id: rawNumber(shipmentId(order, seller, type)), type }));
  const there = { id: rawNumber(forwardId(order, seller)), type: 'forward' };
  return [...later, ...(shipmentExists(order, view) ? [there] : [])];
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
      cost: costOf(order, type, seller),
      cost_type: costOf(order, type, seller) > 0 ? 'charged' : 'free',
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
    status_history: {
      date_shipped: timeOf('shipped', steps, zone),
      date_delivered: timeOf('delivered', steps, zone),
    },
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
      cost: costOf(order, type, seller),
      list_cost: SHIPPING_LIST_COST,
      currency_id: 'MXN',
      delivery_type: 'estimated',
    },
  };
}

/** What travels in it, line by line, each with the order that it belongs to. */
export function shipmentItems(order: Order, type: Direction, seller: Seller, view: View) {
  const travelling = (type === 'forward' ? seller.world.cartOf(order) : [order]).filter((one) =>
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
    receiver: {
      user_id: buyerId(order),
      cost: costOf(order, 'forward', seller),
      compensation: 0,
      save: SHIPPING_LIST_COST,
      discounts: [],
    },
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
  const cart = type === 'forward' ? seller.world.cartOf(order) : [order];
  const leader = cart.find((one) => !cancellation(one, now) && shipmentExists(one, view)) ?? order;
  const table = type === 'return' ? RETURN : FORWARD;
  const steps = stepsOf(leader, type, view).filter(({ at }) => at <= now);
  const [status, substatus] = table[steps.at(-1)?.state ?? 'paid'] ?? ['pending', null];
  return { steps, status, substatus, cart, zone: zoneOf(order) };
}

function stepsOf(leader: Order, type: Direction, { switches }: View): readonly Step[] {
  if (type === 'return_to_buyer') return switches.sentAgain.get(leader.id) ?? [];
  const states = type === 'return' ? RETURN_STEPS : SHIPMENT_STEPS;
  return leader.steps.filter(({ state }) => states.includes(state));
}

/** What the buyer pays: for the way there alone. */
function costOf(order: Order, type: Direction, seller: Seller): number {
  return type === 'forward' ? Number(decimal(shippingCost(order, seller))) : 0;
}

function timeOf(state: State, steps: readonly Step[], zone: number): string | null {
  const step = steps.find((one) => one.state === state);
  return step ? time(step.at, zone) : null;
}

function trackingOf(order: Order, type: Direction, status: string): string | null {
  if (type !== 'forward') return `${order.tracking}${type === 'return' ? 'R' : 'B'}`;
  return ['handling', 'cancelled'].includes(status) ? null : order.tracking;
}
