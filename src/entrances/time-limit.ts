/** Calls `over` when the time is over, unless what it returns is called before. */
export type TimeLimit = (over: () => void) => () => void;

/** Those who begin within so long end together, at the limit of the last of them. */
const TOGETHER_MS = 50;

/** A limit that is the same for all: a timer for each would cost more than most answers from memory. */
export function openTimeLimit(milliseconds: number): TimeLimit {
  let beginning: Set<() => void> | null = null;

  function open(): Set<() => void> {
    const running = new Set<() => void>();
    setTimeout(() => {
      beginning = null;
    }, TOGETHER_MS).unref();
    setTimeout(() => {
      for (const over of running) over();
    }, TOGETHER_MS + milliseconds).unref();
    return running;
  }

  return (over) => {
    beginning ??= open();
    const mine = beginning;
    mine.add(over);
    return () => void mine.delete(over);
  };
}
