import { AMOUNTS, type UnpricedLine } from '../../connectors/contract.ts';
import { hiddenLines, keptLines } from './match-lines.ts';
import type { Order, PublicOrder } from './order.ts';

/**
 * Lines without a price, of an order no stored version of which had all amounts: an older one that
 * arrives later may still have them. Null = nothing is missing.
 */
export type UnpricedLines = readonly UnpricedLine[] | null;

/** The fields that a source could not give this time, as stored. */
export function keptFields(source: Order, stored: PublicOrder): Partial<Order> {
  const fields = source.keep.map((field) => [
    field,
    stored[field as keyof PublicOrder] ?? source[field],
  ]);
  const items = source.keep.includes('items') && {
    items: keptLines(stored.items, [...source.items, ...source.unpriced]),
  };
  return { ...Object.fromEntries(fields), ...items };
}

/**
 * The lines that still lack a price once the stored fields were filled in.
 * @param before the missing lines of the stored order; undefined = none was stored
 */
export function stillUnpriced(
  source: Order,
  whole: Order,
  before: UnpricedLines | undefined,
): UnpricedLines {
  const hidden = source.unpriced.length === 0 ? [] : hiddenLines(source.unpriced, whole.items);
  const isWithheld = source.keep.includes('total') && before !== null;
  return hidden.length > 0 || isWithheld ? hidden : null;
}

/** Whether an older version has the prices that the stored one lacks. */
export function hasPricesFor(
  { total, keep, unpriced }: Order,
  missing: UnpricedLines,
): missing is readonly UnpricedLine[] {
  return missing !== null && total !== null && !keep.includes('total') && unpriced.length === 0;
}

/**
 * The stored order with the amounts and the lines of an older version; the rest is newer and stays.
 */
export function withOlderPrices<Of extends PublicOrder>(
  stored: Of,
  older: Order,
  missing: readonly UnpricedLine[],
): Of {
  const amounts = Object.fromEntries(AMOUNTS.map((field) => [field, older[field]]));
  return { ...stored, ...amounts, items: keptLines(older.items, [...stored.items, ...missing]) };
}
