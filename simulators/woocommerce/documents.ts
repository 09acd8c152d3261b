/** An order of the world in WooCommerce's document. Field for field in the documented shape. */
import { rawNumber } from '../exact-json.ts';
import { cents, decimal, type Line, type Order, placedAt, reachedAt, stepAt } from '../order.ts';
import {
  type Money,
  moneyOf,
  productId,
  refundsOf,
  statusOf,
  type Taxed,
  titleOf,
} from './facts.ts';
import { datesOf, linksOf, type Room } from './shop.ts';

export function orderDocument(order: Order, room: Room) {
  const now = room.now();
  const money = moneyOf(order, room);
  const sumOf = (parts: readonly Taxed[]) => ({
    net: parts.reduce((sum, { net }) => sum + net, 0),
    tax: parts.reduce((sum, { tax }) => sum + tax, 0),
  });
  const [paid, full] = [sumOf(money.lines), sumOf(money.lines.map((line) => line.full))];
  const fee = money.fee ?? { net: 0, tax: 0 };
  return {
    id: Number(order.id),
    parent_id: 0,
    number: order.id,
    order_key: `wc_order_${order.number.toString(16)}`,
    created_via: 'checkout',
    version: room.isOld ? '5.6.0' : '9.4.2',
    status: statusOf(order, room),
    currency: 'MXN',
    ...datesOf('date_created', placedAt(order), room),
    ...datesOf('date_modified', stepAt(order, now).at, room),
    discount_total: decimal(full.net - paid.net),
    discount_tax: decimal(full.tax - paid.tax),
    shipping_total: decimal(money.shipping.net),
    shipping_tax: decimal(money.shipping.tax),
    cart_tax: decimal(paid.tax + fee.tax),
    total: decimal(money.total),
    total_tax: decimal(paid.tax + fee.tax + money.shipping.tax),
    prices_include_tax: room.pricesIncludeTax,
    customer_id: order.buyer.number % 3 === 0 ? 0 : order.buyer.number,
    customer_ip_address: '',
    customer_user_agent: '',
    customer_note: '',
    billing: { ...address(order), email: order.buyer.email, phone: order.buyer.phone },
    shipping: address(order),
    payment_method: 'bacs',
    payment_method_title: 'Transferencia bancaria',
    transaction_id: '',
    ...datesOf('date_paid', reachedAt(order, 'paid', now), room),
    ...datesOf('date_completed', reachedAt(order, 'delivered', now), room),
    cart_hash: '',
    meta_data: [
      { id: order.number, key: '_download_permissions_granted', value: 'yes' },
      ...labelOf(order, room),
    ],
    ...(room.switches.extras > 0 && { plugin_extra: 'x'.repeat(room.switches.extras) }),
    line_items: order.lines.map((line, index) => lineDocument(order, line, index, money, room)),
    tax_lines: [],
    shipping_lines: [shippingLine(order, money)],
    fee_lines: feeLines(order, money),
    coupon_lines: couponLines(order, full.net - paid.net, full.tax - paid.tax),
    refunds: refundsOf(order, room).map(({ id, amount }) => ({
      id,
      reason: '',
      total: `-${amount}`,
    })),
    ...linksOf(room, '/orders', Number(order.id)),
  };
}

function shippingLine({ number }: Order, { shipping }: Money) {
  return {
    id: number + 5,
    method_title: 'Tarifa plana',
    method_id: 'flat_rate',
    total: decimal(shipping.net),
    total_tax: decimal(shipping.tax),
    taxes: [],
    meta_data: [],
  };
}

function feeLines({ number }: Order, { fee }: Money) {
  if (!fee) return [];
  const line = {
    id: number + 6,
    name: 'Envoltura &amp; moño',
    tax_class: '',
    tax_status: 'taxable',
    amount: decimal(fee.net),
    total: decimal(fee.net),
    total_tax: decimal(fee.tax),
    taxes: [],
    meta_data: [],
  };
  return [line];
}

/** What it took off, in cents. */
function couponLines({ number, coupon }: Order, net: number, tax: number) {
  if (cents(coupon) <= 0) return [];
  const line = {
    id: number + 7,
    code: 'bienvenida',
    discount: decimal(net),
    discount_tax: decimal(tax),
    meta_data: [],
  };
  return [line];
}

/** As a plugin for parcels keeps it. */
function labelOf({ id, number }: Order, { switches }: Room) {
  const length = switches.labels.get(id);
  return length === undefined ? [] : [{ id: number, key: '_label_pdf', value: 'x'.repeat(length) }];
}

/** The dates of an order's refunds are only here. */
export function refundDocuments(order: Order, room: Room) {
  return refundsOf(order, room).map(({ id, at, amount }) => ({
    id,
    ...datesOf('date_created', at, room),
    amount,
    reason: '',
    refunded_by: 1,
    refunded_payment: false,
    meta_data: [],
    line_items: [],
    ...linksOf(room, `/orders/${order.id}/refunds`, id),
  }));
}

function lineDocument(order: Order, line: Line, index: number, money: Money, { switches }: Room) {
  const { net, tax, full } = money.lines[index] as Money['lines'][number];
  const isFractional = index === 0 && switches.fractional.has(order.id);
  return {
    id: order.number + index,
    name: titleOf(line),
    product_id: productId(line.product.sku),
    variation_id: line.variant ? productId(line.variant.sku) : 0,
    quantity: isFractional ? rawNumber(`${line.quantity - 1}.5`) : line.quantity,
    tax_class: '',
    subtotal: decimal(full.net),
    subtotal_tax: decimal(full.tax),
    total: decimal(net),
    total_tax: decimal(tax),
    taxes: [],
    meta_data: line.variant
      ? [
          {
            id: order.number + index,
            key: `pa_${line.variant.name.toLowerCase()}`,
            value: line.variant.value.toLowerCase(),
            display_key: line.variant.name,
            display_value: line.variant.value,
          },
        ]
      : [],
    sku: line.sku,
    // A number, after the discount and without taxes, with whatever digits the division gives.
    price: net / 100 / line.quantity,
  };
}

function address({ buyer }: Order) {
  const { street, city, stateCode, zip } = buyer.address;
  return {
    first_name: buyer.firstName,
    last_name: buyer.lastName,
    company: '',
    address_1: street,
    address_2: '',
    city,
    state: stateCode,
    postcode: zip,
    country: 'MX',
  };
}
