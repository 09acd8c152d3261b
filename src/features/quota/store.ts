import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteHandle } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

/** Requests of one caller in one minute. */
export interface Count {
  readonly organizationId: string;
  /** Its beginning, in epoch milliseconds. */
  readonly minute: number;
  readonly caller: { readonly kind: 'key' | 'agent'; readonly id: string };
  readonly admitted: number;
  readonly refused: number;
}

const COUNTS = bulk('request_counts', [
  'organization_id',
  'minute',
  'caller_kind',
  'caller_id',
  'admitted',
  'refused',
]);

/** One order for all, so that two processes do not deadlock. */
const ADD = COUNTS.statement(
  'request_counts.add',
  (given) => `insert into request_counts (${COUNTS.names})
   select ${COUNTS.names} from ${given}
    order by organization_id, minute, caller_kind, caller_id
   on conflict (organization_id, minute, caller_kind, caller_id) do update
     set admitted = request_counts.admitted + excluded.admitted,
         refused = request_counts.refused + excluded.refused`,
);

export async function addCounts(handle: WriteHandle, counts: readonly Count[]): Promise<void> {
  const rows = counts.map(({ organizationId, minute, caller, admitted, refused }) => ({
    organization_id: organizationId,
    minute: Temporal.Instant.fromEpochMilliseconds(minute),
    caller_kind: caller.kind,
    caller_id: caller.id,
    admitted,
    refused,
  }));
  await handle.raw(ADD, ADD.values([], rows));
}

const ASKED = 'organization_id = $1 and minute >= $2::timestamptz and minute < $3::timestamptz';
const OF_CALLER = '($4::text is null or caller_id = $4)';

interface SlotRow {
  readonly at: Instant;
  readonly admitted: number;
  readonly refused: number;
}

const BY_SLOT = statement<SlotRow>(
  'request_counts.by-slot',
  `select date_bin(make_interval(mins => $5::int), minute, $2::timestamptz) as at,
          sum(admitted)::int4 as admitted, sum(refused)::int4 as refused
     from request_counts where ${ASKED} and ${OF_CALLER} group by 1`,
);

const BUSIEST = statement<{ at: Instant; admitted: number }>(
  'request_counts.busiest',
  `select minute as at, sum(admitted)::int4 as admitted
     from request_counts where ${ASKED} and ${OF_CALLER}
    group by minute order by 2 desc, 1 desc limit 1`,
);

interface CallerRow {
  readonly caller_kind: 'key' | 'agent';
  readonly caller_id: string;
  readonly admitted: number;
  readonly refused: number;
  readonly last_at: Instant;
}

const BY_CALLER = statement<CallerRow>(
  'request_counts.by-caller',
  `select caller_kind, caller_id, sum(admitted)::int4 as admitted, sum(refused)::int4 as refused,
          max(minute) as last_at
     from request_counts where ${ASKED}
    group by caller_kind, caller_id
    order by sum(admitted) + sum(refused) desc, caller_kind, caller_id`,
);

interface Asked {
  readonly from: Instant;
  /** The first instant after it. */
  readonly to: Instant;
  readonly callerId: string | null;
}

/** @param minutes the length of a slot; the first one begins at `from` */
export function countsBySlot(
  scope: ReadScope,
  { from, to, minutes, callerId }: Asked & { readonly minutes: number },
): Promise<SlotRow[]> {
  return scope.prepared(BY_SLOT, [from.toString(), to.toString(), callerId, minutes]);
}

export async function busiestMinute(scope: ReadScope, { from, to, callerId }: Asked) {
  const rows = await scope.prepared(BUSIEST, [from.toString(), to.toString(), callerId]);
  return rows[0];
}

export function countsByCaller(
  scope: ReadScope,
  { from, to }: Omit<Asked, 'callerId'>,
): Promise<CallerRow[]> {
  return scope.prepared(BY_CALLER, [from.toString(), to.toString()]);
}

const KEEP_DAYS = 2;

export const RETENTIONS = [
  retention(
    'request_counts',
    KEEP_DAYS,
    removeBefore('request_counts.remove', 'request_counts', 'minute'),
  ),
];
