import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

const CREATED = statement<{ at: Instant; count: number }>(
  'orders.created-by-slot',
  `select date_bin(make_interval(mins => $3::int), to_timestamp(-newest_first / 1000.0), $2::timestamptz) as at,
          count(*)::int4 as count
     from orders
    where organization_id = $1
      and newest_first <= -(extract(epoch from $2::timestamptz) * 1000)::bigint
      and newest_first > -(extract(epoch from $4::timestamptz) * 1000)::bigint
    group by 1`,
);

/**
 * How many orders buyers placed, in slots of so many minutes from `from` until `to`; slots without
 * one are left out.
 */
export function ordersBySlot(
  scope: ReadScope,
  { from, to, minutes }: { from: Instant; to: Instant; minutes: number },
): Promise<{ at: Instant; count: number }[]> {
  return scope.prepared(CREATED, [from.toString(), minutes, to.toString()]);
}
