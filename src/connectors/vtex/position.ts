import type { FeedState } from './feed.ts';
import type { Slice } from './slices.ts';

/**
 * What the feed gives in this sync run. `fresh`: it was made in this sync run, and has nothing of what was
 * placed shortly before. `foreign`: it is another system's, and reading it would steal what that
 * one waits for. `left`: its events are too large, and this sync run reads the list instead.
 */
export type Feed = FeedState | 'fresh' | 'left';

export interface Lot {
  readonly feed: Feed;
  /** How many lots were read before it. */
  readonly lot: number;
  /**
   * Absent = a lot has several events. Else it has one, since a lot was too large, and so many
   * before it were too large in a row.
   */
  readonly large?: number;
}

interface Sweep {
  /** The last id of the page before; null = from the first one. */
  readonly after: string | null;
  /** This sync run left the feed. */
  readonly isBehind?: true;
}

export type Position =
  | { readonly phase: 'list'; readonly feed: Feed; readonly slice: Slice }
  /** Before every lot: is the queue still ours? */
  | ({ readonly phase: 'queue' } & Lot)
  | ({ readonly phase: 'lot' } & Lot)
  /** By then the feed hands out the events of a lot again that was too large. */
  | { readonly phase: 'hidden'; readonly feed: Feed; readonly until: number }
  /** What was placed by then is listed by then. */
  | { readonly phase: 'late'; readonly until: number }
  | ({ readonly phase: 'open' } & Sweep)
  | ({ readonly phase: 'delivered' } & Sweep);

export type At<Phase extends Position['phase']> = Extract<Position, { readonly phase: Phase }>;

export function pack(position: Position): string {
  return JSON.stringify(position);
}

/** Where the open orders begin, behind list and feed. */
export const OPEN = pack({ phase: 'open', after: null });

/** The same, in a sync run that left the feed. */
export const OPEN_BEHIND = pack({ phase: 'open', after: null, isBehind: true });
