/** What is done with a request that is not answered in time. */
interface Deadline {
  /** Cancels the work on it, whose own refusal is then the answer. */
  abort(): void;
  /** Answers for work that did not end with its cancellation. */
  answer(): void;
}

/** Begins a request's time; calls the deadline unless what is returned is called before. */
export type TimeLimit = (deadline: Deadline) => () => void;

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
  return (deadline) => {
    let timer = setTimeout(() => {
      deadline.abort();
      timer = setTimeout(() => deadline.answer(), GRACE_MS).unref();
    }, abortAfter).unref();
    return () => clearTimeout(timer);
  };
}
