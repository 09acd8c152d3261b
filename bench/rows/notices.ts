import pg from 'pg';
import { recordOrders } from '../../src/features/orders/index.ts';
import { createOrganization } from '../../src/features/organizations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase, type WriteScope } from '../../src/platform/db/database.ts';
import { orderOf } from '../orders.ts';
import { type Finding, median, ratiosOf, type Stand, takeTurns } from '../stand.ts';
import { removeWriters } from './record.ts';

const WRITERS = 64;
/** As processes have them; a process records on twelve connections at most. */
const PROCESSES = 8;
const NAME = 'La que avisa';
const START = Temporal.Instant.from('2026-06-01T00:00:00Z');
const LOOK_EVERY_MS = 5;
/** Writers alone: the senders of notices may wait for each other. */
const WAITING = `select count(*)::int as waiting from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'object'
    and query not like '%pg_notify(''clock''%'`;

/** P12: what it costs all organisations together that processes notify each other of changes. */
export async function notices(stand: Stand): Promise<Finding[]> {
  const { url } = stand.set;
  await removeWriters(url, NAME);
  const databases = Array.from({ length: PROCESSES }, () => openAt(url));
  const watcher = new pg.Client({ connectionString: url });
  await watcher.connect();
  try {
    const writers = await Promise.all(
      Array.from({ length: WRITERS }, (_, index) =>
        writer(databases[index % PROCESSES] as Database),
      ),
    );
    const seen = { waits: 0, looks: 0 };
    const turn = (isReported: boolean) => commitsPerSecond(stand, writers, isReported);
    const reported = () => watching(watcher, seen, () => turn(true));
    // The first turns make the orders and warm up.
    await turn(true);
    await turn(false);
    const figures = await takeTurns(stand.rounds, { reported, silent: () => turn(false) });
    const ratios = ratiosOf(figures.reported, figures.silent);
    return [
      {
        row: 'P12',
        what: `commits of ${WRITERS} writers of ${WRITERS} organisations, each with a notice, beside none`,
        figure: `${Math.round(median(figures.reported))}/s beside ${Math.round(median(figures.silent))}/s`,
        ratios,
        bar: '≥ 0.80, no writer waits for the lock of notices',
        passes: median(ratios) >= 0.8 && seen.waits === 0 && seen.looks > 0,
        limit: `Writers seen waiting for that lock: ${seen.waits} in ${seen.looks} looks.`,
      },
    ];
  } finally {
    await watcher.end();
    for (const database of databases) await database.close();
    await removeWriters(url, NAME);
  }
}

type Writer = (isReported: boolean) => Promise<void>;

async function writer(database: Database): Promise<Writer> {
  const { id } = await database.write((handle) =>
    createOrganization(handle, systemClock, { name: NAME, plan: 'experto' }),
  );
  let version = 0;
  return async (isReported) => {
    const now = systemClock.now();
    const order = {
      ...orderOf(0, 1, START),
      marketplaceStatus: `v${version++}`,
      changedAt: now,
      fetchedAt: now,
    };
    await database
      .within(id)
      .write((scope) =>
        recordOrders(isReported ? scope : withoutNotice(scope), [{ ...order, raw: null }]),
      );
  };
}

function withoutNotice(scope: WriteScope): WriteScope {
  return { ...scope, handle: { ...scope.handle, notifyAfterCommit() {} } };
}

async function commitsPerSecond(
  { turnMilliseconds }: Stand,
  writers: readonly Writer[],
  isReported: boolean,
): Promise<number> {
  const began = performance.now();
  let commits = 0;
  await Promise.all(
    writers.map(async (write) => {
      for (; performance.now() - began < turnMilliseconds; commits++) await write(isReported);
    }),
  );
  return (commits * 1_000) / (performance.now() - began);
}

/** Looks again and again, until the work is done, who waits. */
async function watching<T>(
  watcher: pg.Client,
  seen: { waits: number; looks: number },
  work: () => Promise<T>,
): Promise<T> {
  let isOver = false;
  const looking = (async () => {
    for (; !isOver; seen.looks++) {
      seen.waits += (await watcher.query<{ waiting: number }>(WAITING)).rows[0]?.waiting ?? 0;
      await systemClock.sleep(LOOK_EVERY_MS);
    }
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await looking;
  }
}

function openAt(url: string): Database {
  return openDatabase({
    address: { url },
    clock: systemClock,
    readerTimeoutSeconds: 15,
    onIdleError: console.error,
  });
}
