/** A PostgreSQL and its streaming replica, of the test's own. */
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
const STARTED_WITHIN_MS = 60_000;
const DATABASE = 'tianguis';

/** Why a test that needs a replica cannot run here; false when it can. */
export const noReplica: string | false = BIN
  ? false
  : 'needs PostgreSQL with pg_basebackup in /usr/lib/postgresql';

/** @param applyDelay how late the replica replays each commit, as PostgreSQL writes times */
export async function openStreamingPair(t: Ending, applyDelay: string): Promise<StreamingPair> {
  const end = lastFirst(t);
  const folder = mkdtempSync(join(tmpdir(), 'tianguis-replica-'));
  end.after(() => rmSync(folder, { recursive: true, force: true }));
  const as = ownerOf(folder);
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(BIN as string, program), args, { ...as, cwd: folder, stdio: 'pipe' });
  const [primary, replica] = [join(folder, 'primary'), join(folder, 'replica')];
  const urlOf = (port: number, database: string) =>
    `postgres://postgres@127.0.0.1:${port}/${database}`;

  async function start(data: string, port: number): Promise<Running> {
    const settings = {
      ...{ port, listen_addresses: '127.0.0.1', unix_socket_directories: folder },
      ...{ fsync: 'off', max_connections: 150 },
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(BIN as string, 'postgres'), ['-D', data, ...args], {
      ...{ ...as, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    const running = follow(end, child);
    end.after(() => running.hasEnded() || running.end('SIGQUIT'));
    if (!(await eventually(() => answers(urlOf(port, 'postgres')), STARTED_WITHIN_MS, 50)))
      throw new Error(`PostgreSQL did not start:\n${running.lines.join('\n')}`);
    return running;
  }

  run('initdb', '-D', primary, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8');
  const [primaryPort, replicaPort] = [await freePort(), await freePort()];
  await start(primary, primaryPort);
  await ask(urlOf(primaryPort, 'postgres'), `create database ${DATABASE}`);
  const from = urlOf(primaryPort, 'postgres');
  run('pg_basebackup', '-d', from, '-D', replica, '-R', '-X', 'stream', '-c', 'fast');
  const delay = `alter system set recovery_min_apply_delay = '${applyDelay}'`;
  let running = await start(replica, replicaPort);
  const atReplica = (sql: string) => ask(urlOf(replicaPort, DATABASE), sql);
  await atReplica(delay);
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

/** PostgreSQL refuses root. */
function ownerOf(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid = 0, gid = 0] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
  );
  chownSync(folder, uid, gid);
  return { uid, gid };
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
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
