import { systemClock } from '../platform/clock.ts';

/** One keypress or one `kill` of a group may arrive twice: by itself, and passed on by npm. */
const ECHO_MS = 1_000;

/**
 * Calls `stop` at the first of these signals; a later one, whichever, ends the process at once.
 * @returns what ends that
 */
export function onStopSignal(
  signals: readonly NodeJS.Signals[],
  stop: (signal: NodeJS.Signals) => void,
): () => void {
  let firstAt: number | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    const now = systemClock.monotonic();
    if (firstAt !== null && now - firstAt > ECHO_MS) process.kill(process.pid, 'SIGKILL');
    if (firstAt !== null) return;
    firstAt = now;
    stop(signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
