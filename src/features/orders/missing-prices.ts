import { AMOUNTS, type SourceItem, type UnpricedLine } from '../../connectors/contract.ts';
import type { Order, PublicOrder } from './order.ts';

/**
 * Lines without a price, of an order no stored version of which had all amounts: an older one that
 * arrives later may still have them. Null = nothing is missing.
 */
export type UnpricedLines = readonly UnpricedLine[] | null;

type Line = SourceItem | UnpricedLine;

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

function hiddenLines(
  unpriced: readonly UnpricedLine[],
  items: readonly SourceItem[],
): UnpricedLine[] {
  const priced = countByKey(items);
  return unpriced.filter((line) => !takeOne(priced, keyOf(line)));
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

/**
 * The stored lines with their prices; from the current answer, the cancelled units, and lines that
 * are new.
 */
function keptLines(kept: readonly SourceItem[], now: readonly Line[]): SourceItem[] {
  const reported = Map.groupBy(now, keyOf);
  const lines = kept.map((line) => {
    const same = reported.get(keyOf(line))?.shift();
    return same ? { ...line, cancelledQuantity: same.cancelledQuantity } : line;
  });
  return [...lines, ...[...reported.values()].flat().filter((line) => 'unitPrice' in line)];
}

function keyOf({ id, sku, title }: Line): string {
  return JSON.stringify([id, sku, id === null && sku === null ? title : null]);
}

function countByKey(lines: readonly Line[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
  return counts;
}

function takeOne(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  counts.set(key, left - 1);
  return left > 0;
}
