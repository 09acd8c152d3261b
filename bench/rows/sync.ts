import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type pg from 'pg';
import { type App, openApp } from '../../src/app/app.ts';
import type { Marketplace } from '../../src/connectors/contract.ts';
import { configOf } from '../../src/environment.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import type { ExchangeParts } from '../../src/exchange/parts.ts';
import { runStream } from '../../src/exchange/sync/run-stream.ts';
import { connectionById, type SealedConnection } from '../../src/features/connections/index.ts';
import { createOrganization } from '../../src/features/organizations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import type { OutgoingRequest } from '../../src/platform/network.ts';
import type { Throttle } from '../../src/platform/throttle.ts';
import { at } from '../data.ts';
import { openSpending, spendingInWords } from '../spending.ts';
import { type Finding, median, ratiosOf, type Stand } from '../stand.ts';

const ORDERS_EACH = 400;
/** Single rounds differ by a third, by what else the machine does. */
const ROUNDS = 41;
/** Until the code is compiled, and the caches of both sides are filled. */
const WARM_UPS = 3;
const DATABASE = 'tianguis_bench_sync';
export const UNLIMITED: Throttle = {
  run: (_key, _rate, _patience, work) => work(),
  pause: () => {},
};

/** One of a round's requests, with what was answered to it. */
interface Exchanged extends Answered {
  readonly outgoing: OutgoingRequest;
}

/**
 * Enough to see that two answers are alike: whole ones would stay in memory until the end of the
 * round.
 */
interface Answered {
  readonly status: number;
  readonly letters: number;
}

export interface Shop {
  readonly url: string;
  readonly credentials: unknown;
}

/**
 * P9: first imports of the orders of all marketplaces at once, beside a loop that sends the same
 * requests again.
 */
export async function sync(stand: Stand): Promise<Finding[]> {
  await using own = stand.closing.use(new AsyncDisposableStack());
  const shops = await openShops(own, ORDERS_EACH);
  const instance = await openOwnInstance(stand);
  own.defer(instance.close);

  const took = { engine: [] as number[], bare: [] as number[] };
  const [ours, fetching] = [openSpending(stand), openSpending(stand)];
  let calls = 0;
  for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
    const { milliseconds, exchanged } = await ours.of(ORDERS_EACH * Object.keys(shops).length, () =>
      importAll(instance, shops),
    );
    const sent = exchanged.map((line) => line.map(({ outgoing }) => outgoing));
    const bare = await fetching.of(ORDERS_EACH * Object.keys(shops).length, () => sendAgain(sent));
    calls = exchanged.flat().length;
    // In the first round shops are prepared, and answer otherwise afterwards.
    if (round < WARM_UPS) continue;
    for (const [index, line] of exchanged.entries()) assertAlike(line, bare.answers[index] ?? []);
    took.engine.push(milliseconds);
    took.bare.push(bare.milliseconds);
  }
  const ratios = ratiosOf(took.bare, took.engine);
  const marketplaces = Object.keys(shops).length;
  const perSecond = (milliseconds: number[]) => Math.round((calls * 1000) / median(milliseconds));
  return [
    {
      row: 'P9',
      what: `first imports of ${marketplaces} marketplaces at once, ${ORDERS_EACH} orders each`,
      figure: `${perSecond(took.engine)} answers/s read and stored, beside ${perSecond(took.bare)} only fetched`,
      ratios,
      bar: '≥ 0.50',
      passes: median(ratios) >= 0.5,
      limit: `The simulators answer from one process; the instance reads, checks, renders and commits each page. ${spendingInWords('An order', ours, fetching)}`,
    },
  ];
}

