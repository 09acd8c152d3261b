import type { Clock } from '../../platform/clock.ts';

/** How long a step waits for a service. All in milliseconds. */
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
/** Less time is not worth a request. */
const SHORTEST_TRY_MS = 500;

/** For work that a person waits for, or that cannot go on later. */
export const PATIENT: Patience = {
  tries: 4,
  retryWait: () => LONGEST_WAIT_MS,
  turnWait: () => LONGEST_WAIT_MS,
  answerWait: () => Number.POSITIVE_INFINITY,
};

/** A part of a sync run; the next slice goes on from the checkpoint. */
export interface Slice extends Patience {
  isOver(pages: number): boolean;
}

/**
 * No request is retried after the end of a slice. Requests still wait for their turns, since a page
 * is stored as a whole: under a tight limit no page would be finished otherwise.
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

/** Each request is sent once, and all of them together have this time. */
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
