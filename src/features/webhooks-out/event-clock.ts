import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteScope } from '../../platform/db/database.ts';
import type { Notices } from '../../platform/db/notices.ts';
import { openStampCache, publishStamp, type StampCache } from '../../platform/db/stamp-cache.ts';
import type { Instant } from '../../platform/time.ts';
import { readEventClock } from './store-log.ts';

/** The event clock of each organisation: the position of its last event in the log. */
export type EventClocks = StampCache<Instant>;

const NAME = 'events';

export function openEventClocks(database: Database, notices: Notices, clock: Clock): EventClocks {
  const kind = { name: NAME, read: readEventClock, keep: (stamp: Instant) => stamp };
  return openStampCache(database, notices, clock, kind);
}

/** @param stamp the position of the last event of this transaction */
export function publishEventClock(scope: WriteScope, stamp: Instant): void {
  publishStamp(scope, stamp, NAME);
}
