import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { at, withDatabase } from '../data.ts';
import { get, hammer, openLine } from '../load.ts';
import type { Ground, KnownPeer } from '../peers/known.ts';
import { openMedusa } from '../peers/medusa.ts';
import { openVendure } from '../peers/vendure.ts';
import { processorSeconds, residentMegabytes, type Served, startInstance } from '../processes.ts';
import { type Finding, median, notMeasured, ratiosOf, type Stand, takeTurns } from '../stand.ts';

const PEERS = { Medusa: openMedusa, Vendure: openVendure };
const PAGE = 50;
const ITEMS = 3;
const CONNECTIONS = [1, 16];
const IDLE_MS = 5_000;
const STARTS = 3;
const BARS = { key: 100, fastest: 80, seconds: 1, megabytes: 150 };

export interface PeersStand extends Pick<Stand, 'set' | 'closing' | 'rounds' | 'turnMilliseconds'> {
  /** Of an instance over the data set. */
  readonly environment: Record<string, string>;
  /** Keeps the peers' packages for the next run; without it they are removed. */
  readonly folder: string | undefined;
  say(line: string): void;
  isCutShort(): boolean;
}

/** P10: the order list beside those of programs that others keep, on the same server. */
export async function knownPeers(stand: PeersStand): Promise<Finding[]> {
  const findings: Finding[] = [];
  const peers: KnownPeer[] = [];
  const folder = stand.folder ?? (await mkdtemp(join(tmpdir(), 'tianguis-peers-')));
  if (!stand.folder) stand.closing.defer(() => rm(folder, { recursive: true, force: true }));
  for (const [name, open] of Object.entries(PEERS)) {
    stand.say(`installing and filling ${name}`);
    const ground = await openGround(stand, join(folder, name.toLowerCase()), name);
    try {
      peers.push(await open(ground));
    } catch (error) {
      if (stand.isCutShort()) throw error;
      const about = { row: 'P10', what: pageBeside(name, 'key', 1), bar: `≥ ${BARS.key}` };
      findings.push(notMeasured(about, reasonOf(error)));
    } finally {
      await ground.client.end();
    }
  }
  findings.push(...(await measureStarts(stand, peers)));
  const instance = stand.closing.use(await startInstance(stand.environment));
  const served = new Map<KnownPeer, Served>();
  for (const peer of peers) served.set(peer, stand.closing.use(await peer.start()));
  for (const connections of CONNECTIONS)
    findings.push(...(await measurePages(stand, instance, served, connections)));
  return findings;
}

async function openGround(stand: PeersStand, folder: string, name: string): Promise<Ground> {
  const database = `tianguis_bench_${name.toLowerCase()}`;
  const server = withDatabase(stand.set.url, 'postgres');
  const drop = `drop database if exists ${database} with (force)`;
  await at(server, async (client) => {
    await client.query(drop);
    await client.query(`create database ${database}`);
  });
  stand.closing.defer(() => at(server, async (client) => void (await client.query(drop))));
  const url = withDatabase(stand.set.url, database);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return { folder, url, client };
}

/** Of a program that failed: its command, then the first that it wrote. */
function reasonOf(error: unknown): string {
  return (error as Error).message.trim().split('\n').slice(0, 4).join('; ');
}

async function measureStarts(stand: PeersStand, peers: readonly KnownPeer[]): Promise<Finding[]> {
  const { environment, set } = stand;
  const sides = { ours: () => startInstance(environment, get(ourList(1), set.big.key)) };
  for (const { name, start } of peers) Object.assign(sides, { [name]: start });
  const memory: Record<string, number[]> = {};
  const opened = (name: string, start: () => Promise<Served>) => async () => {
    await using server = await start();
    await sleep(IDLE_MS);
    memory[name] = [...(memory[name] ?? []), residentMegabytes(server.pid)];
    return server.startedIn / 1000;
  };
  const turns = Object.entries(sides).map(([name, start]) => [name, opened(name, start)] as const);
  const seconds = await takeTurns(STARTS, Object.fromEntries(turns));
  const figure = (of: Record<string, number[]>, digits: number, unit: string) =>
    Object.entries(of)
      .map(([name, values]) => `${name} ${median(values).toFixed(digits)} ${unit}`)
      .join(', ');
  return [
    {
      row: 'P10',
      what: 'start to the first page, its schema there',
      figure: figure(seconds, 2, 's'),
      ratios: seconds.ours ?? [],
      bar: `< ${BARS.seconds} s`,
      passes: median(seconds.ours ?? []) < BARS.seconds,
      limit: 'Theirs have their default modules and no panel.',
    },
    {
      row: 'P10',
      what: `memory of the process ${IDLE_MS / 1000} s after its first page`,
      figure: figure(memory, 0, 'MB'),
      ratios: memory.ours ?? [],
      bar: `< ${BARS.megabytes} MB`,
      passes: median(memory.ours ?? []) < BARS.megabytes,
      limit: 'Without the database.',
    },
  ];
}

