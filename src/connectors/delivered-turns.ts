import type { Instant } from '../platform/time.ts';

/**
 * A delivered order is looked at again once a day until it is 60 days old: every two hours those of
 * five of its days.
 */
const TURNS = 12;
const HOURS_OF_TURN = 2;
const DAYS_OF_TURN = 5;

/**
 * When the delivered orders that have their turn now were created. Reconciliations run every hour
 * and a little, so none of the day's turns is skipped.
 */
export function turnOf(now: Instant): { from: Instant; to: Instant } {
  const turn = Math.floor(now.epochMilliseconds / (HOURS_OF_TURN * 3_600_000)) % TURNS;
  const back = (days: number) => now.subtract({ hours: 24 * days });
  return { from: back((turn + 1) * DAYS_OF_TURN), to: back(turn * DAYS_OF_TURN) };
}
