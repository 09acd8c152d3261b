/**
 * Orders, returns and cancellations as documents: one entry a piece, seconds, absent fields, stray
 * newlines.
 */
import { dice } from '../dice.ts';
import {
  cents,
  decimal,
  type Order,
  placedAt,
  reachedAt,
  type State,
  type Step,
  stateAt,
} from '../order.ts';
import { moneyOf, type Piece, sumOf } from './facts.ts';
import {
  type CancelledPiece,
  type Document,
  longId,
  orderId,
  present,
  productId,
  type Room,
  seconds,
  skuId,
} from './shop.ts';

type View = Pick<Room, 'now' | 'switches'>;

/**
 * What moves the order itself. What happens to the money or the goods afterwards is in a
 * return.
 */
const OWN_STEPS: readonly State[] = [
  'placed',
  'paid',
  'packed',
  'shipped',
  'delivered',
  'cancelled',
];

export function orderDocument(order: Order, view: View): Document {
  const now = view.now();
  const at = (state: State) => secondsOf(reachedAt(order, state, now));
  const isPacked = at('packed') !== undefined;
  return present({
    id: orderId(order),
    status: statusOf(order, now),
    create_time: seconds(placedAt(order)),
    update_time: updateTime(order, view),
    paid_time: at('paid'),
    rts_time: at('packed'),
    collection_time: at('shipped'),
    delivery_time: at('delivered'),
    cancel_time: at('cancelled'),
    buyer_email: `comprador${order.buyer.number}@chat.seller.tiktok.com\n`,
    commerce_platform: 'TIKTOK_SHOP',
    fulfillment_type: 'FULFILLMENT_BY_SELLER',
    shipping_type: 'TIKTOK',
    delivery_option_name: 'Envío estándar',
    is_cod: false,
    is_on_hold_order: false,
    is_sample_order: false,
    is_replacement_order: false,
    need_upload_invoice: 'NO_NEED\n',
    packages: isPacked ? [{ id: packageId(order) }] : [],
    shipping_provider: isPacked ? 'Mensajería Rápida' : undefined,
    tracking_number: isPacked ? order.tracking : undefined,
    payment: payment(order),
    payment_method_name: 'Tarjeta de crédito',
    recipient_address: recipient(order, view),
    line_items: moneyOf(order).pieces.map((piece, index) => lineItem(order, piece, index, view)),
    user_id: longId('7021', 'user', order.buyer.number),
    warehouse_id: '7054915283043170001',
  });
}

export function returnDocuments(order: Order, view: View): Document[] {
  const { now } = view;
  const past = order.steps.filter(({ at }) => at <= now());
  const partial = past.filter(({ state }) => state === 'partially_refunded');
  const partials = partial.map((step, index) =>
    returnDocument(order, {
      number: index,
      type: 'REFUND',
      amount: step.amount ?? '0',
      step,
      isOver: true,
    }),
  );
  const last = past.findLast(({ state }) => ['returning', 'returned', 'refunded'].includes(state));
  if (!last) return partials;
  const isBack = past.some(({ state }) => state === 'returning' || state === 'returned');
  const given = partial.reduce(
    (sum, step) => sum + cents(step.amount ?? '0'),
    sumOfCancelled(order, view),
  );
  const whole = returnDocument(order, {
    number: 9,
    type: isBack ? 'RETURN_AND_REFUND' : 'REFUND',
    amount: decimal(moneyOf(order).total - given),
    step: last,
    isOver: last.state !== 'returning',
  });
  return [...partials, whole];
}

export function cancellationDocuments(order: Order, view: View): Document[] {
  return [...cancelledPieces(order, view), ...cancelledOrder(order, view)];
}

/** A piece that was cancelled alone gives back what it cost. */
function cancelledPieces(order: Order, view: View): Document[] {
  return cancelledOf(order, view).map(({ index, at }) => {
    const refund_total = decimal(saleOf(order, index));
    return {
      cancel_id: longId('4035', 'cancel', order.id, index),
      order_id: orderId(order),
      cancel_status: 'CANCELLATION_REQUEST_COMPLETE',
      cancel_type: 'CANCEL',
      role: 'SELLER',
      create_time: seconds(at),
      update_time: seconds(at),
      refund_amount: { currency: 'MXN', refund_total },
      cancel_line_items: [{ order_line_item_id: lineId(order, index) }],
    };
  });
}

/** Gives back what was paid, and was not given back before. */
function cancelledOrder(order: Order, view: View): Document[] {
  const { now } = view;
  const step = order.steps.find(({ state, at }) => state === 'cancelled' && at <= now());
  if (!step) return [];
  const { pieces, total } = moneyOf(order);
  const isPaid = reachedAt(order, 'paid', now()) !== null;
  const given = order.steps
    .filter(({ state, at }) => state === 'partially_refunded' && at <= step.at)
    .reduce((sum, { amount }) => sum + cents(amount ?? '0'), sumOfCancelled(order, view));
  const isGivenBack = reachedAt(order, 'refunded', now()) !== null;
  return [
    present({
      cancel_id: longId('4035', 'cancel', order.id),
      order_id: orderId(order),
      cancel_status: 'CANCELLATION_REQUEST_COMPLETE',
      cancel_type: step.by === 'seller' ? 'CANCEL' : 'BUYER_CANCEL',
      role: step.by === 'seller' ? 'SELLER' : 'BUYER',
      create_time: seconds(step.at),
      update_time: seconds(step.at),
      refund_amount:
        isPaid && !isGivenBack
          ? { currency: 'MXN', refund_total: decimal(total - given) }
          : undefined,
      cancel_line_items: pieces.map((_, index) => ({ order_line_item_id: lineId(order, index) })),
    }),
  ];
}

