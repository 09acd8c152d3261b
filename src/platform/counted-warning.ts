import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

const MINUTE_MS = 60_000;

/**
 * A warning that is written at most once a minute, with how often it was given since the last line.
 */
export function openCountedWarning(clock: Clock, log: Log, message: string): () => void {
  let count = 0;
  let writtenAt = Number.NEGATIVE_INFINITY;
  return () => {
    count++;
    const now = clock.monotonic();
    if (now - writtenAt < MINUTE_MS) return;
    log.warn({ count }, message);
    writtenAt = now;
    count = 0;
  };
}
