/**
 * An order of the world in Mercado Libre's documents. Field for field in the documented order and
 * shape.
 */
import { dice } from '../dice.ts';
import { rawNumber } from '../exact-json.ts';
import { cents, decimal, type Line, type Order, placedAt, reachedAt } from '../order.ts';
import { billingId } from './billing.ts';
import {
  buyerId,
  cancellation,
  changedAt,
  closedAt,
  firstOfCart,
  forwardId,
  hasPack,
  indexedAt,
  isDiscounted,
  isPaidBack,
  itemId,
  orderStatus,
  shipmentExists,
  shippingCost,
  tagsOf,
  time,
  userProductId,
  type View,
  variationId,
  zoneOf,
} from './facts.ts';
import { packId, type Seller } from './shop.ts';

const FEE_SHARE = 0.13;
export function orderDocument(order: Order, seller: Seller, view: View) {
  const now = view.now();
  const zone = zoneOf(order);
  const first = order.lines[0] as Line;
  const closed = closedAt(order, now);
  return {
    id: rawNumber(order.id),
    date_created: time(placedAt(order), zone),
    date_closed: closed === null ? null : time(closed, zone),
    last_updated: time(changedAt(order, view), zone),
    expiration_date: time((closed ?? placedAt(order)) + 30 * 86_400_000, zone),
    manufacturing_ending_date: null,
    comment: null,
    pack_id: hasPack(order, seller) ? rawNumber(packId(firstOfCart(order, seller), seller)) : null,
    pickup_id: null,
    order_request: { return: null, change: null },
    fulfilled: null,
    mediations: [],
    total_amount: Number(order.total),
    paid_amount:
      reachedAt(order, 'paid', now) === null ? 0 : Number(decimal(paidOf(order, seller))),
    coupon: { id: couponId(order), amount: Number(order.coupon) },
    order_items: order.lines.map((line) => orderItem(order, line)),
    currency_id: 'MXN',
    payments: reachedAt(order, 'paid', now) === null ? [] : [payment(order, seller, view)],
    shipping: { id: shipmentExists(order, view) ? rawNumber(forwardId(order, seller)) : null },
    status: orderStatus(order, view),
    status_detail: null,
    tags: tagsOf(order, seller, view),
    feedback: { buyer: null, seller: null },
    context: {
      channel: 'marketplace',
      site: 'MLM',
      flows: first.product.keptByMarketplace ? ['fulfillment'] : [],
    },
    buyer: { id: buyerId(order), billing_info: { id: billingId(order) } },
    seller: { id: seller.id },
    taxes: { amount: null, currency_id: null, id: null },
    cancel_detail: cancelDetail(order, view, zone),
  };
}

/** In search results the order also has the time of the index, always in UTC. */
export function searchRow(order: Order, seller: Seller, view: View) {
  return {
    ...orderDocument(order, seller, view),
    date_last_updated: new Date(indexedAt(order, view)).toISOString(),
  };
}

/** HTTP 206: what is named in X-Content-Missing is there, but empty. */
export function withoutBuyerAndFeedback(document: ReturnType<typeof orderDocument>) {
  return { ...document, buyer: {}, feedback: {} };
}

export function packDocument(first: Order, seller: Seller, view: View) {
  const cart = seller.world.cartOf(first);
  const gone = cart.every((order) => orderStatus(order, view) === 'cancelled');
  return {
    id: rawNumber(hasPack(first, seller) ? packId(firstOfCart(first, seller), seller) : first.id),
    status: gone ? 'cancelled' : 'released',
    status_detail: null,
    date_created: packTime(placedAt(first)),
    last_updated: packTime(Math.max(...cart.map((order) => changedAt(order, view)))),
    family_pack_id: null,
    buyer: { id: buyerId(first) },
    shipment: shipmentExists(first, view) ? { id: rawNumber(forwardId(first, seller)) } : null,
    orders: cart.map((order) => ({ id: rawNumber(order.id) })),
  };
}

export function discountsDocument(order: Order) {
  const details = order.lines.filter(isDiscounted).map((line) => ({
    type: 'discount',
    supplier: { offer_id: `${itemId(line.product.sku)}-oferta`, funding_mode: 'sale_fee' },
    items: [
      {
        id: itemId(line.product.sku),
        quantity: line.quantity,
        amounts: { total: discountOf(line), seller: sellersPartOf(order, line) },
      },
    ],
  }));
  return { details };
}

/** Pack times have no colon in the offset. */
function packTime(at: number): string {
  return time(at, -4).replace(/:00$/, '00');
}

/** Of one piece. */
function discountOf(line: Line): number {
  return Number(decimal(cents(line.listPrice) - cents(line.unitPrice)));
}

/** The seller pays for some discounts, Mercado Libre for others, and both for some. */
function sellersPartOf(order: Order, line: Line): number {
  const share = dice('funding', order.id).pick([1, 1, 0.5, 0]);
  const each = cents(line.listPrice) - cents(line.unitPrice);
  return Number(decimal(Math.round(each * share)));
}

function couponId(order: Order): string | null {
  return cents(order.coupon) > 0 ? String(dice('coupon', order.id).whole(1e8, 9e8)) : null;
}

/** In cents: coupons are not paid by the buyer, and the shipping of a pack apart. */
function paidOf(order: Order, seller: Seller): number {
  const shipping = hasPack(order, seller) ? 0 : shippingCost(order, seller);
  return cents(order.total) - cents(order.coupon) + shipping;
}

