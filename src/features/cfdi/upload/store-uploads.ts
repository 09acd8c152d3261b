import { bulk, type GivenBy } from '../../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { search, statement } from '../../../platform/db/query.ts';
import { removeBefore, retention } from '../../../platform/db/retention.ts';

export const FILE_STATES = ['waiting', 'new', 'known', 'refused'] as const;
export type FileState = (typeof FILE_STATES)[number];

const KEEP_DAYS = 30;
const FILES = bulk('cfdi_upload_files', [
  'place',
  'name_box',
  'size',
  'crc',
  'packed_box',
  'state',
  'reason',
  'message',
]);
const RESULTS = bulk('cfdi_upload_files', ['place', 'state', 'uuid', 'reason', 'message']);

const ADD = statement<object>(
  'cfdi-uploads.add',
  `insert into cfdi_uploads (organization_id, id, asked_at)
   values ($1, $2::uuid, $3::timestamptz)`,
);
const ADD_FILES = FILES.statement(
  'cfdi-uploads.add-files',
  (given) => `insert into cfdi_upload_files (organization_id, upload_id, asked_at, ${FILES.names})
   select $1, $2::uuid, $3::timestamptz, * from ${given}`,
);
const FIND = statement<object>(
  'cfdi-uploads.find',
  'select from cfdi_uploads where organization_id = $1 and id = $2::uuid',
);
const COUNT = statement<{ state: FileState; files: number }>(
  'cfdi-uploads.count',
  `select state, count(*)::int as files from cfdi_upload_files
    where organization_id = $1 and upload_id = $2::uuid group by state`,
);
const WAITING = statement<{ files: number; bytes: string }>(
  'cfdi-uploads.waiting',
  `select count(*)::int as files, coalesce(sum(octet_length(packed_box)), 0)::text as bytes
     from cfdi_upload_files where organization_id = $1 and state = 'waiting'`,
);
const UNREAD = search<{ organization_id: string; upload_id: string }>(
  'cfdi-uploads.unread',
  () => "select distinct organization_id, upload_id from cfdi_upload_files where state = 'waiting'",
);
const REFUSED = statement<RefusedRow>(
  'cfdi-uploads.refused',
  `select place, name_box, reason, message from cfdi_upload_files
    where organization_id = $1 and upload_id = $2::uuid and state = 'refused' order by place`,
);
const NEXT = statement<WaitingRow>(
  'cfdi-uploads.next',
  `select place, size, crc, packed_box from (
     select place, size, crc, packed_box, sum(size) over (order by place) - size as before
       from (
         select place, size, crc, packed_box from cfdi_upload_files
          where organization_id = $1 and upload_id = $2::uuid and state = 'waiting'
            and place > $3::int
          order by place limit $5::int) n) f
    where before < $4::int order by place`,
);
/** Those that another process read meanwhile keep its results. */
const LOCK = statement<{ place: number }>(
  'cfdi-uploads.lock',
  `select place from cfdi_upload_files
    where organization_id = $1 and upload_id = $2::uuid and state = 'waiting'
      and place between $3::int and $4::int
    order by place for update`,
);
const SETTLE = RESULTS.statement(
  'cfdi-uploads.settle',
  (given) => `update cfdi_upload_files f
      set state = given.state, uuid = given.uuid, reason = given.reason,
          message = given.message, packed_box = null
     from ${given}
    where f.organization_id = $1 and f.upload_id = $2::uuid and f.place = given.place
      and f.place between $3::int and $4::int`,
);

export const UPLOAD_RETENTIONS = [
  retention(
    'cfdi_upload_files',
    KEEP_DAYS,
    removeBefore('cfdi-uploads.remove-files', 'cfdi_upload_files', 'asked_at'),
  ),
  retention(
    'cfdi_uploads',
    KEEP_DAYS,
    removeBefore('cfdi-uploads.remove', 'cfdi_uploads', 'asked_at'),
  ),
];

interface RefusedRow {
  readonly place: number;
  readonly name_box: Buffer;
  readonly reason: string;
  readonly message: string;
}

interface WaitingRow {
  readonly place: number;
  readonly size: number;
  readonly crc: number;
  readonly packed_box: Buffer;
}

export async function add(
  scope: WriteScope,
  id: string,
  files: readonly GivenBy<typeof FILES>[],
): Promise<void> {
  const given = [id, scope.clock.now().toString()];
  await scope.prepared(ADD, given);
  await scope.prepared(ADD_FILES, ADD_FILES.values(given, files));
}

export async function exists(scope: ReadScope, id: string): Promise<boolean> {
  return (await scope.prepared(FIND, [id])).length > 0;
}

export async function counts(scope: ReadScope, id: string): Promise<Map<FileState, number>> {
  const rows = await scope.prepared(COUNT, [id]);
  return new Map(rows.map(({ state, files }) => [state, files]));
}

/** What waits in all uploads of the organisation; bytes are packed. */
export async function waiting(scope: ReadScope): Promise<{ files: number; bytes: number }> {
  const [row] = await scope.prepared(WAITING, []);
  return { files: row?.files ?? 0, bytes: Number(row?.bytes ?? 0) };
}

/** Uploads of all organisations with files that wait. */
export async function unread(
  handle: Handle,
): Promise<{ organizationId: string; uploadId: string }[]> {
  const rows = await handle.search(UNREAD, []);
  return rows.map((row) => ({ organizationId: row.organization_id, uploadId: row.upload_id }));
}

export function refused(scope: ReadScope, id: string): Promise<RefusedRow[]> {
  return scope.prepared(REFUSED, [id]);
}

/** @param bytes unpacked, of all but the last one */
export function next(
  scope: ReadScope,
  id: string,
  after: number,
  bytes: number,
  files: number,
): Promise<WaitingRow[]> {
  return scope.prepared(NEXT, [id, after, bytes, files]);
}

export async function lockWaiting(
  scope: WriteScope,
  id: string,
  places: readonly number[],
): Promise<Set<number>> {
  const rows = await scope.prepared(LOCK, [id, ...endsOf(places)]);
  return new Set(rows.map(({ place }) => place));
}

export async function settle(
  scope: WriteScope,
  id: string,
  results: readonly GivenBy<typeof RESULTS>[],
): Promise<void> {
  if (results.length === 0) return;
  const places = results.map(({ place }) => place);
  await scope.prepared(SETTLE, SETTLE.values([id, ...endsOf(places)], results));
}

/** In between, an index is walked: by their places, all files of the upload would be. */
function endsOf(places: readonly number[]): [number, number] {
  return [Math.min(...places), Math.max(...places)];
}
