import type { Clock } from '../../platform/clock.ts';
import { parseHttpDate } from '../../platform/time.ts';

/** A service that asks for more is asked again after this; some ask for the year 9999. */
export const LONGEST_PAUSE_SECONDS = 86_400;

/** Retry-After, as a date or in seconds, which Shopify gives as `2.0`. */
export function retryAfterOf(header: string | undefined, clock: Clock): number | null {
  if (header === undefined) return null;
  const isNumber = /^\d+(\.\d+)?$/.test(header.trim());
  const seconds = isNumber ? Math.ceil(Number(header)) : secondsUntil(header, clock);
  return seconds && Math.min(Math.max(0, seconds), LONGEST_PAUSE_SECONDS);
}

function secondsUntil(header: string, clock: Clock): number | null {
  const date = parseHttpDate(header);
  return date && Math.ceil(clock.now().until(date).total('seconds'));
}
