import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import { LOCK_KINDS } from './lock-kinds.ts';
import type { HeldLock, Lock, Locks } from './locks.ts';
import { statement } from './query.ts';

const INSTANCE: Lock = { kind: 'instance', subject: '' };
const WORKER: Lock = { kind: 'worker', subject: '' };
const PATIENCE_MS = 3_000;
const RETRY_MS = 250;

/** The locks that a running service holds for as long as its process lives. */
interface Presence {
  leave(): Promise<void>;
}

interface Standing {
  readonly sharesQuota: boolean;
  readonly works: boolean;
}

/**
 * Marks a running service on this database, again after each loss of the connection. One that keeps
 * quotas in its own memory is exclusive.
 * @returns null when another service runs here and they cannot share
 */
export async function announce(
  { locks }: Pick<Database, 'locks'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  instance: Standing,
): Promise<Presence | null> {
  let first = await stand(locks, instance);
  // A service that was just killed may still be leaving.
  for (
    const deadline = clock.monotonic() + PATIENCE_MS;
    !first;
    first = await stand(locks, instance)
  ) {
    if (clock.monotonic() > deadline) return null;
    await clock.sleep(100);
  }

  let held: readonly HeldLock[] = [];
  let hasLeft = false;
  let timer: NodeJS.Timeout | undefined;
  let toldWhy = '';
  const hold = (next: readonly HeldLock[]) => {
    held = next;
    toldWhy = '';
    const onLost = () => {
      if (!hasLeft) log.warn({}, 'presence lost with its connection');
      returnSoon();
    };
    const lost = AbortSignal.any(next.map((lock) => lock.lost));
    if (lost.aborted) onLost();
    else lost.addEventListener('abort', onLost, { once: true });
  };
  const returnSoon = () => {
    if (!hasLeft) timer = setTimeout(() => void comeBack(), RETRY_MS);
  };
  /** Logs each reason once; the tries go on. */
  const stayAway = (why: string, err?: unknown) => {
    if (why !== toldWhy) log.warn({ err }, why);
    toldWhy = why;
    returnSoon();
  };
  const comeBack = async () => {
    const next = await stand(locks, instance).catch((error: Error) => error);
    if (next instanceof Error)
      return stayAway('presence not taken again: the database is away', next);
    if (!next) return stayAway('presence not taken again: another instance stands here');
    hold(next);
    if (hasLeft) return leaveAll(next);
    log.info({}, 'presence taken again');
  };
  hold(first);
  return {
    async leave() {
      hasLeft = true;
      clearTimeout(timer);
      await leaveAll(held);
    },
  };
}

const WORKER_UP = statement<{ is_up: boolean }>(
  'presence.worker-up',
  `select exists (select from pg_locks where locktype = 'advisory' and classid = $1::int::oid and granted
                     and database = (select oid from pg_database where datname = current_database())) as is_up`,
);

/**
 * Whether a service works on jobs now. It looks without taking the lock, which another look would
 * meet.
 */
export async function isWorkerUp(database: Database): Promise<boolean> {
  const [row] = await database.read((handle) => handle.raw(WORKER_UP, [LOCK_KINDS.worker]));
  return row?.is_up ?? false;
}

/** @returns null when another service is in the way */
async function stand(
  locks: Locks,
  { sharesQuota, works }: Standing,
): Promise<readonly HeldLock[] | null> {
  const instance = await locks.takeIfFree(INSTANCE, sharesQuota ? 'shared' : 'exclusive');
  if (!instance) return null;
  if (!works) return [instance];
  const worker = await locks.takeIfFree(WORKER, 'shared');
  if (worker) return [instance, worker];
  await instance.leave();
  return null;
}

async function leaveAll(held: readonly HeldLock[]): Promise<void> {
  for (const lock of held) await lock.leave();
}