type Way = 'key' | 'fastest';

async function measurePages(
  stand: PeersStand,
  instance: Served,
  served: ReadonlyMap<KnownPeer, Served>,
  connections: number,
): Promise<Finding[]> {
  const ours = contender(stand, instance, get(ourList(PAGE), stand.set.big.key), connections);
  await ours.check((body) => JSON.parse(body).data.map((order: Listed) => order.items.length));
  const sides = { ours: ours.turn };
  const theirs: { peer: KnownPeer; way: Way; side: string; contender: typeof ours }[] = [];
  for (const [peer, server] of served) {
    for (const [way, request] of [
      ['key', peer.withKey],
      ['fastest', peer.fastest],
    ] as const) {
      const side = `${peer.name} ${way}`;
      const one = contender(stand, server, request, connections);
      await one.check(peer.itemsOf);
      theirs.push({ peer, way, side, contender: one });
      Object.assign(sides, { [side]: one.turn });
    }
  }
  // The first turns only warm up.
  await takeTurns(1, sides);
  const figures: Record<string, number[]> = await takeTurns(stand.rounds, sides);
  return theirs.map(({ peer, way, side, contender }) => {
    const ratios = ratiosOf(figures.ours ?? [], figures[side] ?? []);
    const rate = (of: string) => median(figures[of] ?? []).toFixed(1);
    return {
      row: 'P10',
      what: pageBeside(peer.name, way, connections),
      figure: `${rate('ours')}/s beside ${rate(side)}/s`,
      ratios,
      bar: `≥ ${BARS[way]}`,
      passes: median(ratios) >= BARS[way],
      limit: `A page takes ${ours.cost()} in ours, ${contender.cost()} in theirs.`,
    };
  });
}

interface Listed {
  readonly items: readonly unknown[];
}

/** One server with one request. */
function contender(stand: PeersStand, server: Served, request: Buffer, connections: number) {
  let kilobytes = 0;
  let requests = 0;
  let seconds = 0;
  return {
    /** Fails unless the answer has all orders and their items. */
    async check(itemsOf: (body: string) => number[]): Promise<void> {
      const line = openLine(server.port);
      const { body } = await line.ask(request);
      line.close();
      assert.deepEqual(itemsOf(body), Array(PAGE).fill(ITEMS));
      kilobytes = Buffer.byteLength(body) / 1000;
    },
    async turn(): Promise<number> {
      const before = processorSeconds(server.pid);
      const milliseconds = stand.turnMilliseconds;
      const load = await hammer(server.port, request, { connections, milliseconds });
      requests += load.requests;
      seconds += processorSeconds(server.pid) - before;
      return load.perSecond;
    },
    /** Of its process alone, without the database. */
    cost(): string {
      const milliseconds = ((seconds * 1000) / requests).toFixed(1);
      return `${milliseconds} ms of processor and ${Math.round(kilobytes)} kB`;
    },
  };
}

function ourList(limit: number): string {
  return `/v1/orders?limit=${limit}`;
}

function pageBeside(name: string, way: Way, connections: number): string {
  const theirs = way === 'key' ? `${name} with a key` : `the fastest way of ${name}`;
  const count = connections === 1 ? 'one connection' : `${connections} connections`;
  return `page of ${PAGE} orders with a key, ${count}, beside ${theirs}`;
}
