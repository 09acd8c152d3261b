import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

/** From the changes of orders at a marketplace to their commits here. */
interface SyncDelay {
  readonly marketplace: string;
  /** Changes that were measured. */
  readonly changes: number;
  /** Seconds. */
  readonly median: number;
  readonly p95: number;
}

// Without first imports, and without orders whose version rose later and changed nothing.
const MEASURED = `from orders
     join streams on streams.organization_id = $1 and streams.connection_id = orders.connection_id
      and streams.stream = 'orders' and streams.first_import_done_at < orders.told_at,
     lateral (select round(extract(epoch from told_at - changed_at)) as seconds) as delay
    where orders.organization_id = $1 and orders.last_updated >= $2::timestamptz
      and orders.told_at >= $2::timestamptz and orders.changed_at <= orders.told_at`;

const DELAYS = statement<SyncDelay>(
  'orders.sync-delays',
  `select orders.marketplace, count(*)::int4 as changes,
          percentile_disc(0.5) within group (order by seconds)::int4 as median,
          percentile_disc(0.95) within group (order by seconds)::int4 as p95
     ${MEASURED}
    group by orders.marketplace
    order by orders.marketplace`,
);

/** Of the last change of each order that changed since then, by marketplace. */
export function syncDelays(scope: ReadScope, since: Instant): Promise<SyncDelay[]> {
  return scope.prepared(DELAYS, [since.toString()]);
}

interface DelayInSlot {
  readonly marketplace: string;
  readonly at: Instant;
  /** Seconds. */
  readonly p95: number;
}

const DELAYS_BY_SLOT = statement<DelayInSlot>(
  'orders.sync-delays-by-slot',
  `select orders.marketplace,
          date_bin(make_interval(mins => $3::int), orders.told_at, $2::timestamptz) as at,
          percentile_disc(0.95) within group (order by seconds)::int4 as p95
     ${MEASURED} and orders.told_at < $4::timestamptz
    group by 1, 2`,
);

/**
 * The same by marketplace in slots of so many minutes from `from` until `to`; slots without a change
 * are left out.
 */
export function syncDelaysBySlot(
  scope: ReadScope,
  { from, to, minutes }: { from: Instant; to: Instant; minutes: number },
): Promise<DelayInSlot[]> {
  return scope.prepared(DELAYS_BY_SLOT, [from.toString(), minutes, to.toString()]);
}
