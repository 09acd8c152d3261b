import { type Client, copyIn, copyOut } from '../../platform/db/copy.ts';
import type { Handle } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { QUEUE_SESSIONS } from '../../platform/queue-start.ts';
import type { Instant } from '../../platform/time.ts';

const LAST_RESTORE = statement<{ as_of: Instant; restored_at: Instant }>(
  'backup.last-restore',
  'select as_of, restored_at from restores where restored_at > $1::timestamptz order by restored_at desc limit 1',
);

/** The queue of a service has sessions of its own; no command opens it beside them. */
const SERVED = statement<{ is_served: boolean }>(
  'backup.is-served',
  `select exists (select from pg_stat_activity
     where datname = current_database() and application_name = '${QUEUE_SESSIONS}') as is_served`,
);

/** Whether a service works on this database. */
export async function isServed(handle: Handle): Promise<boolean> {
  return (await handle.raw(SERVED, []))[0]?.is_served ?? true;
}

interface Restore {
  /** Of the backup. */
  readonly asOf: Instant;
  readonly restoredAt: Instant;
}

/** The last restore, if it was after `since`. */
export async function lastRestore(handle: Handle, since: Instant): Promise<Restore | null> {
  const [row] = await handle.raw(LAST_RESTORE, [since.toString()]);
  return row ? { asOf: row.as_of, restoredAt: row.restored_at } : null;
}

/** A table with its columns, but for those that the database computes. */
export interface TableColumns {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Made by the restoring release itself. */
const MIGRATIONS = 'migrations';

/** Begins a transaction whose reads are all of one instant. @returns it, in ISO 8601 */
export async function beginSnapshot(client: Client): Promise<string> {
  await client.query('begin isolation level repeatable read, read only');
  const { rows } = await client.query<{ at: string }>(
    `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
  );
  return rows[0]?.at ?? '';
}

export async function tablesOf(client: Client): Promise<TableColumns[]> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition and c.relname <> $1
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      group by c.relname order by c.relname`,
    [MIGRATIONS],
  );
  return rows;
}

export async function migrationsOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from migrations order by name',
  );
  return rows.map(({ name }) => name);
}

export async function serverVersion(client: Client): Promise<string> {
  const { rows } = await client.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  return rows[0]?.version ?? '';
}

/** The last number of each sequence, as text. */
export async function sequencesOf(client: Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `select sequencename as name, last_value::text as last from pg_sequences
      where schemaname = 'public' and last_value is not null`,
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

export function rowsOut(client: Client, { table, columns }: TableColumns) {
  return copyOut(client, `copy ${columnListOf(client, table, columns)} to stdout`);
}

/** Loads the rows of an empty table. Its indexes are built after them, each in one go. */
export async function rowsIn(
  client: Client,
  { table, columns }: TableColumns,
  text: AsyncIterable<Buffer>,
): Promise<void> {
  const name = `public.${client.escapeIdentifier(table)}`;
  const { rows: indexes } = await client.query<{ drop: string; create: string }>(INDEXES, [name]);
  for (const { drop } of indexes) await client.query(drop);
  await copyIn(client, `copy ${columnListOf(client, table, columns)} from stdin`, text);
  for (const { create } of indexes) await client.query(create);
}

/** Of a table, but for keys that other tables refer to. */
const INDEXES = `
  select case when c.oid is null then format('drop index public.%I', i.relname)
              else format('alter table %s drop constraint %I', $1::text, c.conname) end as drop,
         case when c.oid is null then pg_get_indexdef(i.oid)
              else format('alter table %s add constraint %I %s', $1::text, c.conname,
                          pg_get_constraintdef(c.oid)) end as create
    from pg_index x
    join pg_class i on i.oid = x.indexrelid
    left join pg_constraint c on c.conindid = i.oid and c.conrelid = x.indrelid
   where x.indrelid = $1::text::regclass
     and not exists (select from pg_constraint where confrelid = x.indrelid and conindid = i.oid)
   order by i.relname`;

function columnListOf(client: Client, table: string, columns: readonly string[]): string {
  const names = columns.map((name) => client.escapeIdentifier(name)).join(', ');
  return `public.${client.escapeIdentifier(table)} (${names})`;
}

/** Whether the database has organisations or people. */
export async function isInUse(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ used: boolean }>(
    'select exists (select from organizations) or exists (select from people) as used',
  );
  return rows[0]?.used ?? true;
}

/** Rows are loaded as they were: no constraint between tables is checked again. */
export async function beginLoad(client: Client): Promise<void> {
  await client.query(
    "begin; set local session_replication_role = 'replica'; set local maintenance_work_mem = '256MB'",
  );
}

export async function setSequences(
  client: Client,
  sequences: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, last] of Object.entries(sequences))
    await client.query('select setval($1::text::regclass, $2::bigint)', [
      `public.${client.escapeIdentifier(name)}`,
      last,
    ]);
}

/**
 * What must hold before the first job: clocks pass every stamp that was given since the backup, also by
 * a wall clock that was up to an hour ahead, streams
 * begin before it, the journal of removals is written again, no guide that may have been sent is sent again, sessions
 * end, and access that was renewed since is asked for.
 */
export async function afterLoad(
  client: Client,
  { asOf, now, singleUse, message }: AfterLoad,
): Promise<void> {
  await client.query('begin');
  for (const clock of ['delta_clocks', 'event_clocks'])
    await client.query(
      `update ${clock} set stamp = greatest(stamp, $1::timestamptz) + interval '1 hour'`,
      [now],
    );
  await client.query("update streams set watermark = watermark - interval '1 day'");
  await client.query('update removals set written_at = null');
  await client.query('delete from sessions');
  await client.query('delete from verifications');
  await client.query("delete from oauth_records where model <> 'Client'");
  await client.query(
    "update guide_attempts set state = 'unknown' where state in ('queued', 'sent')",
  );
  await client.query(
    `update guide_batch_lines set outcome = 'unknown'
      where outcome is null
        and (organization_id, batch_id) in
            (select organization_id, id from guide_batches where finished_at is null)`,
  );
  await client.query(
    'update guide_batches set finished_at = $1::timestamptz where finished_at is null',
    [now],
  );
  await client.query(
    `update connections set state = 'reauth_required', state_message = $2, updated_at = $3::timestamptz
      where service = any($1::text[]) and state <> 'disconnected' and credentials_expire_at is not null`,
    [singleUse.services, singleUse.message, now],
  );
  await client.query(
    `insert into alerts (organization_id, kind, subject, message, first_at, last_at)
     select id, 'restored', 'installation', $1, $2::timestamptz, $2::timestamptz from organizations
     on conflict (organization_id, kind, subject) do update
       set message = excluded.message, first_at = excluded.first_at, last_at = excluded.last_at,
           told_at = null, resolved_at = null`,
    [message, now],
  );
  await client.query('insert into restores (restored_at, as_of) values ($1, $2)', [now, asOf]);
  await client.query('commit');
}

interface AfterLoad {
  /** Of the backup, in ISO 8601. */
  readonly asOf: string;
  readonly now: string;
  /** Services whose refresh tokens work once, and what their sellers read. */
  readonly singleUse: { readonly services: readonly string[]; readonly message: string };
  /** Of the alert of each organisation. */
  readonly message: string;
}
