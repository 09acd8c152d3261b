import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;

/**
 * Looks again and again until the check holds; fails with its last complaint when the time is over
 * and it was looked for as often as a machine with nothing else to do looks in that time. So a busy
 * machine has longer.
 */
export async function soon(check: () => Promise<void> | void, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (let looks = 1; ; looks++) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline && looks > withinMs / LOOK_EVERY_MS) throw error;
    }
    await pause(LOOK_EVERY_MS);
  }
}
