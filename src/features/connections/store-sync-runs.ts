import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';

export type SyncRunRow = Pick<
  Rows['sync_runs'],
  'stream' | 'begun_at' | 'ended_at' | 'outcome' | 'items' | 'reason'
>;

/** Of each stream; the next one takes the slot of the oldest. */
const KEPT = 20;

/** Ends the run that the stream is in: when it began and how many rows it read are there. */
const INSERT = statement<object>(
  'sync-runs.insert',
  `insert into sync_runs (organization_id, connection_id, stream, slot, number, begun_at, ended_at,
                          outcome, items, reason)
   select $1, $2::uuid, $3, newest.number % ${KEPT}, newest.number,
          coalesce(streams.window_to, $4::timestamptz), $4::timestamptz, $5,
          streams.pass_items, $6
     from streams,
          (select coalesce(max(number), 0) + 1 as number from sync_runs
            where organization_id = $1 and connection_id = $2::uuid and stream = $3) as newest
    where streams.organization_id = $1 and streams.connection_id = $2::uuid and streams.stream = $3
   on conflict (organization_id, connection_id, stream, slot) do update
      set number = excluded.number, begun_at = excluded.begun_at, ended_at = excluded.ended_at,
          outcome = excluded.outcome, items = excluded.items, reason = excluded.reason`,
);
const NEWEST = statement<SyncRunRow>(
  'sync-runs.newest',
  `select stream, begun_at, ended_at, outcome, items, reason from sync_runs
    where organization_id = $1 and connection_id = $2::uuid
    order by ended_at desc, number desc`,
);

export async function insert(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  { outcome, reason }: { readonly outcome: string; readonly reason: string | null },
): Promise<void> {
  const now = scope.clock.now().toString();
  await scope.prepared(INSERT, [connectionId, stream, now, outcome, reason]);
}

export function newest(scope: ReadScope, connectionId: string): Promise<SyncRunRow[]> {
  return scope.prepared(NEWEST, [connectionId]);
}
