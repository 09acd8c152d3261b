/**
 * Begins a request's time; calls both unless what is returned is called before. Two functions and
 * no object of them: what V8 does with object literals that outlive a pause is in docs/bench.md.
 * @param abort cancels the work on it, whose own refusal is then the answer
 * @param answer answers for work that did not end with its cancellation
 */
export type TimeLimit = (abort: () => void, answer: () => void) => () => void;

/** Cancelled work has this time to answer by itself. */
const GRACE_MS = 300;
/** An answer is written this long before the limit: it still has to reach the caller. */
const MARGIN_MS = 250;

/**
 * The time limit of each request; the grace is part of it.
 * @param milliseconds from the end of a request's headers to its answer
 */
export function openTimeLimit(milliseconds: number): TimeLimit {
  const abortAfter = milliseconds - MARGIN_MS - GRACE_MS;
  return (abort, answer) => {
    let timer = setTimeout(() => {
      abort();
      timer = setTimeout(answer, GRACE_MS).unref();
    }, abortAfter).unref();
    return () => clearTimeout(timer);
  };
}
