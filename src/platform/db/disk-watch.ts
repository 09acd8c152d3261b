import type { Clock } from '../clock.ts';

/**
 * After a write that found the disk full, writes are taken to fail for so long: shorter than the
 * five seconds to recover.
 */
const FULL_FOR_MS = 3_000;

/** Remembers for a moment that a write found the disk full. */
export function openDiskWatch(clock: Clock) {
  let fullAt = Number.NEGATIVE_INFINITY;
  return {
    onFull: () => {
      fullAt = clock.monotonic();
    },
    isFull: () => clock.monotonic() - fullAt < FULL_FOR_MS,
  };
}
