/** What many organisations in one database cost: bytes, ticks, pages, recording, housekeeping. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { App } from '../../src/app/app.ts';
import { planDue } from '../../src/entrances/jobs/worker.ts';
import { runHousekeeping } from '../../src/exchange/jobs/housekeeping.ts';
import { recordOrders } from '../../src/features/orders/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { at } from '../data.ts';
import { get, type Line, openLine } from '../load.ts';
import { orderOf } from '../orders.ts';
import { startInstance } from '../processes.ts';
import { median } from '../stand.ts';
import type { Crowd } from './crowd.ts';

/** One figure of the page. */
export interface Measured {
  readonly what: string;
  readonly figure: string;
  readonly bar: string;
  readonly passes: boolean;
}

const TICKS = 30;
const TICK_MS = 1_000;
const MOST_TICK_MS = 1_000;
const MOST_TIMES_ONE = 2;
const ROUNDS = 5;
const PAGE = 50;
const PAGES_RECORDED = 40;
const PAGE_REQUEST = '/v1/orders?limit=50';

/** Bytes of all tables and indexes, and those of the largest ones for an order. */
export async function measureBytes({ url, orders }: Crowd) {
  return at(url, async (client) => {
    const { rows } = await client.query<{ name: string; bytes: string }>(
      `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace
        order by pg_total_relation_size(oid) desc`,
    );
    const total = rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);
    const largest = rows.slice(0, 8).map(({ name, bytes }) => {
      return `${name} ${Math.round(Number(bytes) / orders)}`;
    });
    return { total, anOrder: Math.round(total / orders), largest: largest.join(', ') };
  });
}

interface Ticks {
  readonly rows: readonly Measured[];
  /** Sync runs that became due in a second. */
  readonly dueASecond: number;
  /** Jobs that a tick made of them in a second of its work, when most was due. */
  readonly plannedASecond: number;
}

/** Each second what is due becomes jobs, as in a worker; then after an hour without a worker. */
export async function measureTicks({ exchange }: App, { url }: Crowd): Promise<Ticks> {
  await spreadSchedules(url);
  const took: number[] = [];
  let claimed = 0;
  await planDue(exchange);
  const startedAt = performance.now();
  for (let tick = 0; tick < TICKS; tick++) {
    await pause(TICK_MS);
    const began = performance.now();
    claimed += await planDue(exchange);
    took.push(performance.now() - began);
  }
  const elapsed = (performance.now() - startedAt) / 1_000;
  await at(url, (client) =>
    client.query(
      `delete from queue.job where name = 'sync';
       update schedules set due_at = due_at - interval '1 hour' where task = 'sync'`,
    ),
  );
  const began = performance.now();
  const afterStop = await planDue(exchange);
  const seconds = (performance.now() - began) / 1_000;
  await at(url, (client) => client.query("delete from queue.job where name = 'sync'"));
  const worst = Math.max(...took);
  const rows = [
    {
      what: 'a tick: what became due in a second becomes jobs',
      figure: `${Math.round(median(took))} ms (median), ${Math.round(worst)} ms (worst of ${TICKS}), ${Math.round(claimed / TICKS)} jobs each`,
      bar: `≤ ${MOST_TICK_MS} ms`,
      passes: worst <= MOST_TICK_MS,
    },
    {
      what: 'the first tick after an hour without a worker',
      figure: `${afterStop} jobs in ${seconds.toFixed(1)} s, ${Math.round(afterStop / seconds)} a second`,
      bar: 'none',
      passes: true,
    },
  ];
  return { rows, dueASecond: claimed / elapsed, plannedASecond: afterStop / seconds };
}

