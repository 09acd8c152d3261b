import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { LOCK_KINDS } from './lock-kinds.ts';

// A backend that executes a statement does not notice that its client is gone. So a transaction
// that sleeps keeps its exported snapshot over the end of the process that began it.

const CHECKED_EVERY_SECONDS = 5;
/** How long a snapshot is kept without a reader. */
const UNREAD_CHECKS = 120;

const BEGIN = `begin isolation level repeatable read read only;
  set local statement_timeout = 0;
  set local client_connection_check_interval = 0`;
const EXPORT = `select pg_backend_pid() as pid, pg_export_snapshot() as id,
  pg_current_snapshot()::text as content`;
const KEEP = `do $$
  declare unread int := 0;
  begin
    while unread < ${UNREAD_CHECKS} loop
      perform pg_sleep(${CHECKED_EVERY_SECONDS});
      if exists (select from pg_locks where locktype = 'advisory'
          and classid = ${LOCK_KINDS.snapshot} and objid = pg_backend_pid()) then
        unread := 0;
      else
        unread := unread + 1;
      end if;
    end loop;
  end $$`;

const CANCEL = `select pg_cancel_backend(pid) from pg_stat_activity
  where pid = $1 and state in ('active', 'idle in transaction')`;
const CANCELLED_EVERY_MS = 20;

/** The keeper's process, PostgreSQL's name of the snapshot, and which transactions it sees. */
const NAME = /^(\d+) ([\dA-F]+-[\dA-F]+-\d+) ([\d:,]+)$/;
/** The snapshot does not exist, by the releases of PostgreSQL. */
const GONE = new Set(['22023', '42704', '55000']);

/** Begins to keep the present moment. @returns the snapshot's name */
export async function keepSnapshot(client: pg.Client): Promise<string> {
  await client.query(BEGIN);
  const { rows } = await client.query(EXPORT);
  const { pid, id, content } = rows[0];
  // Ends by `letGo`, or with its connection. A reader has the rows without it.
  client.query(KEEP).catch(() => {});
  return `${pid} ${id} ${content}`;
}

/**
 * Begins a transaction that reads the snapshot, which is kept as long as the connection lasts.
 *
 * @returns false where the snapshot is no longer kept; no transaction is open then
 */
export async function shareSnapshot(
  client: pg.Client,
  snapshot: string,
  begin: string,
): Promise<boolean> {
  const [, pid, id, content] = NAME.exec(snapshot) ?? [];
  if (!pid) return false;
  const lock = [LOCK_KINDS.snapshot, Number(pid)];
  await client.query('select pg_advisory_lock_shared($1, $2)', lock);
  await client.query(begin);
  if ((await contentOf(client, id as string)) === content) return true;
  await client.query('rollback');
  await client.query('select pg_advisory_unlock_shared($1, $2)', lock);
  return false;
}

/**
 * Ends the transaction of a reader and the snapshot's keeper. One that has not begun to sleep yet
 * ignores a cancellation.
 */
export async function letGo(client: pg.Client, snapshot: string): Promise<void> {
  // In a transaction the activity of others would be that of its first look.
  await client.query('commit');
  const pid = Number(NAME.exec(snapshot)?.[1]);
  while ((await client.query(CANCEL, [pid])).rows.length > 0) await pause(CANCELLED_EVERY_MS);
}

/** After a restart PostgreSQL may give the same name to another snapshot, which sees others. */
async function contentOf(client: pg.Client, id: string): Promise<string | null> {
  try {
    await client.query(`set transaction snapshot '${id}'`);
  } catch (error) {
    if (GONE.has((error as { code?: string }).code ?? '')) return null;
    throw error;
  }
  const { rows } = await client.query('select pg_current_snapshot()::text as content');
  return rows[0].content;
}
