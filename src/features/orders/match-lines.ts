import type { SourceItem, UnpricedLine } from '../../connectors/contract.ts';

type Line = SourceItem | UnpricedLine;

export function hiddenLines(
  unpriced: readonly UnpricedLine[],
  items: readonly SourceItem[],
): UnpricedLine[] {
  const priced = countByKey(items);
  return unpriced.filter((line) => !takeOne(priced, keyOf(line)));
}

/**
 * The stored lines with their prices; from the current answer, the cancelled units, and lines that
 * are new.
 */
export function keptLines(kept: readonly SourceItem[], now: readonly Line[]): SourceItem[] {
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
