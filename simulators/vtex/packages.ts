/** Invoices of an order: of what was sent, and of what was given back. */
import { dice } from '../dice.ts';
import { cents, type Order, reachedAt } from '../order.ts';
import { invoicedAt, totalOf, written } from './facts.ts';

const CARRIERS = ['Estafeta', 'Paquetexpress', 'Redpack'];

export function sent(order: Order, now: number) {
  const invoiced = invoicedAt(order, now);
  if (invoiced === null) return [];
  const isOnItsWay = reachedAt(order, 'shipped', now) !== null;
  const delivered = reachedAt(order, 'delivered', now);
  return [
    {
      items: packed(order),
      courier: isOnItsWay ? dice('vtex carrier', order.id).pick(CARRIERS) : null,
      invoiceNumber: `F${order.number}`,
      invoiceValue: totalOf(order, now),
      invoiceUrl: `https://facturas.example/${order.number}.pdf`,
      issuanceDate: written(invoiced),
      trackingNumber: isOnItsWay ? order.tracking : null,
      invoiceKey: folioOf(order),
      trackingUrl: null,
      embeddedInvoice: `<?xml version="1.0" encoding="UTF-8"?><cfdi:Comprobante Version="4.0" Folio="${order.number}"/>`,
      type: 'Output',
      courierStatus:
        delivered === null
          ? null
          : { status: 'delivered', finished: true, deliveredDate: written(delivered), data: [] },
      cfop: null,
      restitutions: null,
      volumes: 1,
      EnableInferItems: false,
    },
  ];
}

function packed(order: Order) {
  return order.lines.map((line, itemIndex) => ({
    itemIndex,
    quantity: line.quantity,
    price: cents(line.unitPrice),
    description: null,
    unitMultiplier: 1.0,
  }));
}

/** Money goes back by an invoice that comes in, with the goods where they came back. */
export function restitutions(order: Order, now: number) {
  let left = totalOf(order, now);
  return order.steps
    .filter(
      ({ state, at }) => at <= now && (state === 'refunded' || state === 'partially_refunded'),
    )
    .map(({ state, at, amount = '0' }, index) => {
      const value = state === 'refunded' ? left : Math.min(left, cents(amount));
      left -= value;
      const isBack = state === 'refunded' && reachedAt(order, 'returned', now) !== null;
      return {
        items: isBack ? packed(order) : [],
        courier: null,
        invoiceNumber: `N${order.number}${index}`,
        invoiceValue: value,
        invoiceUrl: null,
        issuanceDate: written(at),
        trackingNumber: null,
        invoiceKey: creditFolioOf(order, index),
        trackingUrl: null,
        embeddedInvoice: null,
        type: 'Input',
        courierStatus: null,
        cfop: null,
        restitutions: { Refund: { value, giftCardData: null, items: [] } },
        volumes: null,
        EnableInferItems: false,
      };
    });
}

/** Like a folio fiscal, and always the same. */
export function folioOf(order: Order): string {
  return folio(order.id);
}

export function creditFolioOf(order: Order, index: number): string {
  return folio(`${order.id} credit ${index}`);
}

function folio(of: string): string {
  const own = dice('vtex folio', of);
  const hex = Array.from({ length: 32 }, () => own.whole(0, 15).toString(16)).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
