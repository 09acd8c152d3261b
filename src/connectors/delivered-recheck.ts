import type { Instant } from '../platform/time.ts';

/**
 * A delivered order is looked at again once a day until it is 60 days old: every two hours those of
 * five of its days.
 */
const PARTS_OF_DAY = 12;
const HOURS_OF_PART = 2;
const DAYS_OF_PART = 5;

/**
 * When the delivered orders that are checked again now were created. Reconciliations run every hour
 * and a little, so none of the day's parts is skipped.
 */
export function recheckedCreations(now: Instant): { from: Instant; to: Instant } {
  const part = Math.floor(now.epochMilliseconds / (HOURS_OF_PART * 3_600_000)) % PARTS_OF_DAY;
  const back = (days: number) => now.subtract({ hours: 24 * days });
  return { from: back((part + 1) * DAYS_OF_PART), to: back(part * DAYS_OF_PART) };
}
