/** An order as the Orders API of 2026-01-01 writes it. Amounts are texts. */
import { dice } from '../dice.ts';
import {
  cents,
  decimal,
  type Line,
  type Order,
  placedAt,
  reachedAt,
  type State,
} from '../order.ts';
import { iso, MEXICO, type Shop, type Switches } from './shop.ts';

/**
 * The states that are the order's own business here: it knows neither packing nor money given back.
 */
const VISIBLE: readonly State[] = ['placed', 'paid', 'shipped', 'delivered', 'cancelled'];

/** Sent by Amazon: there are no packages, and a delivery is not reported. */
function isFba({ lines }: Order): boolean {
  return lines[0]?.product.keptByMarketplace ?? false;
}

export function updatedAt(order: Order, now: number): number {
  const seen = order.steps.findLast(
    ({ state, at }) =>
      at <= now && VISIBLE.includes(state) && !(state === 'delivered' && isFba(order)),
  );
  return seen?.at ?? placedAt(order);
}

function fulfillmentStatus(order: Order, now: number): string {
  if (reachedAt(order, 'cancelled', now) !== null) return 'CANCELLED';
  if (reachedAt(order, 'shipped', now) !== null) return 'SHIPPED';
  return reachedAt(order, 'paid', now) === null ? 'PENDING' : 'UNSHIPPED';
}

/** Each data set is there only if it was requested. */
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
    salesChannel: {
      channelName: 'AMAZON',
      marketplaceId: MEXICO,
      marketplaceName: 'Amazon.com.mx',
    },
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
    ...(has('PROCEEDS') && !isPending && { proceeds: proceedsOf(order, switches) }),
    ...(has('FULFILLMENT') && { fulfillment: fulfillmentOf(order, at) }),
    orderItems: order.lines.map((line, index) => {
      const proceeds = isPending ? null : lineProceeds(order, index, switches.taxes);
      return itemOf(order, line, index, { proceeds, isIncluded: has('PROCEEDS'), now: at });
    }),
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

/** Rows of an amount each; discounts are negative. */
interface Proceeds {
  readonly total: number;
  readonly rows: readonly Row[];
}

interface Row {
  readonly type: 'ITEM' | 'SHIPPING' | 'DISCOUNT' | 'TAX';
  readonly cents: number;
  /** What a discount or a tax is on. */
  readonly subtype?: string;
}

const VAT = 1.16;

/** What the buyer pays in all, in cents. */
export function paidFor({ total, coupon, shipping }: Order): number {
  return cents(total) - cents(coupon) + cents(shipping ?? '0.00');
}

/**
 * Promotions and coupons are shared out among the lines, each in a row of its own. TAX is
 * beside prices that hold it, or is added to prices without it.
 */
export function lineProceeds(order: Order, index: number, taxes: Switches['taxes']): Proceeds {
  const line = order.lines[index] as Line;
  const share = (amount: number) => sharesOf(order, amount)[index] as number;
  const off = (cents(line.listPrice) - cents(line.unitPrice)) * line.quantity;
  const gross: Row[] = [
    { type: 'ITEM', cents: cents(line.listPrice) * line.quantity },
    { type: 'DISCOUNT', cents: -off, subtype: 'ITEM' },
    { type: 'DISCOUNT', cents: -share(cents(order.coupon)), subtype: 'ITEM' },
    { type: 'SHIPPING', cents: share(cents(order.shipping ?? '0.00')) },
  ];
  const given = gross.filter(({ type, cents }) => type === 'ITEM' || cents !== 0);
  const paid = sum(given);
  const net = given.map((row) => ({ ...row, cents: Math.round(row.cents / VAT) }));
  const tax: Row = { type: 'TAX', cents: paid - sum(net), subtype: 'ITEM' };
  return { total: paid, rows: [...(taxes === 'added' ? net : given), tax] };
}

/** In proportion to what the lines come to; the last one takes what is left. */
function sharesOf({ lines, total }: Order, amount: number): number[] {
  const shares = lines.map((line) =>
    Math.floor((amount * cents(line.unitPrice) * line.quantity) / cents(total)),
  );
  const left = amount - shares.reduce((all, one) => all + one, 0);
  return shares.map((one, index) => (index === lines.length - 1 ? one + left : one));
}

function sum(rows: readonly Row[]): number {
  return rows.reduce((all, row) => all + row.cents, 0);
}

/** Each type of all lines in one row, or the total alone. */
function proceedsOf(order: Order, { taxes, proceeds }: Switches) {
  const rows = order.lines.flatMap((_, index) => lineProceeds(order, index, taxes).rows);
  const types = [...new Set(rows.map(({ type }) => type))];
  return {
    grandTotal: money(decimal(paidFor(order))),
    ...(proceeds === 'whole' && {
      breakdowns: types.map((type) => ({
        type,
        subtotal: money(decimal(sum(rows.filter((row) => row.type === type)))),
      })),
    }),
  };
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
  order: Order,
  line: Line,
  index: number,
  { proceeds, isIncluded, now }: { proceeds: Proceeds | null; isIncluded: boolean; now: number },
) {
  const sent = reachedAt(order, 'shipped', now) === null ? 0 : line.quantity;
  const isPending = fulfillmentStatus(order, now) === 'PENDING';
  const item = proceeds?.rows.find(({ type }) => type === 'ITEM');
  return {
    orderItemId: String(
      dice('line', order.id, index).whole(10_000_000_000_000, 99_999_999_999_999),
    ),
    quantityOrdered: line.quantity,
    product: {
      asin: asinOf(line.sku),
      title: line.title,
      sellerSku: line.sku,
      condition: { conditionType: 'NEW', conditionSubtype: 'NEW', conditionNote: '' },
      // Before discounts, and without the tax where that is added.
      ...(item && { price: { unitPrice: money(decimal(Math.round(item.cents / line.quantity))) } }),
    },
    ...(proceeds && isIncluded && { proceeds: proceedsDocument(proceeds) }),
    fulfillment: {
      quantityFulfilled: sent,
      quantityUnfulfilled: isPending ? 0 : line.quantity - sent,
    },
  };
}

function proceedsDocument({ total, rows }: Proceeds) {
  return {
    proceedsTotal: money(decimal(total)),
    breakdowns: rows.map(({ type, cents, subtype }) => ({
      type,
      subtotal: money(decimal(cents)),
      ...(subtype && { detailedBreakdowns: [{ subtype, value: money(decimal(cents)) }] }),
    })),
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
