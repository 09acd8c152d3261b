/** An order of the world in WooCommerce's document. Field for field in the documented shape. */
import { rawNumber } from '../exact-json.ts';
import { cents, decimal, type Line, type Order, placedAt, reachedAt, stepAt } from '../order.ts';
import { productId, refundsOf, shippingOf, statusOf, titleOf, totalOf } from './facts.ts';
import { datesOf, linksOf, type Room } from './shop.ts';

export function orderDocument(order: Order, room: Room) {
  const now = room.now();
  const full = order.lines.reduce((sum, line) => sum + cents(line.listPrice) * line.quantity, 0);
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
    discount_total: decimal(full - cents(order.total)),
    discount_tax: '0.00',
    shipping_total: decimal(shippingOf(order)),
    shipping_tax: '0.00',
    cart_tax: '0.00',
    total: decimal(totalOf(order)),
    total_tax: '0.00',
    prices_include_tax: false,
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
    meta_data: [{ id: order.number, key: '_download_permissions_granted', value: 'yes' }],
    line_items: order.lines.map((line, index) => lineDocument(order, line, index, room)),
    tax_lines: [],
    shipping_lines: [
      {
        id: order.number + 5,
        method_title: 'Tarifa plana',
        method_id: 'flat_rate',
        total: decimal(shippingOf(order)),
        total_tax: '0.00',
        taxes: [],
        meta_data: [],
      },
    ],
    fee_lines: [],
    coupon_lines: [],
    refunds: refundsOf(order, now).map(({ id, amount }) => ({ id, reason: '', total: `-${amount}` })),
    ...linksOf(room, '/orders', Number(order.id)),
  };
}

/** The dates of an order's refunds are only here. */
export function refundDocuments(order: Order, room: Room) {
  return refundsOf(order, room.now()).map(({ id, at, amount }) => ({
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

function lineDocument(order: Order, line: Line, index: number, { switches }: Room) {
  const isFractional = index === 0 && switches.fractional.has(order.id);
  return {
    id: order.number + index,
    name: titleOf(line),
    product_id: productId(line.product.sku),
    variation_id: line.variant ? productId(line.variant.sku) : 0,
    quantity: isFractional ? rawNumber(`${line.quantity - 1}.5`) : line.quantity,
    tax_class: '',
    subtotal: decimal(cents(line.listPrice) * line.quantity),
    subtotal_tax: '0.00',
    total: decimal(cents(line.unitPrice) * line.quantity),
    total_tax: '0.00',
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
    // A number, after the discount.
    price: Number(line.unitPrice),
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
