import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import { LOCK_KINDS } from './lock-kinds.ts';
import type { Lock } from './lock-session.ts';
import type { HeldLock, Locks } from './locks.ts';
import { statement } from './query.ts';

const INSTANCE: Lock = { kind: 'instance', subject: '' };
const WORKER: Lock = { kind: 'worker', subject: '' };
const PATIENCE_MS = 3_000;
const FIRST_RETRY_MS = 100;
const RETRY_MS = 250;

type Held = readonly HeldLock[];

interface InstanceLock {
  release(): Promise<void>;
}

interface Options {
  /** With other instances, through Redis; one that keeps quotas in its memory is exclusive. */
  readonly sharesQuota: boolean;
  readonly works: boolean;
}

/**
 * Registers this process on the database by session advisory locks: shared with Redis, exclusive
 * without. They are taken again after each loss of the connection.
 * @returns null when another instance runs and they cannot share
 */
export async function acquireInstanceLock(
  { locks }: Pick<Database, 'locks'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  options: Options,
): Promise<InstanceLock | null> {
  const first = await firstLocks(locks, clock, options);
  return first && keepLocks(first, () => tryLocks(locks, options), log);
}

/** An instance that was just killed may hold its locks for a moment. */
async function firstLocks(locks: Locks, clock: Clock, options: Options): Promise<Held | null> {
  const deadline = clock.monotonic() + PATIENCE_MS;
  for (;;) {
    const taken = await tryLocks(locks, options);
    if (taken || clock.monotonic() > deadline) return taken;
    await clock.sleep(FIRST_RETRY_MS);
  }
}

function keepLocks(first: Held, retake: () => Promise<Held | null>, log: Log): InstanceLock {
  let held = first;
  let isReleased = false;
  let timer: NodeJS.Timeout | undefined;
  let lastReason = '';

  function hold(next: Held): void {
    held = next;
    lastReason = '';
    const onLost = () => {
      if (!isReleased) log.warn({}, 'instance lock lost with its connection');
      retrySoon();
    };
    const lost = AbortSignal.any(next.map((lock) => lock.lost));
    if (lost.aborted) onLost();
    else lost.addEventListener('abort', onLost, { once: true });
  }
  function retrySoon(): void {
    if (!isReleased) timer = setTimeout(() => void takeAgain(), RETRY_MS);
  }
  /** Logs each reason once; the retries go on. */
  function retryAfter(reason: string, err?: unknown): void {
    if (reason !== lastReason) log.warn({ err }, reason);
    lastReason = reason;
    retrySoon();
  }
  async function takeAgain(): Promise<void> {
    const next = await retake().catch((error: Error) => error);
    if (next instanceof Error)
      return retryAfter('instance lock not taken again: the database is away', next);
    if (!next) return retryAfter('instance lock not taken again: another instance runs');
    hold(next);
    if (isReleased) return releaseAll(next);
    log.info({}, 'instance lock taken again');
  }

  hold(first);
  return {
    async release() {
      isReleased = true;
      clearTimeout(timer);
      await releaseAll(held);
    },
  };
}

const WORKER_UP = statement<{ is_up: boolean }>(
  'instance-lock.worker-up',
  `select exists (
     select from pg_locks
      where locktype = 'advisory' and classid = $1::int::oid and granted
        and database = (select oid from pg_database where datname = current_database())) as is_up`,
);

/** Whether an instance works on jobs now; reads `pg_locks`, so that two checks do not collide. */
export async function isWorkerUp(database: Database): Promise<boolean> {
  const [row] = await database.read((handle) => handle.raw(WORKER_UP, [LOCK_KINDS.worker]));
  return row?.is_up ?? false;
}

/** @returns null when another instance is in the way */
async function tryLocks(locks: Locks, { sharesQuota, works }: Options): Promise<Held | null> {
  const instance = await locks.takeIfFree(INSTANCE, sharesQuota ? 'shared' : 'exclusive');
  if (!instance) return null;
  if (!works) return [instance];
  const worker = await locks.takeIfFree(WORKER, 'shared');
  if (worker) return [instance, worker];
  await instance.leave();
  return null;
}

async function releaseAll(held: Held): Promise<void> {
  for (const lock of held) await lock.leave();
}
