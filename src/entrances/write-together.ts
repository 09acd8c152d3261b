const waiting: (() => void)[] = [];

/**
 * Ends the responses that are ready in one turn of the event loop one after the other at its end:
 * each write alone would wake its reader alone. What that saves is in docs/bench.md.
 */
export function endTogether(end: () => void): void {
  if (waiting.push(end) > 1) return;
  setImmediate(() => {
    for (const end of waiting.splice(0)) end();
  });
}
