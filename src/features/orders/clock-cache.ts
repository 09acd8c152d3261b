import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Notices } from '../../platform/db/notices.ts';
import type { Instant } from '../../platform/time.ts';
import { type DeltaClock, deltaClock } from './as-of.ts';
import type { OrderListener } from './order.ts';
import { readClock } from './store-clock.ts';

/**
 * The delta clock of each organisation, as last notified. It may be behind the database, never
 * ahead.
 */
export interface ClockCache {
  /** Null when the cache is not current, or the organisation has no orders yet. */
  get(organizationId: string): Promise<DeltaClock | null>;
  /** Takes over this process's own changes at their commit, before any notice arrives. */
  readonly listener: OrderListener;
}

interface Entry {
  readonly delta: DeltaClock;
  /** Monotonic milliseconds at which it was true. */
  readonly at: number;
}

const MOST_ENTRIES = 20_000;
/** The process that should send a notice may crash; then a change is seen this much later. */
const LIVES_MS = 1_500;

export function openClockCache(database: Database, notices: Notices, clock: Clock): ClockCache {
  const entries = new Map<string, Entry>();

  function keep(organizationId: string, entry: Entry): DeltaClock {
    if (entries.size >= MOST_ENTRIES) entries.clear();
    entries.set(organizationId, entry);
    return entry.delta;
  }

  function read(organizationId: string, stamp: Instant, at: number): DeltaClock {
    const known = entries.get(organizationId);
    // A notice received meanwhile stays: it can only be later.
    const isKnown = known && Temporal.Instant.compare(known.delta.stamp, stamp) >= 0;
    return keep(organizationId, { delta: isKnown ? known.delta : deltaClock(stamp), at });
  }

  function hear(organizationId: string, stamp: Instant): void {
    const known = entries.get(organizationId);
    // A notice with an old stamp does not prove that there is no later one.
    if (known && Temporal.Instant.compare(known.delta.stamp, stamp) >= 0) return;
    keep(organizationId, { delta: deltaClock(stamp), at: clock.monotonic() });
  }

  function hearLine(line: string): void {
    const space = line.indexOf(' ');
    const stamp = stampIn(line.slice(space + 1));
    // A notice that cannot be read: some clock moved.
    if (stamp === null) entries.clear();
    else hear(line.slice(0, space), stamp);
  }
  notices.on('clock', (payload) => payload.split('\n').forEach(hearLine));
  notices.onGap(() => entries.clear());

  return {
    async get(organizationId) {
      if (!notices.isUp()) return null;
      const known = entries.get(organizationId);
      const at = clock.monotonic();
      if (known && at - known.at < LIVES_MS) return known.delta;
      const stamp = await database.within(organizationId).read(readClock);
      if (!stamp) return null;
      return notices.isUp() ? read(organizationId, stamp, at) : deltaClock(stamp);
    },
    listener: async (scope, changes) => {
      const last = changes.at(-1);
      if (last) scope.afterCommit(() => hear(scope.organizationId, last.lastUpdated));
    },
  };
}

/** Null for a notice of another program on our channel. */
function stampIn(text: string): Instant | null {
  try {
    return Temporal.Instant.from(text);
  } catch {
    return null;
  }
}
