import type { ReadScope } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/query.ts';
import type { Instant } from '../../../platform/time.ts';

interface GuideCounts {
  readonly at: Instant;
  /** Attempts that led to a guide. */
  readonly made: number;
  readonly failed: number;
}

const BY_SLOT = statement<GuideCounts>(
  'guide_attempts.by-slot',
  `select date_bin(make_interval(mins => $3::int), queued_at, $2::timestamptz) as at,
          (count(*) filter (where state = 'ok'))::int4 as made,
          (count(*) filter (where state = 'failed'))::int4 as failed
     from guide_attempts
    where organization_id = $1 and queued_at >= $2::timestamptz and queued_at < $4::timestamptz
    group by 1`,
);

/** The attempts at guides, in slots of so many minutes; slots without one are left out. */
export function guidesBySlot(
  scope: ReadScope,
  { from, to, minutes }: { from: Instant; to: Instant; minutes: number },
): Promise<GuideCounts[]> {
  return scope.prepared(BY_SLOT, [from.toString(), minutes, to.toString()]);
}
