import type { StreamName } from '../../connectors/contract.ts';
import type { SealedConnection } from '../../features/connections/index.ts';
import { countMerged } from '../../features/receipts/index.ts';
import { hasten, RECONCILIATION } from '../../features/schedules/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { openGroupCommit } from '../../platform/group-commit.ts';

/**
 * Limits the webhooks of one connection that are stored and applied one by one; those beyond the
 * limit merge into one sync run. No limit is by address: a marketplace sends the webhooks of all
 * its sellers from a few.
 */
export interface NotificationBudget {
  /** Takes one webhook out of the budget. @returns false when it is used up */
  take(connectionId: string): boolean;
  /**
   * Counts a webhook and hastens the sync runs and reconciliations of these streams; resolves after
   * the commit.
   */
  merge(connection: SealedConnection, streams: readonly StreamName[]): Promise<void>;
}

const MOST_AT_ONCE = 60;
const PER_SECOND = 2;
/** At most one hastened run in this time, however many webhooks arrive. */
const RUN_AFTER = { seconds: 30 };
/** Changes that no list shows, such as cancellations, cost many calls, one for each order. */
const RECONCILE_AFTER = { minutes: 10 };
const MOST_CONNECTIONS = 20_000;
/** Webhooks that arrive while one of their connection is being counted are counted together. */
const TOGETHER = { most: 1_000, atOnce: 1 };

interface Merged {
  readonly connection: SealedConnection;
  readonly streams: readonly StreamName[];
}

/** Budgets in the memory of this process. */
export function openNotificationBudget({
  database,
  clock,
}: {
  database: Database;
  clock: Clock;
}): NotificationBudget {
  const buckets = new Map<string, { left: number; at: number }>();
  const merging = openGroupCommit<Merged, void>(TOGETHER, async (_, pushes) => {
    await mergeAll(database, pushes);
    return pushes.map(() => undefined);
  });

  function left(bucket: { left: number; at: number }): number {
    return Math.min(
      MOST_AT_ONCE,
      bucket.left + ((clock.monotonic() - bucket.at) / 1_000) * PER_SECOND,
    );
  }

  return {
    take(connectionId) {
      const bucket = buckets.get(connectionId) ?? { left: MOST_AT_ONCE, at: clock.monotonic() };
      const now = left(bucket);
      if (buckets.size >= MOST_CONNECTIONS)
        for (const [id, other] of buckets) if (left(other) >= MOST_AT_ONCE) buckets.delete(id);
      buckets.set(connectionId, { left: now >= 1 ? now - 1 : now, at: clock.monotonic() });
      return now >= 1;
    },
    merge: (connection, streams) => merging.add(connection.id, { connection, streams }),
  };
}

async function mergeAll(database: Database, pushes: readonly Merged[]): Promise<void> {
  const [{ connection }] = pushes as [Merged];
  const streams = new Set(pushes.flatMap((push) => push.streams));
  await database.receipts.within(connection.organizationId).write(async (scope) => {
    await countMerged(
      scope,
      { connectionId: connection.id, source: connection.service },
      pushes.length,
    );
    const now = scope.clock.now();
    for (const stream of streams) {
      const subject = `${connection.id}:${stream}`;
      await hasten(scope, 'sync', subject, now.add(RUN_AFTER));
      await hasten(scope, RECONCILIATION, subject, now.add(RECONCILE_AFTER));
    }
  });
}
