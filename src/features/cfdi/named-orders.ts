import {
  absolute,
  add,
  compare,
  type Decimal,
  decimal,
  subtract,
  ZERO,
} from '../../platform/money.ts';
import { type OrderTotal, orderKey } from '../orders/index.ts';
import { chargedBy } from './withheld.ts';
import type { CfdiItem, CfdiRecord } from './xml/record.ts';

/** Shorter ones, such as a folio «12», mean other things than an order more often. */
const SHORTEST_NAME = 6;
const LONGEST_NAME = 200;
const WORDS = /[\w-]+/g;
/** Items, and sums of them, have up to six decimals. */
export const CENT = decimal('0.01');

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
      if (isName(name)) names.set(name, add(names.get(name) ?? ZERO, amount));
  }
  const ofAll = [record.folio ?? '', ...(record.conditions?.match(WORDS) ?? [])];
  for (const name of ofAll) if (isName(name)) names.set(name, chargedBy(record));
  return names;
}

/**
 * The orders that an invoice names without doubt: one order has the name, or all orders of one pack
 * have it, and they are worth what the invoice charges for it.
 * @param packs orders of the packs that it may name
 */
export function surelyNamed(
  record: CfdiRecord,
  names: ReadonlyMap<string, Decimal>,
  orders: readonly OrderTotal[],
  packs: readonly OrderTotal[],
): OrderTotal[] {
  const isSure = (name: string | null, named: readonly OrderTotal[]) =>
    isWorth(record, names.get(name ?? '') ?? ZERO, named);
  const alone = [...Map.groupBy(orders, ({ id }) => id)].filter(
    ([id, named]) => named.length === 1 && isSure(id, named),
  );
  const together = [...Map.groupBy(packs, ({ packId }) => packId)].filter(
    ([id, named]) => new Set(named.map(accountOf)).size === 1 && isSure(id, named),
  );
  const found = [...alone, ...together].flatMap(([, named]) => named);
  return [...new Map(found.map((order) => [orderKey(order), order])).values()];
}

function accountOf({ marketplace, accountId }: OrderTotal): string {
  return `${marketplace}\n${accountId}`;
}

function isWorth(record: CfdiRecord, charged: Decimal, orders: readonly OrderTotal[]): boolean {
  if (orders.some(({ currency }) => currency !== record.currency)) return false;
  const worths = worthsOf(orders);
  return [charged, chargedBy(record)].some((amount) =>
    worths.some((worth) => compare(absolute(subtract(amount, worth)), CENT) < 0),
  );
}

/**
 * The sum of the totals, with any of the parts that these leave out: an invoice is for what was
 * sold, or for what the buyer paid. Empty where a total is not known.
 */
export function worthsOf(orders: readonly OrderTotal[]): Decimal[] {
  const totals = orders.map(({ total }) => total).filter((total) => total !== null);
  if (totals.length < orders.length) return [];
  const parts = [0, 1, 2].map((part) =>
    add(ZERO, ...orders.map(({ beside }) => beside[part] ?? ZERO)),
  );
  const packs = new Map(orders.map(({ packId, packShipping }) => [packId, packShipping]));
  const packShipping = add(ZERO, ...packs.values());
  const worths = [add(ZERO, ...totals)];
  for (const part of [...parts, packShipping])
    if (compare(part, ZERO) !== 0) worths.push(...worths.map((worth) => add(worth, part)));
  return worths;
}

/** What is charged for an item: its amount less its discount, with its taxes but those withheld. */
function grossOf({ amount, discount, taxes_transferred }: CfdiItem): Decimal {
  const taxes = taxes_transferred.map(({ amount: tax }) => tax ?? ZERO);
  return subtract(add(amount, ...taxes), discount ?? ZERO);
}

function isName(text: string): boolean {
  return text.length >= SHORTEST_NAME && text.length <= LONGEST_NAME && /\d/.test(text);
}
