import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { at, type DataSet, openDataSet, withDatabase } from '../data.ts';
import { get, hammer, openLine, post, type Requests } from '../load.ts';
import { type Served, start, threadSeconds } from '../processes.ts';
import { call, tokenAt } from '../rows/agents.ts';
import { drawEvents, openAddress } from '../rows/receive.ts';
import { median, ratiosOf, takeTurns } from '../stand.ts';
import type { Edit } from './edited-sources.ts';
import { type LoadName, TRICKS } from './tricks.ts';

const ORDERS = 20_000;
const ROUNDS = 19;
const TURN_MS = 700;
const CONNECTIONS = 16;
/** Pages of one organisation wait for one another. */
const CONNECTIONS_THAT_WRITE = 1;
const HOOK = new URL('edited-sources.ts', import.meta.url).href;

/** A program with its own copy of the data, and the requests that it gets. */
interface Side extends AsyncDisposable {
  readonly served: Served;
  readonly database: string;
  readonly requests: Requests;
  readonly connections: number;
}

/**
 * Runs the product as it is and the product without each trick in short turns, and says what a
 * request costs both of processor time, the database's included. The load's own is not counted.
 * @param words only tricks whose names have one of them; none = all
 */
export async function measureTricks(
  server: string,
  words: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const set = await openDataSet(server, ORDERS, say);
  // What else the machine does only ever adds to a cost, so the cheap turns say most.
  say(
    '| trick | load | with, µs (first quartile) | without, µs | without ÷ with | ' +
      'of pairs of turns: median (middle half) |',
  );
  say('|---|---|---|---|---|---|');
  for (const { name, without, loads, isOurs = false } of TRICKS) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
    for (const load of loads) {
      await using plain = await openSide(set, server, load, without);
      await using own = await openSide(set, server, load, []);
      const costs = await takeTurns(ROUNDS, {
        own: () => costOf(own, isOurs ? null : server),
        plain: () => costOf(plain, isOurs ? null : server),
      });
      // The first turns warm up.
      const [ones, others] = [costs.own.slice(2), costs.plain.slice(2)];
      const ratios = ratiosOf(others, ones);
      say(
        `| ${name} | ${load} | ${Math.round(quarter(ones, 1))} | ${Math.round(quarter(others, 1))} | ` +
          `${(quarter(others, 1) / quarter(ones, 1)).toFixed(2)} | ${median(ratios).toFixed(2)} ` +
          `(${quarter(ratios, 1).toFixed(2)} to ${quarter(ratios, 3).toFixed(2)}) |`,
      );
    }
  }
}

/** @param which 1 = a quarter of the values are smaller, 3 = three quarters */
function quarter(values: readonly number[], which: 1 | 3): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length * which) / 4)] as number;
}

async function openSide(
  set: DataSet,
  server: string,
  load: LoadName,
  edits: readonly Edit[],
): Promise<Side> {
  const database = `tianguis_bench_${edits.length === 0 ? 'own' : 'plain'}`;
  await at(withDatabase(server, 'postgres'), async (client) => {
    await client.query(`drop database if exists ${database} with (force)`);
    await client.query(
      `create database ${database} template ${new URL(set.url).pathname.slice(1)}`,
    );
  });
  const url = withDatabase(server, database);
  const served = await start({
    file: load === 'record' ? 'bench/tricks/recorder.ts' : 'src/main.ts',
    environment: {
      ...{ DATABASE_URL: url, MASTER_KEY: set.masterKey, HOST: '127.0.0.1' },
      EDITS: JSON.stringify(edits),
      NODE_OPTIONS: `--import=${HOOK}`,
    },
    firstRequest: get('/healthz'),
    logFile: fileURLToPath(new URL(`../../data/bench/${database}.log`, import.meta.url)),
  });
  const requests = await requestsOf(load, { ...set, url }, served);
  return {
    ...{ served, database, requests },
    connections: load === 'record' ? CONNECTIONS_THAT_WRITE : CONNECTIONS,
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

async function requestsOf(load: LoadName, set: DataSet, instance: Served): Promise<Requests> {
  const { key } = set.big;
  if (load === 'record') return get('/');
  if (load === 'page') return get('/v1/orders?limit=50', key);
  if (load === 'call') return call(await tokenAt({ set, instance }));
  if (load === 'poll') {
    const line = openLine(instance.port);
    const { body } = await line.ask(get('/v1/orders?limit=1', key));
    line.close();
    return get(`/v1/orders?updated_since=${JSON.parse(body).meta.as_of}`, key);
  }
  const database = openDatabase({
    address: { url: set.url },
    clock: systemClock,
    readerTimeoutSeconds: 15,
    onIdleError: console.error,
  });
  const address = await openAddress({ set }, database);
  await database.close();
  const events = drawEvents();
  return () => post(address, events());
}

/**
 * Microseconds of processor time for one request.
 * @param server whose sessions count, too; null = none
 */
async function costOf(
  { served, database, requests, connections }: Side,
  server: string | null,
): Promise<number> {
  const spent = async () =>
    threadSeconds(served.pid) + (server === null ? 0 : await backendSeconds(server, database));
  const before = await spent();
  const { requests: answered } = await hammer(served.port, requests, {
    connections,
    milliseconds: TURN_MS,
  });
  return (((await spent()) - before) * 1e6) / answered;
}

function backendSeconds(server: string, database: string): Promise<number> {
  return at(withDatabase(server, 'postgres'), async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = $1',
      [database],
    );
    return rows.reduce((sum, { pid }) => sum + threadSeconds(pid), 0);
  });
}
