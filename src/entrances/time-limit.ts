/** What is done with a request that is not answered in time. */
interface Deadline {
  /** Cancels the work on it, whose own refusal is then the answer. */
  abort(): void;
  /** Answers for work that did not end with its cancellation. */
  answer(): void;
}

/** Begins a request's time; calls the deadline unless what is returned is called before. */
export type TimeLimit = (deadline: Deadline) => () => void;

/** Requests that begin within this time share their timers. */
export const GROUP_MS = 50;
/** Cancelled work has this time to answer by itself. */
const GRACE_MS = 300;
/** An answer is written this long before the limit: it still has to reach the caller. */
const MARGIN_MS = 250;

/**
 * One time limit for all requests. Grouping and grace are part of the limit: the latest answer of a
 * group leaves before its first request has used up its time. Timers are shared because one for
 * each request would cost more than most answers from memory.
 * @param milliseconds from the end of a request's headers to its answer
 */
export function openTimeLimit(milliseconds: number): TimeLimit {
  const abortAfter = milliseconds - MARGIN_MS - GRACE_MS;
  let beginning: Set<Deadline> | null = null;

  function open(): Set<Deadline> {
    const running = new Set<Deadline>();
    setTimeout(() => {
      beginning = null;
    }, GROUP_MS).unref();
    setTimeout(() => {
      for (const deadline of running) deadline.abort();
      setTimeout(() => {
        for (const deadline of running) deadline.answer();
      }, GRACE_MS).unref();
    }, abortAfter).unref();
    return running;
  }

  return (deadline) => {
    beginning ??= open();
    const group = beginning;
    group.add(deadline);
    return () => void group.delete(deadline);
  };
}
