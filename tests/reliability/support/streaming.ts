/** PostgreSQL servers of the test's own, with a streaming replica or without. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
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

interface Server {
  readonly url: string;
  /** Of the server's own user. */
  readonly folder: string;
  /** Runs one of the server's tools. @throws Error where it fails */
  run(program: string, ...args: string[]): void;
  /** A database without a table. @returns its address */
  create(database: string): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A server without a replica. */
export async function openServer(end: Ending, settings: Settings = {}, bin = BIN): Promise<Server> {
  const { folder, start, run } = prepareFolder(end, bin);
  const data = join(folder, 'primary');
  run('initdb', '-D', data, ...INITDB);
  const port = await freePort();
  let running = await start(data, port, settings);
  await ask(urlOf(port, 'postgres'), `create database ${DATABASE}`);
  return {
    ...{ url: urlOf(port, DATABASE), folder, run },
    async create(database) {
      await ask(urlOf(port, 'postgres'), `create database ${database}`);
      return urlOf(port, database);
    },
    stop: async () => void (await running.end('SIGQUIT')),
    async start() {
      running = await start(data, port, settings);
    },
  };
}

interface ArchivedServer {
  readonly url: string;
  /** A base backup, from which `recover` starts. */
  backUp(): void;
  /** Recovers it up to an instant in UTC, on a server of its own. @returns the address of the database */
  recover(until: string): Promise<string>;
}

/** A server that keeps its write-ahead log, for a recovery to a point in time. */
export async function openArchivedServer(t: Ending): Promise<ArchivedServer> {
  const { folder, start, run } = prepareFolder(t);
  const [data, base, archive] = ['primary', 'base', 'archive'].map((name) => join(folder, name));
  run('initdb', '-D', data as string, ...INITDB);
  mkdirSync(archive as string);
  // Its user is not the test's.
  chmodSync(archive as string, 0o777);
  const port = await freePort();
  const kept = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f` };
  const running = await start(data as string, port, kept);
  await ask(urlOf(port, 'postgres'), `create database ${DATABASE}`);
  return {
    url: urlOf(port, DATABASE),
    backUp() {
      run('pg_basebackup', '-d', urlOf(port, 'postgres'), '-D', base as string, '-c', 'fast');
    },
    async recover(until) {
      await ask(urlOf(port, 'postgres'), 'select pg_switch_wal()');
      const isArchived = async () => (await ask(urlOf(port, 'postgres'), UNARCHIVED)).length === 0;
      if (!(await eventually(isArchived, STARTED_WITHIN_MS))) throw new Error('not archived');
      await running.end('SIGQUIT');
      writeFileSync(join(base as string, 'recovery.signal'), '');
      const own = await freePort();
      await start(base as string, own, {
        restore_command: `cp ${archive}/%f %p`,
        // It reads no «Z».
        recovery_target_time: until.replace('Z', '+00'),
        recovery_target_action: 'promote',
      });
      const isOver = async () =>
        (await ask(urlOf(own, 'postgres'), 'select pg_is_in_recovery() as is'))[0]?.is === false;
      if (!(await eventually(isOver, STARTED_WITHIN_MS))) throw new Error('recovery goes on');
      return urlOf(own, DATABASE);
    },
  };
}

/** Until the archive has the log of everything that was committed. */
const UNARCHIVED = `select from pg_stat_archiver
  where coalesce(last_archived_wal, '') < pg_walfile_name(pg_current_wal_lsn() - 1)`;

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
  const run = (program: string, ...args: string[]) => {
    execFileSync(join(bin as string, program), args, { ...as, stdio: 'pipe' });
  };
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
