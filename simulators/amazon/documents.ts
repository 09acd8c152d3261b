/** An order as the Orders API of 2026-01-01 writes it. Amounts are texts. */
import { dice } from '../dice.ts';
import { cents, decimal, type Line, type Order, placedAt, reachedAt, type State } from '../order.ts';
import { iso, MEXICO, type Shop } from './shop.ts';

/** The states that are the order's own business here: it knows neither packing nor money given back. */
const VISIBLE: readonly State[] = ['placed', 'paid', 'shipped', 'delivered', 'cancelled'];

/** Sent by Amazon: there are no packages, and nobody says that it was delivered. */
export function isFba({ lines }: Order): boolean {
  return lines[0]?.product.keptByMarketplace ?? false;
}

export function updatedAt(order: Order, now: number): number {
  const seen = order.steps.findLast(
    ({ state, at }) => at <= now && VISIBLE.includes(state) && !(state === 'delivered' && isFba(order)),
  );
  return seen?.at ?? placedAt(order);
}

export function fulfillmentStatus(order: Order, now: number): string {
  if (reachedAt(order, 'cancelled', now) !== null) return 'CANCELLED';
  if (reachedAt(order, 'shipped', now) !== null) return 'SHIPPED';
  return reachedAt(order, 'paid', now) === null ? 'PENDING' : 'UNSHIPPED';
}

/** Each data set is there only if it was asked for. */
export function orderDocument(order: Order, { now, switches }: Shop, asked: ReadonlySet<string>) {
  const at = now();
  const isPending = fulfillmentStatus(order, at) === 'PENDING';
  const name = `${order.buyer.firstName} ${order.buyer.lastName}`;
  const has = (set: string) => asked.has(set);
  return {
    orderId: order.id,
    orderAliases: [{ aliasId: `TG-${order.number}`, aliasType: 'SELLER_ORDER_ID' }],
    createdTime: iso(placedAt(order)),
    lastUpdatedTime: iso(updatedAt(order, at)),
    programs: dice('prime', order.cart).chance(0.4) ? ['PRIME'] : [],
    salesChannel: { channelName: 'AMAZON', marketplaceId: MEXICO, marketplaceName: 'Amazon.com.mx' },
    ...(has('BUYER') &&
      switches.personalData && {
        buyer: {
          buyerName: name,
          ...(!isFba(order) && { buyerEmail: `c${order.cart}@marketplace.amazon.com.mx` }),
        },
      }),
    ...(has('RECIPIENT') &&
      switches.personalData && { recipient: { deliveryAddress: addressOf(order, name) } }),
    // While nothing is authorised, no amount is said.
    ...(has('PROCEEDS') && !isPending && { proceeds: proceedsOf(order) }),
    ...(has('FULFILLMENT') && { fulfillment: fulfillmentOf(order, at) }),
    orderItems: order.lines.map((line, index) => itemOf(line, index, order, isPending, at, has('PROCEEDS'))),
    ...(has('PACKAGES') && { packages: packagesOf(order, at) }),
  };
}

function addressOf({ buyer: { address, phone } }: Order, name: string) {
  return {
    name,
    addressLine1: address.street,
    city: address.city,
    stateOrRegion: address.state,
    postalCode: address.zip,
    countryCode: 'MX',
    phone: `+52 ${phone}`,
    addressType: 'RESIDENTIAL',
  };
}

function proceedsOf(order: Order) {
  const off = cents(order.total) - order.lines.reduce((sum, line) => sum + grossOf(line), 0);
  return {
    grandTotal: money(order.total),
    breakdowns: [
      { type: 'ITEM', subtotal: money(decimal(cents(order.total) - off)) },
      ...(off === 0 ? [] : [{ type: 'DISCOUNT', subtotal: money(decimal(off)) }]),
    ],
  };
}

function grossOf({ listPrice, quantity }: Line): number {
  return cents(listPrice) * quantity;
}

function fulfillmentOf(order: Order, now: number) {
  const day = 86_400_000;
  return {
    fulfillmentStatus: fulfillmentStatus(order, now),
    fulfilledBy: isFba(order) ? 'AMAZON' : 'MERCHANT',
    fulfillmentServiceLevel: 'STANDARD',
    shipByWindow: {
      earliestDateTime: iso(placedAt(order)),
      latestDateTime: iso(placedAt(order) + 2 * day),
    },
  };
}

function itemOf(
  line: Line,
  index: number,
  order: Order,
  isPending: boolean,
  now: number,
  withProceeds: boolean,
) {
  const sent = reachedAt(order, 'shipped', now) === null ? 0 : line.quantity;
  return {
    orderItemId: String(dice('line', order.id, index).whole(10_000_000_000_000, 99_999_999_999_999)),
    quantityOrdered: line.quantity,
    product: {
      asin: asinOf(line.sku),
      title: line.title,
      sellerSku: line.sku,
      condition: { conditionType: 'NEW', conditionSubtype: 'NEW', conditionNote: '' },
      ...(!isPending && { price: { unitPrice: money(line.unitPrice) } }),
    },
    ...(withProceeds &&
      !isPending && {
        proceeds: {
          proceedsTotal: money(decimal(cents(line.unitPrice) * line.quantity)),
          breakdowns: [{ type: 'ITEM', subtotal: money(decimal(grossOf(line))) }],
        },
      }),
    fulfillment: { quantityFulfilled: sent, quantityUnfulfilled: line.quantity - sent },
  };
}

function packagesOf(order: Order, now: number) {
  const shipped = reachedAt(order, 'shipped', now);
  if (isFba(order) || shipped === null) return [];
  const isThere = reachedAt(order, 'delivered', now) !== null;
  return [
    {
      packageReferenceId: '1',
      createdTime: iso(shipped),
      packageStatus: isThere
        ? { status: 'DELIVERED', detailedStatus: 'DELIVERED' }
        : { status: 'IN_TRANSIT', detailedStatus: 'OUT_FOR_DELIVERY' },
      carrier: 'Estafeta',
      shipTime: iso(shipped),
      shippingService: 'Terrestre',
      trackingNumber: order.tracking,
    },
  ];
}

export function asinOf(sku: string): string {
  return `B0${dice('asin', sku).whole(10_000_000, 99_999_999)}`;
}

function money(amount: string) {
  return { amount, currencyCode: 'MXN' };
}
