import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;

/** Looks again and again until the check holds; fails with its last complaint when the time is over. */
export async function soon(check: () => Promise<void> | void, withinMs = 1_000): Promise<void> {
  for (const deadline = performance.now() + withinMs; ; ) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await pause(LOOK_EVERY_MS);
  }
}