interface Return {
  readonly number: number;
  readonly type: 'REFUND' | 'RETURN_AND_REFUND';
  readonly amount: string;
  readonly step: Step;
  readonly isOver: boolean;
}

function returnDocument(order: Order, { number, type, amount, step, isOver }: Return): Document {
  return {
    return_id: longId('4035', 'return', order.id, number),
    order_id: orderId(order),
    return_type: type,
    return_status: isOver ? 'RETURN_OR_REFUND_REQUEST_COMPLETE' : 'BUYER_SHIPPED_ITEM',
    role: 'BUYER',
    create_time: seconds(step.at),
    update_time: seconds(step.at),
    refund_amount: {
      currency: 'MXN',
      refund_shipping_fee: '0',
      refund_subtotal: amount,
      refund_tax: '0',
      refund_total: amount,
    },
    return_line_items: moneyOf(order).pieces.map((_, index) => ({
      order_line_item_id: lineId(order, index),
    })),
  };
}

export function statusOf(order: Order, now: number): string {
  const has = (state: State) => reachedAt(order, state, now) !== null;
  const chance = dice('status', order.id).chance(0.3);
  if (has('cancelled')) return 'CANCELLED';
  if (has('delivered')) return chance ? 'COMPLETED' : 'DELIVERED';
  if (has('shipped')) return 'IN_TRANSIT';
  if (has('packed')) return 'AWAITING_COLLECTION';
  if (has('paid')) return chance ? 'ON_HOLD' : 'AWAITING_SHIPMENT';
  return 'UNPAID';
}

function updateTime(order: Order, { now, switches }: View): number {
  const counts = ({ state, at }: Step) =>
    at <= now() && (switches.returnMovesOrder || OWN_STEPS.includes(state));
  const own = order.steps.findLast(counts)?.at ?? placedAt(order);
  return seconds(Math.max(own, ...cancelledOf(order, { now, switches }).map(({ at }) => at)));
}

/** Pieces that were cancelled one by one, by now. */
function cancelledOf(order: Order, { now, switches }: View): readonly CancelledPiece[] {
  return (switches.cancelledPieces.get(order.id) ?? []).filter(({ at }) => at <= now());
}

function sumOfCancelled(order: Order, view: View): number {
  return cancelledOf(order, view).reduce((sum, { index }) => sum + saleOf(order, index), 0);
}

function saleOf(order: Order, index: number): number {
  return moneyOf(order).pieces[index]?.sale ?? 0;
}

function payment(order: Order): Document {
  const { pieces, shipping, handling, total } = moneyOf(order);
  return present({
    currency: 'MXN',
    original_total_product_price: decimal(sumOf(pieces, 'list')),
    seller_discount: decimal(sumOf(pieces, 'sellerDiscount')),
    platform_discount: decimal(sumOf(pieces, 'platformDiscount')),
    sub_total: decimal(sumOf(pieces, 'sale')),
    original_shipping_fee: decimal(shipping.original),
    shipping_fee_seller_discount: decimal(shipping.sellerDiscount),
    shipping_fee_platform_discount: decimal(shipping.platformDiscount),
    shipping_fee: decimal(shipping.fee),
    handling_fee: handling > 0 ? decimal(handling) : undefined,
    tax: '0',
    total_amount: decimal(total),
  });
}

function recipient(order: Order, { now, switches }: View): Document {
  const { firstName, lastName, address } = order.buyer;
  const has = (state: State) => reachedAt(order, state, now()) !== null;
  const isMasked = { until_paid: !has('paid'), after_shipping: has('shipped'), always: true }[
    switches.masked
  ];
  const name = `${firstName} ${lastName}`;
  const newline = dice('newline', order.id).chance(0.2) ? '\n' : '';
  return {
    name: isMasked ? name.replace(/(?<=\p{L})\p{L}/gu, '*') : name + newline,
    phone_number: '(+52)55*****234',
    full_address: `${address.city}, ${address.state}, México`,
    postal_code: address.zip,
    region_code: 'MX',
  };
}

/** Three of the same are three entries. */
function lineItem(order: Order, piece: Piece, index: number, view: View): Document {
  const now = view.now();
  const { line } = piece;
  const isPacked = reachedAt(order, 'packed', now) !== null;
  const isCancelled = cancelledOf(order, view).some((one) => one.index === index);
  const state = stateAt(order, now);
  return present({
    id: lineId(order, index),
    product_id: productId(line.product.sku),
    product_name: line.title,
    sku_id: skuId(line.sku),
    sku_name: line.variant ? line.variant.value : undefined,
    seller_sku: line.sku,
    sku_type: 'NORMAL',
    is_gift: false,
    currency: 'MXN',
    original_price: line.listPrice,
    sale_price: decimal(piece.sale),
    seller_discount: decimal(piece.sellerDiscount),
    platform_discount: decimal(piece.platformDiscount),
    display_status: isCancelled ? 'CANCELLED' : statusOf(order, now),
    cancel_user: isCancelled ? 'SELLER' : undefined,
    package_id: isPacked ? `${packageId(order)}\n` : undefined,
    package_status: isPacked ? (state === 'packed' ? 'TO_FULFILL' : 'FULFILLING') : undefined,
    shipping_provider_name: isPacked ? 'Mensajería Rápida' : undefined,
    tracking_number: isPacked ? order.tracking : undefined,
  });
}

function lineId({ number }: Order, index: number): string {
  return `577${String(number).padStart(13, '0')}${String(index).padStart(3, '0')}`;
}

function packageId({ id }: Order): string {
  return longId('1152', 'package', id);
}

function secondsOf(at: number | null): number | undefined {
  return at === null ? undefined : seconds(at);
}
