/** An order of the world in Mirakl's document. Field for field in the documented shape. */
import { dice } from '../dice.ts';
import { cents, decimal, type Line, type Order, placedAt, reachedAt } from '../order.ts';
import {
  changedAt,
  chargesOf,
  commercialId,
  commissionOf,
  currencyOf,
  isFullyRefunded,
  isSentAhead,
  lineState,
  orderIdOf,
  orderState,
  pricesOf,
  seconds,
  totalOf,
  type View,
} from './facts.ts';

const CARRIERS = [
  { code: 'ESTAFETA', label: 'Estafeta' },
  { code: 'DHL', label: 'DHL' },
];

export function orderDocument(order: Order, view: View) {
  const now = view.now();
  const { shipping } = chargesOf(order);
  const state = orderState(order, view);
  const paid = reachedAt(order, 'paid', now);
  const isSent = reachedAt(order, 'shipped', now) !== null;
  const carrier = dice('mirakl carrier', order.id).pick(CARRIERS);
  return {
    acceptance_decision_date:
      state === 'REFUSED' ? seconds(changedAt(order, now)) : isoOrNull(paid),
    can_cancel: !isSent,
    can_shop_ship: state === 'SHIPPING',
    channel: null,
    commercial_id: commercialId(order),
    created_date: seconds(placedAt(order)),
    currency_iso_code: currencyOf(order, view),
    customer: customer(order, paid !== null),
    // With milliseconds, unlike the dates around it, and not there at all before the debit.
    ...(paid !== null && { customer_debited_date: new Date(paid).toISOString() }),
    customer_directly_pays_seller: false,
    delivery_date: null,
    fulfillment: { center: { code: 'DEFAULT' } },
    fully_refunded: isFullyRefunded(order, now),
    has_customer_message: false,
    has_incident: view.switches.incidents.has(orderIdOf(order)),
    has_invoice: hasInvoice(order, now),
    last_updated_date: seconds(changedAt(order, now)),
    leadtime_to_ship: 2,
    order_additional_fields: [],
    order_id: orderIdOf(order),
    order_lines: order.lines.map((line, index) => orderLine(order, line, index, view)),
    order_state: state,
    order_state_reason_code: null,
    order_state_reason_label: null,
    order_tax_mode: view.taxExcluded ? 'TAX_EXCLUDED' : 'TAX_INCLUDED',
    payment_type: 'CARD',
    payment_workflow: 'PAY_ON_ACCEPTANCE',
    price: money(cents(order.total) - cents(order.coupon)),
    promotions: { applied_promotions: [], total_deduced_amount: money(cents(order.coupon)) },
    quote_id: null,
    references: null,
    shipping_carrier_code: isSent ? carrier.code : null,
    shipping_company: isSent ? carrier.label : null,
    ...(paid !== null && { shipping_deadline: new Date(paid + 172_799_999).toISOString() }),
    shipping_price: money(shipping),
    shipping_tracking: isSent ? order.tracking : null,
    shipping_tracking_url: null,
    shipping_type_code: 'STD',
    shipping_type_label: 'Estándar',
    shipping_zone_code: 'MX',
    shipping_zone_label: 'México',
    total_commission: money(
      pricesOf(order).reduce((sum, price) => sum + totalCommission(price), 0),
    ),
    total_price: money(totalOf(order)),
    transaction_date: null,
    transaction_number: null,
  };
}

/** Uploaded with the parcel, by a seller who sometimes forgets. */
export function hasInvoice(order: Order, now: number): boolean {
  return (
    reachedAt(order, 'shipped', now) !== null && dice('mirakl invoice', order.id).chance(1 / 2)
  );
}

/** The destination is given once the order is accepted. */
function customer({ buyer }: Order, isAccepted: boolean) {
  const { street, city, state, zip } = buyer.address;
  const address = {
    city,
    civility: null,
    company: null,
    country: 'México',
    country_iso_code: 'MEX',
    firstname: buyer.firstName,
    lastname: buyer.lastName,
    state,
    street_1: street,
    street_2: null,
    zip_code: zip,
  };
  return {
    billing_address: isAccepted ? address : null,
    civility: null,
    customer_id: `cliente-${buyer.number}`,
    firstname: buyer.firstName,
    lastname: buyer.lastName,
    locale: 'es_MX',
    organization: null,
    shipping_address: isAccepted ? address : null,
  };
}

