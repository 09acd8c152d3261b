import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import { type Retention, removal, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';
import type { Progress } from './part.ts';

export interface KeptRow {
  readonly id: string;
  readonly what: string;
  readonly format: string;
  readonly from_day: string | null;
  readonly to_day: string | null;
  readonly marketplace: string | null;
  readonly account_id: string | null;
  readonly payout_id: string | null;
  readonly has_earnings: boolean;
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  readonly failure: 'disk_full' | 'interrupted' | null;
  readonly tries: number;
  readonly rows: number;
  readonly bytes: number;
  readonly as_of: string | null;
  readonly created_at: Instant;
  readonly finished_at: Instant | null;
}

const COLUMNS = `id, what, format, from_day, to_day, marketplace, account_id, payout_id, has_earnings,
  state, failure, tries,
  rows::float8 as rows, bytes::float8 as bytes, as_of, created_at, finished_at`;
const ADD = statement<object>(
  'exports.add',
  `insert into exports (organization_id, id, what, format, from_day, to_day, has_earnings, state,
     created_at, marketplace, account_id, payout_id)
   values ($1, $2::uuid, $3, $4, $5, $6, $7::boolean, 'queued', $8::timestamptz, $9, $10, $11)`,
);
const ALL = statement<KeptRow>(
  'exports.all',
  `select ${COLUMNS} from exports where organization_id = $1 order by created_at desc, id desc`,
);
const ONE = statement<KeptRow>(
  'exports.one',
  `select ${COLUMNS} from exports where organization_id = $1 and id = $2::uuid`,
);
const BEGIN = statement<KeptRow>(
  'exports.begin',
  `update exports set state = 'running', tries = tries + 1
    where organization_id = $1 and id = $2::uuid and state in ('queued', 'running')
   returning ${COLUMNS}`,
);
const PROGRESS = statement<{ progress: string | null }>(
  'exports.progress',
  'select progress from exports where organization_id = $1 and id = $2::uuid',
);
const GO_ON = statement<object>(
  'exports.go-on',
  `with cut as (delete from export_chunks
     where organization_id = $1 and export_id = $2::uuid and at > $6::int)
   update exports set progress = $3, rows = $4::bigint, bytes = $5::bigint, as_of = $7
    where organization_id = $1 and id = $2::uuid and state = 'running' returning 1`,
);
/** A process that came further is no failed try. */
const KEEP = statement<object>(
  'exports.keep',
  `update exports set progress = $3, tries = 0
    where organization_id = $1 and id = $2::uuid and state = 'running' returning 1`,
);
/** Nothing is put where the export was deleted meanwhile. */
const PUT = statement<object>(
  'export-chunks.put',
  `with known as (
     update exports set bytes = $4::bigint
      where organization_id = $1 and id = $2::uuid and state = 'running' returning id)
   insert into export_chunks (organization_id, export_id, at, box)
   select $1, id, $3::int, $5::bytea from known
   on conflict (organization_id, export_id, at) do update set box = excluded.box
   returning 1`,
);
const CHUNK = statement<{ box: Buffer }>(
  'export-chunks.one',
  `select box from export_chunks
    where organization_id = $1 and export_id = $2::uuid and at = $3::int`,
);
const NOTE_ROWS = statement<object>(
  'exports.note-rows',
  `update exports set rows = $3::bigint
    where organization_id = $1 and id = $2::uuid and state = 'running' returning 1`,
);
const FINISH = statement<object>(
  'exports.finish',
  `update exports set state = 'done', rows = $3::bigint, bytes = $4::bigint, as_of = $5,
     progress = null, finished_at = $6::timestamptz
    where organization_id = $1 and id = $2::uuid and state = 'running'`,
);
/** Of a failed export nothing is kept. */
const FAIL = statement<object>(
  'exports.fail',
  `with cut as (delete from export_chunks where organization_id = $1 and export_id = $2::uuid)
   update exports set state = 'failed', failure = $3, bytes = 0, progress = null,
     finished_at = $4::timestamptz
    where organization_id = $1 and id = $2::uuid`,
);
/** Of all organisations. */
const UNDER_WAY = search<{ organization_id: string; id: string }>(
  'exports.under-way',
  () => `select organization_id, id from exports
    where state in ('queued', 'running') and created_at < $1::timestamptz`,
);
const REMOVE = statement<object>(
  'exports.remove-one',
  `with cut as (delete from export_chunks where organization_id = $1 and export_id = $2::uuid)
   delete from exports where organization_id = $1 and id = $2::uuid`,
);
const REMOVE_OLD = removal(
  'exports.remove',
  { table: 'exports', time: 'created_at' },
  (oldest) => `with gone as (delete from exports where ${oldest}
     returning organization_id, id),
   cut as (delete from export_chunks c using gone
     where c.organization_id = gone.organization_id and c.export_id = gone.id)
   select 1 from gone`,
);

export const KEEP_DAYS = 7;
/** Each may have thousands of chunks. */
const EXPORTS_AT_ONCE = 5;

export const RETENTIONS: readonly Retention[] = [
  retention('exports', KEEP_DAYS, REMOVE_OLD, EXPORTS_AT_ONCE),
];

type NewExport = Omit<
  KeptRow,
  'state' | 'failure' | 'tries' | 'rows' | 'bytes' | 'as_of' | 'finished_at'
>;

export async function add(scope: WriteScope, given: NewExport): Promise<void> {
  const { id, what, format, from_day, to_day, has_earnings, created_at } = given;
  const values = [id, what, format, from_day, to_day, has_earnings, created_at.toString()];
  const { marketplace, account_id, payout_id } = given;
  await scope.prepared(ADD, [...values, marketplace, account_id, payout_id]);
}

/** Newest first. */
export function all(scope: ReadScope): Promise<KeptRow[]> {
  return scope.prepared(ALL, []);
}

export async function one(scope: ReadScope, id: string): Promise<KeptRow | null> {
  return (await scope.prepared(ONE, [id]))[0] ?? null;
}

/** Exports of all organisations that were asked for before then and are not over. */
export async function underWay(
  handle: Handle,
  before: Instant,
): Promise<{ organizationId: string; exportId: string }[]> {
  const rows = await handle.search(UNDER_WAY, [before.toString()]);
  return rows.map((row) => ({ organizationId: row.organization_id, exportId: row.id }));
}

/** @returns null where it is over, or was deleted */
export async function begin(scope: WriteScope, id: string): Promise<KeptRow | null> {
  return (await scope.prepared(BEGIN, [id]))[0] ?? null;
}

export async function progressOf(scope: ReadScope, id: string): Promise<string | null> {
  return (await scope.prepared(PROGRESS, [id]))[0]?.progress ?? null;
}

/** Chunks after this one are given up. @returns false where it was deleted */
export async function goOn(
  scope: WriteScope,
  id: string,
  from: Progress,
  lastChunk: number,
): Promise<boolean> {
  const values = [id, JSON.stringify(from), from.rows, from.bytes, lastChunk, from.asOf];
  return (await scope.prepared(GO_ON, values)).length > 0;
}

/** @returns false where it was deleted */
export async function keep(scope: WriteScope, id: string, progress: Progress): Promise<boolean> {
  return (await scope.prepared(KEEP, [id, JSON.stringify(progress)])).length > 0;
}

/** @param bytes of the whole, with this chunk @returns false where it was deleted */
export async function putChunk(
  scope: WriteScope,
  id: string,
  { at, box, bytes }: { readonly at: number; readonly box: Buffer; readonly bytes: number },
): Promise<boolean> {
  return (await scope.prepared(PUT, [id, at, bytes, box])).length > 0;
}

export async function chunk(scope: ReadScope, id: string, at: number): Promise<Buffer | null> {
  return (await scope.prepared(CHUNK, [id, at]))[0]?.box ?? null;
}

/** @returns false where it was deleted */
export async function noteRows(scope: WriteScope, id: string, rows: number): Promise<boolean> {
  return (await scope.prepared(NOTE_ROWS, [id, rows])).length > 0;
}

export async function finish(
  scope: WriteScope,
  id: string,
  { rows, bytes, asOf }: { readonly rows: number; readonly bytes: number; readonly asOf: string },
): Promise<void> {
  await scope.prepared(FINISH, [id, rows, bytes, asOf, scope.clock.now().toString()]);
}

export async function failed(
  scope: WriteScope,
  id: string,
  failure: 'disk_full' | 'interrupted',
): Promise<void> {
  await scope.prepared(FAIL, [id, failure, scope.clock.now().toString()]);
}

export async function remove(scope: WriteScope, id: string): Promise<void> {
  await scope.prepared(REMOVE, [id]);
}
