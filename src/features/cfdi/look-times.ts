import type { Instant } from '../../platform/time.ts';

/** An order is synced minutes after its invoice, or with the first import of its account. */
const HOURS = [1, 6, 24, 72, 240, 720];
/** Orders that come later than this are looked for by `makeOlderCfdisDue`. */
export const LAST_LOOK = { hours: 720 };

/** When to look next for the orders that a CFDI names; null = not again. */
export function nextLook(recordedAt: Instant, now: Instant): Instant | null {
  const looks = HOURS.map((hours) => recordedAt.add({ hours }));
  return looks.find((at) => Temporal.Instant.compare(at, now) > 0) ?? null;
}
