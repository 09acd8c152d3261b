import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

const BY_SLOT = statement<{ at: Instant; count: number }>(
  'carrier_receipts.by-slot',
  `select date_bin(make_interval(mins => $3::int), received_at, $2::timestamptz) as at,
          count(*)::int4 as count
     from carrier_receipts
    where organization_id = $1 and received_at >= $2::timestamptz and received_at < $4::timestamptz
    group by 1`,
);

/** How many events carriers sent, in slots of so many minutes; slots without one are left out. */
export function carrierEventsBySlot(
  scope: ReadScope,
  { from, to, minutes }: { from: Instant; to: Instant; minutes: number },
): Promise<{ at: Instant; count: number }[]> {
  return scope.prepared(BY_SLOT, [from.toString(), minutes, to.toString()]);
}
