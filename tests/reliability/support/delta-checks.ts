/** What must hold between the commits that writers saw and what followers saw. */
import { formatMicros, fromEpochMicros } from '../../../src/platform/time.ts';
import type { Follower } from './follower.ts';
import type { Acknowledged } from './writer.ts';

interface Lateness {
  /** Changes of which neither the state nor a later one of the same order was ever seen. */
  readonly missed: number;
  /** Milliseconds from commit to sight, ascending, of all that were seen. */
  readonly delays: readonly number[];
}

/** A change is seen when its order was seen with that `last_updated` or a larger one. */
export function latenessOf(transactions: readonly Acknowledged[], follower: Follower): Lateness {
  let missed = 0;
  const delays: number[] = [];
  for (const { committed, changes } of transactions) {
    for (const { id, lastUpdated } of changes) {
      const wanted = formatMicros(fromEpochMicros(lastUpdated));
      const seen = firstFrom(follower.sightings.get(id) ?? [], wanted);
      if (seen) delays.push(seen.at - committed);
      else missed++;
    }
  }
  return { missed, delays: delays.sort((a, b) => a - b) };
}

/** Stamps that two changes of one organisation share. */
export function sharedStamps(transactions: readonly Acknowledged[]): number {
  const seen = new Set<number>();
  let shared = 0;
  for (const { changes } of transactions) {
    for (const { lastUpdated } of changes) {
      if (seen.has(lastUpdated)) shared++;
      seen.add(lastUpdated);
    }
  }
  return shared;
}

/** Transactions that began after another one was committed, and yet have a smaller stamp. */
export function stampsOutOfOrder(transactions: readonly Acknowledged[]): number {
  const withChanges = transactions.filter(({ changes }) => changes.length > 0);
  const byCommit = withChanges.toSorted((a, b) => a.committed - b.committed);
  const byBegin = withChanges.toSorted((a, b) => a.begun - b.begun);
  let committed = 0;
  let largest = 0;
  let outOfOrder = 0;
  for (const transaction of byBegin) {
    for (
      ;
      (byCommit[committed]?.committed ?? Number.POSITIVE_INFINITY) < transaction.begun;
      committed++
    )
      largest = Math.max(largest, ...stampsOf(byCommit[committed] as Acknowledged));
    if (Math.min(...stampsOf(transaction)) <= largest) outOfOrder++;
  }
  return outOfOrder;
}

/** By order, the largest version that was acknowledged. */
export function largestVersions(transactions: readonly Acknowledged[]): Map<string, number> {
  const largest = new Map<string, number>();
  for (const { changes } of transactions)
    for (const { id, version } of changes) largest.set(id, Math.max(version, largest.get(id) ?? 0));
  return largest;
}

function stampsOf({ changes }: Acknowledged): number[] {
  return changes.map(({ lastUpdated }) => lastUpdated);
}

function firstFrom<T extends { lastUpdated: string }>(
  ascending: readonly T[],
  wanted: string,
): T | undefined {
  let from = 0;
  let to = ascending.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ascending[middle] as T).lastUpdated < wanted) from = middle + 1;
    else to = middle;
  }
  return ascending[from];
}