/** The first page of each of many organisations once, beside as many requests of one of them. */
export async function measurePages(crowd: Crowd, folder: string | null): Promise<Measured[]> {
  // The instance would begin to call the marketplaces of accounts that do not exist.
  await at(crowd.url, (client) =>
    client.query("update schedules set due_at = due_at + interval '30 days' where task = 'sync'"),
  );
  await using instance = await startInstance({
    DATABASE_URL: crowd.url,
    MASTER_KEY: crowd.masterKey,
    HOST: '127.0.0.1',
  });
  const first = crowd.keys[0]?.key as string;
  const all = crowd.keys.map(({ key }) => key);
  const warming = openLine(instance.port);
  for (let number = 0; number < 300; number++) await timed(warming, first);
  warming.close();
  const isCold = folder !== null && forgetFiles(folder);
  // After the files: the instance closes a connection that is idle for as long as they take.
  const line = openLine(instance.port);
  const cold = p95(await latencies(line, all.slice(0, all.length / 2)));
  const many: number[] = [];
  const one: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    many.push(p95(await latencies(line, all)));
    one.push(
      p95(
        await latencies(
          line,
          Array.from(all, () => first),
        ),
      ),
    );
  }
  line.close();
  const times = median(many) / median(one);
  return [
    {
      what: `a page of ${PAGE} orders, ${all.length} organisations in turn, beside one alone`,
      figure: `p95 ${median(many).toFixed(1)} ms beside ${median(one).toFixed(1)} ms: ${times.toFixed(2)} times`,
      bar: `≤ ${MOST_TIMES_ONE} times`,
      passes: times <= MOST_TIMES_ONE,
    },
    {
      what: 'the same, each organisation for the first time',
      figure: `p95 ${cold.toFixed(1)} ms${isCold ? ', with every file of the database out of the system’s memory' : ''}`,
      bar: 'none',
      passes: true,
    },
  ];
}

/** Pages of changed orders for one organisation after the other, beside as many for one. */
export async function measureRecording({ database }: App, crowd: Crowd): Promise<Measured[]> {
  let version = 0;
  const record = async (organizationId: string) => {
    version += 1;
    const now = systemClock.now();
    const orders = Array.from({ length: PAGE }, (_, number) => ({
      ...orderOf(900_000 + number, 1_000_000, now),
      ...{ marketplaceStatus: `v${version}`, changedAt: now, fetchedAt: now },
    }));
    await database.within(organizationId).write((scope) => recordOrders(scope, orders));
  };
  const run = async (ids: readonly string[]) => {
    const began = performance.now();
    for (const id of ids) await record(id);
    return (ids.length * PAGE * 1_000) / (performance.now() - began);
  };
  const ids = crowd.keys.slice(0, PAGES_RECORDED).map(({ organizationId }) => organizationId);
  const alone = Array.from(ids, () => ids[0] as string);
  // The first time the orders are new.
  await run(ids);
  const many: number[] = [];
  const one: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    many.push(await run(ids));
    one.push(await run(alone));
  }
  return [
    {
      what: `recording pages of ${PAGE} changed orders, one writer, ${ids.length} organisations in turn`,
      figure: `${Math.round(median(many))} orders/s beside ${Math.round(median(one))} for one organisation`,
      bar: 'none',
      passes: true,
    },
  ];
}

export async function measureHousekeeping({ exchange }: App): Promise<Measured[]> {
  const took: number[] = [];
  for (let run = 0; run < 2; run++) {
    const began = performance.now();
    await runHousekeeping(exchange);
    took.push((performance.now() - began) / 1_000);
  }
  return [
    {
      what: 'the hourly housekeeping',
      figure: `${took[0]?.toFixed(1)} s, and again with nothing left to remove ${took[1]?.toFixed(1)} s`,
      bar: 'none',
      passes: true,
    },
  ];
}

/** As workers leave them that keep up. */
async function spreadSchedules(url: string): Promise<void> {
  await at(url, (client) =>
    client.query(
      `update schedules set due_at = now() + random() * every_seconds * interval '1 second',
                            claimed_at = now(), planned_at = now() where task = 'sync'`,
    ),
  );
  await at(url, (client) => client.query('vacuum (analyze) schedules'));
}

async function latencies(line: Line, keys: readonly string[]): Promise<number[]> {
  const took: number[] = [];
  for (const key of keys) took.push(await timed(line, key));
  return took;
}

async function timed(line: Line, key: string): Promise<number> {
  const began = performance.now();
  const { status } = await line.ask(get(PAGE_REQUEST, key));
  if (status !== 200) throw new Error(`the answer was ${status}`);
  return performance.now() - began;
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;
}

/** Lets the system forget the database's files: the next reads come from the disk. */
function forgetFiles(folder: string): boolean {
  try {
    for (const database of readdirSync(folder))
      for (const file of readdirSync(join(folder, database)))
        execFileSync('dd', [
          `if=${join(folder, database, file)}`,
          ...['iflag=nocache', 'count=0', 'status=none'],
        ]);
    return true;
  } catch {
    return false;
  }
}
