import { compareInstants, type Instant } from './time.ts';

/** The identity of a version. */
export interface Version {
  /** The source's own change time; null where it has none. */
  readonly changedAt: Instant | null;
  /** When its fetch began, by the clock of the process that asked. */
  readonly fetchedAt: Instant;
}

/**
 * Versions follow the source's change time; where either is silent or both agree, the time of the
 * fetch.
 */
export function isOlder(given: Version, other: Version): boolean {
  return (byChange(given, other) || compareInstants(given.fetchedAt, other.fetchedAt)) < 0;
}

/**
 * The same against what is stored. A stored fetch that lies in the future was made by a process
 * whose clock is ahead of this one's, so the two cannot be compared: what was just read counts as
 * newer, or nothing would until that clock's time has come.
 */
export function isOlderThanStored(given: Version, stored: Version, now: Instant): boolean {
  const isIncomparable = compareInstants(stored.fetchedAt, now) > 0;
  return isIncomparable ? byChange(given, stored) < 0 : isOlder(given, stored);
}

function byChange(given: Version, other: Version): number {
  return given.changedAt && other.changedAt ? compareInstants(given.changedAt, other.changedAt) : 0;
}
