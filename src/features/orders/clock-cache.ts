import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Notices } from '../../platform/db/notices.ts';
import { openStampCache, type StampCache } from '../../platform/db/stamp-cache.ts';
import { type DeltaClock, deltaClock } from './as-of.ts';
import { readClock } from './store-clock.ts';

/** The delta clock of each organisation. */
export type ClockCache = StampCache<DeltaClock>;

export function openClockCache(database: Database, notices: Notices, clock: Clock): ClockCache {
  return openStampCache(database, notices, clock, { read: readClock, keep: deltaClock });
}
