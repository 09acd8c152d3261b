import { MARKETPLACES, type Marketplace, type OrderStatus } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import { add, compare, type Decimal, multiply, subtract, ZERO } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import type { PublicOrder } from '../orders/index.ts';

/** Days are those of the organisation's books. */
export const BOOKS_TIMEZONE = 'America/Mexico_City';

/** Not sales, or no longer. */
export const NO_SALE: readonly OrderStatus[] = ['cancelled', 'refunded'];

/** The key of a sum; sums of different currencies never meet. */
export interface SumKey {
  /** `2026-11-16` */
  readonly day: string;
  readonly marketplace: Marketplace;
  readonly accountId: string;
  /** The marketplace that a mirrored order was imported from; empty = its own. */
  readonly storefront: string;
  readonly currency: string;
}

/** Orders by the day of their creation and by their status now. */
interface DaySum extends SumKey {
  readonly status: OrderStatus;
  orders: number;
  ordersWithoutTotal: number;
  units: number;
  gross: Decimal;
  /** Given back so far, whenever it was. */
  refunds: Decimal;
  /** Of these: without a date. */
  undatedRefunds: Decimal;
}

/** Goods of orders that are sales, at the prices of their lines. */
interface ProductSum extends SumKey {
  readonly product: string;
  readonly title: string;
  orders: number;
  units: number;
  gross: Decimal;
}

/** Refunds by the day on which they were made. */
interface RefundSum extends SumKey {
  refunds: number;
  amount: Decimal;
}

export interface Sums {
  readonly timezone: string;
  readonly days: Map<string, DaySum>;
  readonly products: Map<string, ProductSum>;
  readonly refunds: Map<string, RefundSum>;
}

export function emptySums(timezone = BOOKS_TIMEZONE): Sums {
  return { timezone, days: new Map(), products: new Map(), refunds: new Map() };
}

/** Marks a marketplace's own test sale; connectors that detect tests by other means add it. */
const TEST_TAG = 'test_order';
/**
 * Characters of a title that identifies a product; an index key of the database ends at 2,704
 * bytes.
 */
const LONGEST_KEY = 500;
/** Marketplaces whose orders other shops list too. */
export const MIRRORED_MARKETPLACES: readonly Marketplace[] = MARKETPLACES.flatMap((shop) =>
  Object.values(copiedFrom(shop)),
);

/** Adds an order's contribution, or with −1 subtracts it. */
export function addOrder(sums: Sums, order: PublicOrder, sign: 1 | -1): void {
  if (order.tags.includes(TEST_TAG)) return;
  const key = {
    day: dayOf(order.dateCreated, sums.timezone),
    marketplace: order.marketplace,
    accountId: order.accountId,
    storefront: storefrontOf(order),
    currency: order.currency,
  };
  addSale(sums, key, order, sign);
  if (order.total !== null && !NO_SALE.includes(order.status)) addProducts(sums, key, order, sign);
  for (const { amount, at } of order.refunds)
    if (at) addRefund(sums, { ...key, day: dayOf(at, sums.timezone) }, amount, sign);
}

function addSale(sums: Sums, key: SumKey, order: PublicOrder, sign: 1 | -1): void {
  const { status, total } = order;
  const sum = sumAt(sums.days, [...keyOf(key), status], () => ({
    ...key,
    status,
    orders: 0,
    ordersWithoutTotal: 0,
    units: 0,
    gross: ZERO,
    refunds: ZERO,
    undatedRefunds: ZERO,
  }));
  // The value of an order without a total is unknown, not 0.
  if (total === null) {
    sum.ordersWithoutTotal += sign;
    return;
  }
  const { refunded, undated } = refundsOf(order);
  sum.orders += sign;
  sum.units += sign * order.items.reduce((units, item) => units + soldPieces(item), 0);
  sum.gross = moved(sum.gross, total, sign);
  sum.refunds = moved(sum.refunds, refunded, sign);
  sum.undatedRefunds = moved(sum.undatedRefunds, undated, sign);
}

