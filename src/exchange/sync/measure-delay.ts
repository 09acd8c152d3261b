import type { OrderListener } from '../../features/orders/index.ts';
import type { Metrics } from '../../platform/metrics.ts';

/** What was fetched earlier is changed by something else than its marketplace, such as a parcel. */
const FETCHED_WITHIN_SECONDS = 60;

/**
 * Measures how long a change of an order took from its marketplace to its commit here. Orders of
 * sources without change times are left out.
 */
export function measureDelay({ syncDelay }: Pick<Metrics, 'syncDelay'>): OrderListener {
  return async (scope, changes) => {
    scope.afterCommit(() => {
      const now = scope.clock.now();
      for (const { after } of changes) {
        const { marketplace: service, connectionId, changedAt, fetchedAt } = after;
        if (connectionId === null || changedAt === null) continue;
        if (fetchedAt.until(now).total('seconds') > FETCHED_WITHIN_SECONDS) continue;
        syncDelay.observe({ service }, Math.max(0, changedAt.until(now).total('seconds')));
      }
    });
  };
}
