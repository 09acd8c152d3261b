import type { Database } from '../../platform/db/database.ts';
import type { Notices } from '../../platform/db/notices.ts';
import type { Instant } from '../../platform/time.ts';
import { type DeltaClock, deltaClock } from './as-of.ts';
import type { OrderListener } from './order.ts';
import { readClock } from './store.ts';

/** The delta clock of each organisation as last heard. It may be behind the database, never ahead. */
export interface ClockCache {
  /** Null when nothing may be answered from memory, or the organisation has no orders yet. */
  get(organizationId: string): Promise<DeltaClock | null>;
  /** Hears of this process's own changes with their commit, before any notice travels. */
  readonly listener: OrderListener;
}

const MOST_ENTRIES = 20_000;

export function openClockCache(database: Database, notices: Notices): ClockCache {
  const clocks = new Map<string, DeltaClock>();

  function saw(organizationId: string, stamp: Instant): DeltaClock {
    if (clocks.size >= MOST_ENTRIES) clocks.clear();
    const known = clocks.get(organizationId);
    if (known && Temporal.Instant.compare(known.stamp, stamp) >= 0) return known;
    const clock = deltaClock(stamp);
    clocks.set(organizationId, clock);
    return clock;
  }
  notices.on('clock', (payload) => {
    const space = payload.indexOf(' ');
    const stamp = stampIn(payload.slice(space + 1));
    // Whatever it says, some clock moved.
    if (stamp === null) clocks.clear();
    else saw(payload.slice(0, space), stamp);
  });
  notices.onGap(() => clocks.clear());

  return {
    async get(organizationId) {
      if (!notices.isUp()) return null;
      const known = clocks.get(organizationId);
      if (known) return known;
      const stamp = await database.within(organizationId).read(readClock);
      if (!stamp) return null;
      // A notice that came meanwhile is kept: it can only be later.
      return notices.isUp() ? saw(organizationId, stamp) : deltaClock(stamp);
    },
    listener: async (scope, changes) => {
      const last = changes.at(-1);
      if (last) scope.afterCommit(() => void saw(scope.organizationId, last.lastUpdated));
    },
  };
}

/** As PostgreSQL writes it; null for what somebody else wrote on our channel. */
function stampIn(text: string): Instant | null {
  try {
    return Temporal.Instant.from(text);
  } catch {
    return null;
  }
}