function addProducts(sums: Sums, key: SumKey, order: PublicOrder, sign: 1 | -1): void {
  const counted = new Set<ProductSum>();
  for (const item of order.items) {
    const ownKey = { ...key, currency: item.currency };
    const product = item.sku || item.id || item.title.slice(0, LONGEST_KEY);
    const sum = sumAt(sums.products, [...keyOf(ownKey), product], () => ({
      ...ownKey,
      product,
      title: item.title,
      orders: 0,
      units: 0,
      gross: ZERO,
    }));
    if (!counted.has(sum)) sum.orders += sign;
    counted.add(sum);
    sum.units += sign * soldPieces(item);
    sum.gross = moved(sum.gross, soldMoney(item), sign);
  }
}

type Item = PublicOrder['items'][number];

/** Units cancelled or returned later are not sold. */
function soldPieces({ quantity, cancelledQuantity }: Item): number {
  return Math.max(0, quantity - cancelledQuantity);
}

function soldMoney(item: Item): Decimal {
  const { subtotal, unitPrice, quantity, cancelledQuantity } = item;
  if (cancelledQuantity > 0 && soldPieces(item) === 0) return ZERO;
  const ordered = subtotal ?? multiply(unitPrice, quantity);
  return cancelledQuantity > 0
    ? subtract(ordered, multiply(unitPrice, cancelledQuantity))
    : ordered;
}

function addRefund(sums: Sums, key: SumKey, amount: Decimal, sign: 1 | -1): void {
  const sum = sumAt(sums.refunds, keyOf(key), () => ({ ...key, refunds: 0, amount: ZERO }));
  sum.refunds += sign;
  sum.amount = moved(sum.amount, amount, sign);
}

/** The source's own total of refunds counts; the part of it without a date belongs to no day. */
function refundsOf({ refunds, refundedTotal }: PublicOrder): {
  refunded: Decimal;
  undated: Decimal;
} {
  if (refunds.length === 0 && refundedTotal === null) return { refunded: ZERO, undated: ZERO };
  const sumOf = (list: PublicOrder['refunds']) => add(...list.map(({ amount }) => amount));
  const refunded = refundedTotal ?? sumOf(refunds);
  const undated = subtract(refunded, sumOf(refunds.filter(({ at }) => at !== null)));
  return { refunded, undated: compare(undated, ZERO) > 0 ? undated : ZERO };
}

function storefrontOf({ tags, marketplace }: PublicOrder): string {
  const origins = copiedFrom(marketplace);
  return tags.map((tag) => inTable(origins, tag)).find((slug) => slug !== undefined) ?? '';
}

function copiedFrom(shop: Marketplace): Readonly<Record<string, Marketplace>> {
  return findConnector(shop)?.facts.copiedFrom ?? {};
}

function moved(sum: Decimal, amount: Decimal, sign: 1 | -1): Decimal {
  if (amount === ZERO) return sum;
  return sign === 1 ? add(sum, amount) : subtract(sum, amount);
}

function sumAt<Sum>(sums: Map<string, Sum>, key: readonly string[], make: () => Sum): Sum {
  const text = key.join('\n');
  const known = sums.get(text);
  if (known) return known;
  const made = make();
  sums.set(text, made);
  return made;
}

function keyOf({ day, marketplace, accountId, storefront, currency }: SumKey): string[] {
  return [day, marketplace, accountId, storefront, currency];
}

const HOUR_MS = 3_600_000;
const MOST_HOURS = 100_000;
const days = new Map<string, string>();

/**
 * The calendar day in a time zone. Offsets change at whole hours, and all of ours are whole
 * quarters of one.
 */
function dayOf(instant: Instant, timezone: string): string {
  const quarter = Math.floor((instant.epochMilliseconds * 4) / HOUR_MS);
  const key = `${timezone}${quarter}`;
  const known = days.get(key);
  if (known) return known;
  const day = instant.toZonedDateTimeISO(timezone).toPlainDate().toString();
  if (days.size >= MOST_HOURS) days.clear();
  days.set(key, day);
  return day;
}
