import type { Clock } from '../../platform/clock.ts';

/** How long a piece of work bears with a service that makes it wait. All in milliseconds. */
export interface Patience {
  /** How often a call is tried. */
  readonly tries: number;
  /** How long a call may wait before it is tried again. */
  retryWait(): number;
  /** How long it may wait for its turn under the service's limit. */
  turnWait(): number;
  /** How long a try may take, where the host is not given less. */
  answerWait(): number;
}

const LONGEST_WAIT_MS = 30_000;
/** Less time is no try. */
const SHORTEST_TRY_MS = 500;

/** For work that somebody waits for, or that cannot be continued later. */
export const PATIENT: Patience = {
  tries: 4,
  retryWait: () => LONGEST_WAIT_MS,
  turnWait: () => LONGEST_WAIT_MS,
  answerWait: () => Number.POSITIVE_INFINITY,
};

/** A part of a longer run: when it is over, the run goes on later from its checkpoint. */
export interface Slice extends Patience {
  isOver(pages: number): boolean;
}

/**
 * Nothing is tried again after the end of a slice. A page is stored as a whole, so its calls still
 * wait for their turns: a tight limit might never let a page be finished otherwise.
 */
export function openSlice(
  clock: Clock,
  { milliseconds, pages }: { readonly milliseconds: number; readonly pages: number },
): Slice {
  const left = leftUntil(clock, milliseconds);
  return {
    ...PATIENT,
    retryWait: () => Math.min(LONGEST_WAIT_MS, left()),
    isOver: (done) => done >= pages || left() === 0,
  };
}

/** Each call is tried once, and all of them together have so much time. */
export function openOneTry(clock: Clock, milliseconds: number): Patience {
  const left = leftUntil(clock, milliseconds);
  return {
    tries: 1,
    retryWait: () => 0,
    turnWait: left,
    answerWait: () => Math.max(SHORTEST_TRY_MS, left()),
  };
}

function leftUntil(clock: Clock, milliseconds: number): () => number {
  const end = clock.monotonic() + milliseconds;
  return () => Math.max(0, end - clock.monotonic());
}
