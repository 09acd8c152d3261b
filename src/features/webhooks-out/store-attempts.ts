import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

export interface AttemptRow {
  readonly id: string;
  readonly at: Instant;
  readonly event_id: string;
  readonly event_type: string;
  readonly try: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly answer: string;
}

const PAGE = statement<AttemptRow>(
  'webhook-attempts.page',
  `select id, at, event_id, event_type, try, outcome, status, milliseconds, answer from webhook_attempts
    where organization_id = $1 and endpoint_id = $2::uuid
      and (at, id) < ($3::timestamptz, $4::uuid)
    order by at desc, id desc limit $5::int`,
);
const WAS_TRIED = statement<object>(
  'webhook-attempts.was-tried',
  `select 1 from webhook_attempts
    where organization_id = $1 and endpoint_id = $2::uuid
      and at >= $3::timestamptz and at < $4::timestamptz limit 1`,
);
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Newest first. @param before null = from the newest on */
export function pageOfAttempts(
  scope: ReadScope,
  endpointId: string,
  before: { readonly at: Instant; readonly id: string } | null,
  limit: number,
): Promise<AttemptRow[]> {
  const { at, id } = before ?? { at: 'infinity', id: LAST_ID };
  return scope.prepared(PAGE, [endpointId, at.toString(), id, limit]);
}

/** Whether a try began from one time up to another. */
export async function wasTried(
  scope: ReadScope,
  endpointId: string,
  from: Instant,
  to: Instant,
): Promise<boolean> {
  const values = [endpointId, from.toString(), to.toString()];
  return (await scope.prepared(WAS_TRIED, values)).length > 0;
}
