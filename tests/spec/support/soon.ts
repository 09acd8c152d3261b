import { setTimeout as pause } from 'node:timers/promises';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 50;
const GROWTH = 1.1;

/**
 * The pauses between looks, in milliseconds: longer where the wait is long. A look is often a
 * transaction, which takes more of the processor than what is waited for.
 */
export function pauses(): () => number {
  let next = FIRST_PAUSE_MS / GROWTH;
  return () => {
    next = Math.min(next * GROWTH, LONGEST_PAUSE_MS);
    return next;
  };
}

/**
 * Looks again and again until the check holds; fails with its last complaint when the time is over
 * and it was looked for as often as a machine with nothing else to do looks in that time. So a busy
 * machine has longer.
 */
export async function soon(check: () => Promise<void> | void, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  const next = pauses();
  for (let paused = 0; ; ) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline && paused >= withinMs) throw error;
    }
    const milliseconds = next();
    await pause(milliseconds);
    paused += milliseconds;
  }
}
