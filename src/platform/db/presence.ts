import type pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Database } from './database.ts';

const HOUSE_LOCK = 7_406_010;
const WORKER_LOCK = 7_406_011;
const PATIENCE_MS = 3_000;

/** What a standing house holds, for as long as its process lives. */
export interface Presence {
  leave(): Promise<void>;
}

/**
 * Says that a house stands on this database. One that shares nothing with others (quotas in its own memory)
 * stands alone.
 * @returns null when another house stands here and they cannot share
 */
export async function announce(
  database: Database,
  clock: Clock,
  house: { sharesQuota: boolean; works: boolean },
): Promise<Presence | null> {
  const client = await database.connect();
  // A lost connection frees the locks; the pools notice the same loss and tell it.
  client.on('error', () => {});
  const lock = house.sharesQuota ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
  // A house that was just killed may still be leaving.
  for (const deadline = clock.monotonic() + PATIENCE_MS; !(await got(client, lock, HOUSE_LOCK)); ) {
    if (clock.monotonic() > deadline) {
      await client.end();
      return null;
    }
    await clock.sleep(100);
  }
  if (house.works) await client.query('select pg_advisory_lock_shared($1)', [WORKER_LOCK]);
  return { leave: () => client.end() };
}

/** Whether some house works on jobs now. */
export async function isWorkerUp(database: Database): Promise<boolean> {
  const client = await database.connect();
  try {
    return !(await got(client, 'pg_try_advisory_lock', WORKER_LOCK));
  } finally {
    await client.end();
  }
}

async function got(client: pg.Client, lock: string, key: number): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(`select ${lock}($1) as got`, [key]);
  return rows[0]?.got ?? false;
}
