/** PostgreSQL servers of the test's own, with a streaming replica or without. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Ending, eventually, follow, lastFirst, type Running } from './processes.ts';
import { freePort } from './redis.ts';

export interface StreamingPair {
  readonly primaryUrl: string;
  readonly replicaUrl: string;
  /** At the replica, as a superuser. */
  atReplica(sql: string): Promise<Record<string, unknown>[]>;
  /** Connections are cut. */
  stopReplica(): Promise<void>;
  startReplica(): Promise<void>;
}

const BIN = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1);
type Settings = Readonly<Record<string, string | number>>;

const STARTED_WITHIN_MS = 60_000;
const DATABASE = 'tianguis';
const INITDB = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];

/** Why a test that needs a replica cannot run here; false when it can. */
export const noReplica: string | false = BIN
  ? false
  : 'needs PostgreSQL with pg_basebackup in /usr/lib/postgresql';

/** A server without a replica. */
export async function openServer(
  end: Ending,
  settings: Settings = {},
  bin = BIN,
): Promise<{ readonly url: string; stop(): Promise<void>; start(): Promise<void> }> {
  const { folder, start, run } = prepareFolder(end, bin);
  const data = join(folder, 'primary');
  run('initdb', '-D', data, ...INITDB);
  const port = await freePort();
  let running = await start(data, port, settings);
  await ask(urlOf(port, 'postgres'), `create database ${DATABASE}`);
  return {
    url: urlOf(port, DATABASE),
    stop: async () => void (await running.end('SIGQUIT')),
    async start() {
      running = await start(data, port, settings);
    },
  };
}

/** @param applyDelay how late the replica replays each commit, as PostgreSQL writes times */
export async function openStreamingPair(t: Ending, applyDelay: string): Promise<StreamingPair> {
  const { folder, start, run } = prepareFolder(lastFirst(t));
  const [primary, replica] = [join(folder, 'primary'), join(folder, 'replica')];
  run('initdb', '-D', primary, ...INITDB);
  const [primaryPort, replicaPort] = [await freePort(), await freePort()];
  await start(primary, primaryPort);
  await ask(urlOf(primaryPort, 'postgres'), `create database ${DATABASE}`);
  const from = urlOf(primaryPort, 'postgres');
  run('pg_basebackup', '-d', from, '-D', replica, '-R', '-X', 'stream', '-c', 'fast');
  let running = await start(replica, replicaPort);
  const atReplica = (sql: string) => ask(urlOf(replicaPort, DATABASE), sql);
  await atReplica(`alter system set recovery_min_apply_delay = '${applyDelay}'`);
  await atReplica('select pg_reload_conf()');
  return {
    primaryUrl: urlOf(primaryPort, DATABASE),
    replicaUrl: urlOf(replicaPort, DATABASE),
    atReplica,
    stopReplica: async () => void (await running.end('SIGQUIT')),
    async startReplica() {
      running = await start(replica, replicaPort);
    },
  };
}

/** For the data of servers of a test, which end with it. */
function prepareFolder(end: Ending, bin = BIN) {
  const folder = mkdtempSync(join(tmpdir(), 'tianguis-servers-'));
  end.after(() => rmSync(folder, { recursive: true, force: true }));
  // As its own user, with no certificates of another one.
  const as = { ...ownerOf(folder), cwd: folder, env: { ...process.env, HOME: folder } };
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(bin as string, program), args, { ...as, stdio: 'pipe' });
  async function start(data: string, port: number, more: Settings = {}): Promise<Running> {
    const settings = {
      ...more,
      ...{ port, listen_addresses: '127.0.0.1', unix_socket_directories: folder },
      ...{ fsync: 'off', max_connections: 150 },
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(bin as string, 'postgres'), ['-D', data, ...args], {
      ...{ ...as, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    const running = follow(end, child);
    end.after(() => running.hasEnded() || running.end('SIGQUIT'));
    const isUp = async () => running.hasEnded() || (await answers(urlOf(port, 'postgres')));
    if (!(await eventually(isUp, STARTED_WITHIN_MS, 50)) || running.hasEnded())
      throw new Error(`PostgreSQL did not start:\n${running.lines.join('\n')}`);
    return running;
  }
  return { folder, start, run };
}

function urlOf(port: number, database: string): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`;
}

/** PostgreSQL refuses root. */
function ownerOf(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid = 0, gid = 0] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
  );
  chownSync(folder, uid, gid);
  return { uid, gid };
}

export async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function answers(url: string): Promise<boolean> {
  return ask(url, 'select 1').then(
    () => true,
    () => false,
  );
}