function orderLine(order: Order, line: Line, index: number, view: View) {
  const now = view.now();
  const { shipping, fee } = index === 0 ? chargesOf(order) : { shipping: 0, fee: 0 };
  const price = pricesOf(order)[index] ?? 0;
  const promoted = cents(line.unitPrice) * line.quantity - price;
  const sent = isSentAhead(order, index, view)
    ? changedAt(order, now)
    : reachedAt(order, 'shipped', now);
  return {
    can_refund: reachedAt(order, 'paid', now) !== null,
    cancelations: cancelations(order, line, index, now),
    category_code: 'GENERAL',
    category_label: 'General',
    commission_fee: money(commissionOf(price).fee),
    commission_taxes: [{ amount: money(commissionOf(price).tax), code: 'IVA', rate: 16 }],
    created_date: seconds(placedAt(order)),
    debited_date: isoOrNull(reachedAt(order, 'paid', now)),
    description: null,
    fees: fee > 0 ? [{ amount: money(fee), code: 'armado' }] : [],
    last_updated_date: seconds(changedAt(order, now)),
    offer_id: offerId(line.sku),
    offer_sku: line.sku,
    offer_state_code: '11',
    order_line_additional_fields: [],
    order_line_id: `${orderIdOf(order)}-${index + 1}`,
    order_line_index: index + 1,
    order_line_state: lineState(order, index, view),
    order_line_state_reason_code: null,
    order_line_state_reason_label: null,
    origin_unit_price: Number(line.listPrice),
    price: money(price),
    price_additional_info: null,
    price_unit: Number((price / 100 / line.quantity).toFixed(2)),
    product_medias: [
      { media_url: `/media/product/image/${line.sku}`, mime_type: 'JPEG', type: 'LARGE' },
    ],
    product_shop_sku: line.sku,
    product_sku: `P${line.sku}`,
    product_title: line.title,
    promotions: promoted > 0 ? [{ deduced_amount: money(promoted), id: 'bienvenida' }] : [],
    quantity: line.quantity,
    received_date: isoOrNull(reachedAt(order, 'delivered', now)),
    refunds: refunds(order, line, index, now),
    shipped_date: isoOrNull(sent),
    shipping_price: money(shipping),
    shipping_taxes: shipping > 0 ? [ivaOf(shipping, view)] : [],
    taxes: [ivaOf(price, view)],
    total_commission: money(totalCommission(price)),
    total_price: money(price + shipping + fee),
  };
}

function cancelations(order: Order, line: Line, index: number, now: number) {
  const at = reachedAt(order, 'cancelled', now);
  if (at === null) return [];
  const { shipping, fee } = index === 0 ? chargesOf(order) : { shipping: 0, fee: 0 };
  return [
    {
      amount: money(pricesOf(order)[index] ?? 0),
      created_date: seconds(at),
      fees: fee > 0 ? [{ amount: money(fee), code: 'armado' }] : [],
      id: `${order.number}${index}`,
      quantity: line.quantity,
      reason_code: '34',
      shipping_amount: money(shipping),
      shipping_taxes: [],
      taxes: [],
    },
  ];
}

/** A part is given back on the first line; all of it, line by line, with shipping and fees. */
function refunds(order: Order, line: Line, index: number, now: number) {
  const { shipping, fee } = index === 0 ? chargesOf(order) : { shipping: 0, fee: 0 };
  const before = index === 0 ? partlyRefunded(order, now) : 0;
  return order.steps
    .filter(
      ({ state, at }) =>
        at <= now && (state === 'refunded' || (state === 'partially_refunded' && !index)),
    )
    .map((step) => {
      const isAll = step.state === 'refunded';
      return {
        amount: money(isAll ? (pricesOf(order)[index] ?? 0) - before : cents(step.amount ?? '0')),
        commission_amount: 0,
        created_date: seconds(step.at),
        fees: isAll && fee > 0 ? [{ amount: money(fee), code: 'armado' }] : [],
        id: `${order.number}${index}${step.at}`,
        order_refund_id: null,
        quantity: isAll ? line.quantity : 0,
        reason_code: '15',
        shipping_amount: isAll ? money(shipping) : 0,
        shipping_taxes: [],
        state: 'REFUNDED',
        taxes: [],
        transaction_date: seconds(step.at),
      };
    });
}

function partlyRefunded(order: Order, now: number): number {
  return order.steps
    .filter(({ state, at }) => at <= now && state === 'partially_refunded')
    .reduce((sum, { amount = '0' }) => sum + cents(amount), 0);
}

/** Inside of an amount, or on top of it. */
function ivaOf(amount: number, { taxExcluded }: View) {
  const share = taxExcluded ? (amount * 16) / 100 : (amount * 16) / 116;
  return { amount: money(Math.round(share)), code: 'IVA', rate: 16 };
}

function totalCommission(price: number): number {
  const { fee, tax } = commissionOf(price);
  return fee + tax;
}

export function offerId(sku: string): number {
  return dice('mirakl offer', sku).whole(100_000, 999_999_999);
}

export function money(amount: number): number {
  return Number(decimal(amount));
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : seconds(at);
}
