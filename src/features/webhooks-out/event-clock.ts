import type { Clock } from '../../platform/clock.ts';
import type { Database, ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Notices } from '../../platform/db/notices.ts';
import { statement } from '../../platform/db/query.ts';
import { openStampCache, type StampCache, tellStamp } from '../../platform/db/stamp-cache.ts';
import type { Instant } from '../../platform/time.ts';

/** The event clock of each organisation: the place of its last event in the log. */
export type EventClocks = StampCache<Instant>;

const NAME = 'events';
const READ = statement<{ stamp: Instant }>(
  'events.read-clock',
  'select stamp from event_clocks where organization_id = $1',
);

export function openEventClocks(database: Database, notices: Notices, clock: Clock): EventClocks {
  const read = async (scope: ReadScope) => (await scope.prepared(READ, []))[0]?.stamp ?? null;
  return openStampCache(database, notices, clock, { name: NAME, read, keep: (stamp) => stamp });
}

/** @param stamp the place of the last event of this transaction */
export function tellEventClock(scope: WriteScope, stamp: Instant): void {
  tellStamp(scope, stamp, NAME);
}
