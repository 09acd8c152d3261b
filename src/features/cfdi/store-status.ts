import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';
import { IS_BACKFILL } from '../connections/index.ts';

const ANSWERS = bulk('cfdis', ['uuid', 'status', 'ask_at']);

const WITH_DUE = search<{ organization_id: string }>(
  'cfdis.organizations-to-ask',
  () => 'select distinct organization_id from cfdis where ask_at <= $1::timestamptz',
);
const DUE = statement<DueRow>(
  'cfdis.to-ask',
  `select uuid, status, issued_at, recorded_at, record_box,
       exists (
         select from invoice_documents d
          where d.organization_id = $1 and d.uuid = c.uuid and d.marketplace = c.source
            and ${IS_BACKFILL('d.connection_id', 'd.recorded_at', ['invoices'])}) as is_backfill
     from cfdis c
    where organization_id = $1 and ask_at <= $2::timestamptz
    order by ask_at, uuid limit $3::int`,
);
const NOTE = ANSWERS.statement<{ uuid: string; is_changed: boolean }>(
  'cfdis.note-status',
  (given) => `update cfdis c set status = known.status, ask_at = known.ask_at,
       asked_at = $2::timestamptz
     from (select given.*, old.status as before from ${given}
             join cfdis old on old.organization_id = $1 and old.uuid = given.uuid
            order by old.uuid for update of old) known
    where c.organization_id = $1 and c.uuid = known.uuid
   returning c.uuid, known.before <> c.status as is_changed`,
);

/** Behind all others that are due. */
const POSTPONE = statement<object>(
  'cfdis.ask-later',
  `update cfdis set ask_at = $3::timestamptz
    where organization_id = $1 and uuid = any($2::text[]) and ask_at is not null`,
);

interface DueRow {
  readonly uuid: string;
  readonly status: 'vigente' | 'cancelado' | 'desconocido';
  readonly issued_at: Instant;
  readonly recorded_at: Instant;
  readonly record_box: Buffer;
  readonly is_backfill: boolean;
}

export async function organizations(handle: Handle, now: Instant): Promise<string[]> {
  const rows = await handle.search(WITH_DUE, [now.toString()]);
  return rows.map(({ organization_id }) => organization_id);
}

export function due(scope: ReadScope, limit: number): Promise<DueRow[]> {
  return scope.prepared(DUE, [scope.clock.now().toString(), limit]);
}

/** @returns the folios whose status is another one now */
export async function note(
  scope: WriteScope,
  answers: readonly GivenBy<typeof ANSWERS>[],
): Promise<string[]> {
  const values = NOTE.values([scope.clock.now().toString()], answers);
  const rows = await scope.prepared(NOTE, values);
  return rows.flatMap(({ uuid, is_changed }) => (is_changed ? [uuid] : []));
}

export async function postpone(scope: WriteScope, uuids: readonly string[]): Promise<void> {
  await scope.prepared(POSTPONE, [uuids, scope.clock.now().toString()]);
}