function cancelDetail(order: Order, view: View, zone: number) {
  const step = cancellation(order, view.now());
  if (!step || orderStatus(order, view) !== 'cancelled') return null;
  return {
    group: step.by ?? 'buyer',
    code: step.by === 'seller' ? 'seller_out_of_stock' : 'buyer_regret',
    description:
      step.by === 'seller' ? 'El vendedor se quedó sin stock' : 'El comprador se arrepintió',
    requested_by: step.by ?? 'buyer',
    date: time(step.at, zone),
  };
}

/** Fields of a line's price before discounts: documents have the one, the other, or both. */
function listPriceOf(order: Order, line: Line) {
  const each = discountOf(line);
  const discounts =
    each > 0 ? [{ amounts: { full: each, seller: sellersPartOf(order, line) } }] : [];
  const full = { full_unit_price: Number(line.listPrice), full_unit_price_currency_id: 'MXN' };
  // A line total.
  const gross = { discounts, gross_price: Number(decimal(cents(line.listPrice) * line.quantity)) };
  return dice('prices', order.id).pick([
    { ...full, ...gross },
    { ...full, discounts: null },
    gross,
  ]);
}

function orderItem(order: Order, line: Line) {
  const { product, variant } = line;
  return {
    item: {
      id: itemId(product.sku),
      title: line.title,
      category_id: `MLM${dice('category', product.sku).whole(1_000, 9_999)}`,
      variation_id: variant ? variationId(variant.sku) : null,
      seller_custom_field: null,
      variation_attributes: variant
        ? [
            {
              id: variant.name.toUpperCase(),
              name: variant.name,
              value_id: null,
              value_name: variant.value,
            },
          ]
        : [],
      warranty: 'Garantía del vendedor: 30 días',
      condition: 'new',
      seller_sku: line.sku,
      user_product_id: userProductId(line.sku),
      global_price: null,
      net_weight: null,
    },
    quantity: line.quantity,
    requested_quantity: { value: line.quantity, measure: 'unit' },
    picked_quantity: null,
    unit_price: Number(line.unitPrice),
    ...listPriceOf(order, line),
    currency_id: 'MXN',
    manufacturing_days: null,
    // Per unit, unlike gross_price.
    sale_fee: Number(decimal(Math.round(cents(line.unitPrice) * FEE_SHARE))),
    listing_type_id: 'gold_special',
    stock: null,
    element_id: null,
  };
}

function payment(order: Order, seller: Seller, view: View) {
  const now = view.now();
  const zone = zoneOf(order);
  const paid = reachedAt(order, 'paid', now) as number;
  // What goes to the account leaves the payment as it was, with a tag.
  const paidBack = isPaidBack(order, view);
  const refunded = paidBack ? '0.00' : refundedAmount(order, now);
  const changed = Math.max(
    paid,
    reachedAt(order, 'partially_refunded', now) ?? 0,
    reachedAt(order, 'refunded', now) ?? 0,
    view.switches.paymentChangedAt.get(order.id) ?? 0,
    cancellation(order, now)?.at ?? 0,
  );
  const card = dice('payment', order.id).pick(PAYMENT_METHODS);
  return {
    id: paymentId(order),
    order_id: rawNumber(order.id),
    payer_id: buyerId(order),
    collector: { id: seller.id },
    card_id: null,
    site_id: 'MLM',
    reason: (order.lines[0] as Line).title,
    payment_method_id: card.method,
    currency_id: 'MXN',
    installments: 1,
    issuer_id: null,
    atm_transfer_reference: { company_id: null, transaction_id: null },
    coupon_id: couponId(order),
    activation_uri: null,
    operation_type: 'regular_payment',
    payment_type: card.type,
    available_actions: refunded === order.total ? [] : ['refund'],
    status: refunded === order.total ? 'refunded' : 'approved',
    status_code: null,
    status_detail:
      refunded === '0.00'
        ? 'accredited'
        : refunded === order.total
          ? 'refunded'
          : 'partially_refunded',
    transaction_amount: Number(order.total),
    transaction_amount_refunded: Number(refunded),
    taxes_amount: 0,
    // Computed in binary floats, and it shows (14.290000000000001).
    marketplace_fee: Number(order.total) * FEE_SHARE,
    shipping_cost: hasPack(order, seller) ? 0 : Number(decimal(shippingCost(order, seller))),
    coupon_amount: Number(order.coupon),
    overpaid_amount: 0,
    total_paid_amount: Number(decimal(paidOf(order, seller))),
    installment_amount: null,
    deferred_period: null,
    date_approved: time(paid, zone),
    authorization_code: null,
    transaction_order_id: null,
    date_created: time(paid, zone),
    date_last_modified: time(changed, zone),
    ...(paidBack && { tags: ['refund_account_money'] }),
  };
}

export function paymentId(order: Order): number {
  return 90_000_000_000 + (order.number % 9_000_000_000);
}

function refundedAmount(order: Order, now: number): string {
  if (reachedAt(order, 'refunded', now) !== null || cancellation(order, now)) return order.total;
  return (
    order.steps.find(({ state, at }) => state === 'partially_refunded' && at <= now)?.amount ??
    '0.00'
  );
}

const PAYMENT_METHODS = [
  { method: 'account_money', type: 'account_money' },
  { method: 'master', type: 'credit_card' },
  { method: 'debvisa', type: 'debit_card' },
  { method: 'oxxo', type: 'ticket' },
];
