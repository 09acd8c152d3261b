import type pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';

const HOUSE_LOCK = 7_406_010;
const WORKER_LOCK = 7_406_011;
const PATIENCE_MS = 3_000;
const RETRY_MS = 250;

/** What a standing house holds, for as long as its process lives. */
interface Presence {
  leave(): Promise<void>;
}

interface Standing {
  readonly sharesQuota: boolean;
  readonly works: boolean;
}

/**
 * Says that a house stands on this database, again after each loss of the connection. One that shares nothing
 * with others (quotas in its own memory) stands alone.
 * @returns null when another house stands here and they cannot share
 */
export async function announce(
  database: Database,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  house: Standing,
): Promise<Presence | null> {
  let client = await stand(database, house);
  // A house that was just killed may still be leaving.
  for (const deadline = clock.monotonic() + PATIENCE_MS; !client; client = await stand(database, house)) {
    if (clock.monotonic() > deadline) return null;
    await clock.sleep(100);
  }

  let holder = client;
  let hasLeft = false;
  let timer: NodeJS.Timeout | undefined;
  let toldWhy = '';
  const hold = (next: pg.Client) => {
    holder = next;
    toldWhy = '';
    next.once('end', () => {
      if (!hasLeft) log.warn({}, 'presence lost with its connection');
      returnSoon();
    });
  };
  const returnSoon = () => {
    if (!hasLeft) timer = setTimeout(() => void comeBack(), RETRY_MS);
  };
  /** Each reason once; the tries go on. */
  const stayAway = (why: string, err?: unknown) => {
    if (why !== toldWhy) log.warn({ err }, why);
    toldWhy = why;
    returnSoon();
  };
  const comeBack = async () => {
    const next = await stand(database, house).catch((error: Error) => error);
    if (next instanceof Error) return stayAway('presence not taken again: the database is away', next);
    if (!next) return stayAway('presence not taken again: another house stands here');
    hold(next);
    if (hasLeft) return void (await next.end());
    log.info({}, 'presence taken again');
  };
  hold(client);
  return {
    async leave() {
      hasLeft = true;
      clearTimeout(timer);
      await holder.end();
    },
  };
}

/** Whether some house works on jobs now. */
export async function isWorkerUp(database: Database): Promise<boolean> {
  const client = await database.connect();
  try {
    // Looking must not take the lock: another look at the same moment would meet it.
    const { rows } = await client.query<{ up: boolean }>(
      `select exists (select from pg_locks where locktype = 'advisory' and classid = 0 and objid = $1 and granted
                         and database = (select oid from pg_database where datname = current_database())) as up`,
      [WORKER_LOCK],
    );
    return rows[0]?.up ?? false;
  } finally {
    await client.end();
  }
}

/** @returns null when another house is in the way. */
async function stand(database: Database, { sharesQuota, works }: Standing): Promise<pg.Client | null> {
  const client = await database.connect();
  // A lost connection frees the locks; the pools notice the same loss and tell it.
  client.on('error', () => {});
  try {
    const lock = sharesQuota ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
    if (await got(client, lock, HOUSE_LOCK)) {
      if (works) await client.query('select pg_advisory_lock_shared($1)', [WORKER_LOCK]);
      return client;
    }
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
  await client.end();
  return null;
}

async function got(client: pg.Client, lock: string, key: number): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(`select ${lock}($1) as got`, [key]);
  return rows[0]?.got ?? false;
}
