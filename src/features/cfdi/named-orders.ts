import {
  absolute,
  add,
  compare,
  type Decimal,
  decimal,
  subtract,
  ZERO,
} from '../../platform/money.ts';
import type { OrderTotal } from '../orders/index.ts';
import type { CfdiItem, CfdiRecord } from './xml/record.ts';

/** Shorter ones, such as a folio «12», mean other things than an order more often. */
const SHORTEST_NAME = 6;
const LONGEST_NAME = 200;
const MOST_NAMES = 10_000;
const WORDS = /[\w-]+/g;
/** Items have up to six decimals. */
const CENT = decimal('0.01');

/**
 * The texts by which an invoice may name orders, with what it charges for each: a global invoice
 * has one item a sale.
 */
export function namesIn(record: CfdiRecord): Map<string, Decimal> {
  const names = new Map<string, Decimal>();
  for (const item of record.items) {
    const amount = grossOf(item);
    const words = [item.sku ?? '', ...(item.description.match(WORDS) ?? [])];
    for (const name of new Set(words))
      if (isName(name) && names.size < MOST_NAMES)
        names.set(name, add(names.get(name) ?? ZERO, amount));
  }
  const ofAll = [record.folio ?? '', ...(record.conditions?.match(WORDS) ?? [])];
  for (const name of ofAll) if (isName(name)) names.set(name, record.total);
  return names;
}

/**
 * The orders that an invoice names without doubt: one order has the name, and is worth what the
 * invoice charges for it.
 */
export function surelyNamed(
  record: CfdiRecord,
  names: ReadonlyMap<string, Decimal>,
  orders: readonly OrderTotal[],
): OrderTotal[] {
  const byName = Map.groupBy(orders, ({ id }) => id);
  return [...byName.values()].flatMap(([order, ...others]) =>
    order && others.length === 0 && isWorth(record, names.get(order.id) ?? ZERO, order)
      ? [order]
      : [],
  );
}

function isWorth(record: CfdiRecord, charged: Decimal, order: OrderTotal): boolean {
  if (order.total === null || order.currency !== record.currency) return false;
  const worth = order.total;
  return [charged, record.total].some(
    (amount) => compare(absolute(subtract(amount, worth)), CENT) < 0,
  );
}

/** What is paid for an item: its amount less its discount, with its taxes. */
function grossOf({ amount, discount, taxes_transferred, taxes_withheld }: CfdiItem): Decimal {
  const taxes = taxes_transferred.map(({ amount: tax }) => tax ?? ZERO);
  const withheld = taxes_withheld.map(({ amount: tax }) => tax ?? ZERO);
  return subtract(add(amount, ...taxes), add(discount ?? ZERO, ...withheld));
}

function isName(text: string): boolean {
  return text.length >= SHORTEST_NAME && text.length <= LONGEST_NAME && /\d/.test(text);
}
