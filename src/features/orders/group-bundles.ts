import { compareInstants, type Instant } from '../../platform/time.ts';
import { type Kept, lettersOf } from './bundle.ts';
import type * as store from './store-documents.ts';

/** Of a bundle: a longer one takes little less, and is read and rewritten whole. */
const MOST_LETTERS = 48_000;

/**
 * Loose bundles with nothing between them: a bundle covers a span of stamps, and spans must not
 * overlap.
 */
export function runsOf(
  found: readonly { readonly recorded_at: Instant; readonly is_loose: boolean }[],
): Instant[][] {
  const runs: Instant[][] = [[]];
  for (const { recorded_at, is_loose } of found) {
    if (is_loose) runs.at(-1)?.push(recorded_at);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 1);
}

interface Unpacked extends store.Bundle {
  readonly texts: readonly Kept[];
}

/**
 * Neighbours that fill a bundle together, in their order; one that does not open stays alone
 * between them.
 */
export function groupsOf(
  bundles: readonly (store.Bundle & { texts: readonly Kept[] | null })[],
): Unpacked[][] {
  const groups: Unpacked[][] = [];
  let room = 0;
  for (const { texts, ...bundle } of bundles) {
    if (!texts) {
      room = -1;
      continue;
    }
    const letters = lettersOf(texts);
    if (groups.length === 0 || letters > room) {
      groups.push([]);
      room = MOST_LETTERS;
    }
    groups.at(-1)?.push({ ...bundle, texts });
    room -= letters;
  }
  return groups;
}

export function earliest(bundles: readonly store.Bundle[]): Instant | null {
  const [first = null] = bundles
    .flatMap(({ replaced_at }) => replaced_at ?? [])
    .sort(compareInstants);
  return first;
}