/** A shop at each simulated marketplace, in a process of their own, without limits. */
export async function openShops(
  own: AsyncDisposableStack,
  ordersEach: number,
): Promise<Record<string, Shop>> {
  const simulators = spawn(
    process.execPath,
    ['simulators/start.ts', '--still', String(ordersEach)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  own.defer(async () => {
    simulators.stdin.end();
    if (simulators.exitCode === null) await once(simulators, 'exit');
  });
  return JSON.parse(await firstLine(simulators));
}

/** An instance on an empty database of its own, whose schedule is stopped: no other sync run. */
async function openOwnInstance({ set }: Stand): Promise<App> {
  const url = new URL(set.url);
  const server = new URL(set.url);
  server.pathname = '/postgres';
  await at(server.href, async (client: pg.Client) => {
    await client.query(`drop database if exists ${DATABASE} with (force)`);
    await client.query(`create database ${DATABASE}`);
  });
  url.pathname = `/${DATABASE}`;
  const environment = { DATABASE_URL: url.href, MASTER_KEY: set.masterKey, PORT: '0' };
  return openApp(configOf(environment), {
    clock: { ...systemClock, every: () => () => {} },
    log: createLog('silent'),
    random: Math.random,
  });
}

async function importAll(instance: App, shops: Readonly<Record<string, Shop>>) {
  const { database, exchange } = instance;
  const { id: organizationId } = await database.write((handle) =>
    createOrganization(handle, systemClock, { name: 'La que sincroniza', plan: 'experto' }),
  );
  const lines = await Promise.all(
    Object.entries(shops).map(async ([marketplace, { url: baseUrl, credentials }]) => {
      const typed = { organizationId, service: marketplace as Marketplace, credentials, baseUrl };
      const { connectionId } = await connect({ ...exchange, throttle: UNLIMITED }, typed);
      const connection = await database
        .within(organizationId)
        .read((scope) => connectionById(scope, connectionId));
      return { connection: connection as SealedConnection, ...recording(exchange) };
    }),
  );
  const began = performance.now();
  await Promise.all(
    lines.map(({ parts, connection }) =>
      runStream(parts, connection, 'orders', { reconcile: false, ifRunning: 'wait' }),
    ),
  );
  return {
    milliseconds: performance.now() - began,
    exchanged: lines.map(({ exchanged }) => exchanged),
  };
}

/** The engine's parts, with a network that remembers what it sent and what it was answered. */
function recording(exchange: ExchangeParts): { parts: ExchangeParts; exchanged: Exchanged[] } {
  const exchanged: Exchanged[] = [];
  const { network } = exchange;
  const remembering = {
    ...network,
    send: async (outgoing: OutgoingRequest, reach: Parameters<typeof network.send>[1]) => {
      const answer = await network.send(outgoing, reach);
      exchanged.push({ outgoing, status: answer.status, letters: answer.body.length });
      return answer;
    },
  };
  return { parts: { ...exchange, network: remembering, throttle: UNLIMITED }, exchanged };
}

/** One loop a marketplace, each request after the other, every answer read to its end. */
async function sendAgain(lines: readonly (readonly OutgoingRequest[])[]) {
  const began = performance.now();
  const answers = await Promise.all(
    lines.map(async (line) => {
      const read: Answered[] = [];
      for (const { url, method, headers, body } of line) {
        const answer = await fetch(url, {
          method,
          headers: renewed(headers),
          ...(body !== undefined && { body: String(body) }),
        });
        read.push({ status: answer.status, letters: (await answer.text()).length });
      }
      return read;
    }),
  );
  return { milliseconds: performance.now() - began, answers };
}

/** A refusal is soon read, and would make the loop look faster than it is. */
function assertAlike(line: readonly Exchanged[], again: readonly Answered[]): void {
  const other = line.find(({ status }, index) => status !== again[index]?.status);
  if (other)
    throw new Error(`${other.outgoing.url} is answered with another status the second time`);
  const [first, second] = [line, again].map((answers) =>
    answers.reduce((sum, { letters }) => sum + letters, 0),
  ) as [number, number];
  // Times and tokens in an answer may differ.
  if (Math.abs(second - first) > first / 20)
    throw new Error(`${line[0]?.outgoing.url}: ${first} letters became ${second}`);
}

/** Names a request, and may not come twice. */
const CORRELATION = 'WM_QOS.CORRELATION_ID';

function renewed(headers: OutgoingRequest['headers']): Record<string, string> {
  return CORRELATION in headers ? { ...headers, [CORRELATION]: crypto.randomUUID() } : headers;
}

async function firstLine(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<string> {
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the simulators did not start');
}
