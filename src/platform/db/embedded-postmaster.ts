import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedError } from './embedded-error.ts';
import { type EmbeddedPaths, ENVIRONMENT, PORT } from './embedded-paths.ts';
import { livingProcess } from './embedded-register.ts';

// The process of the server: found by its folder, spawned, stopped.

const SETTINGS = {
  listen_addresses: '',
  port: PORT,
  unix_socket_permissions: '0700',
  max_connections: 200,
  shared_buffers: '256MB',
  fsync: 'on',
  synchronous_commit: 'on',
  // A first import writes a gigabyte within minutes; each checkpoint on the way would write every
  // page whole once more.
  max_wal_size: '2GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Failed statements are logged by the instance; here they would only leave buyers' details in a
  // file.
  log_min_messages: 'log',
};

/**
 * Of the C library: memory goes back to the system in large pieces only, since the next page of
 * rows wants it again.
 */
const MEMORY = {
  MALLOC_TRIM_THRESHOLD_: String(32 * 1024 * 1024),
  MALLOC_MMAP_THRESHOLD_: String(32 * 1024 * 1024),
  MALLOC_TOP_PAD_: String(1024 * 1024),
};

export const PATIENCE_MS = 60_000;
const QUIT_MS = 10_000;
export const POLL_MS = 10;
const LARGEST_LOG = 8 * 1024 * 1024;

/** The live postmaster of this folder: its pid file and the process table must agree. */
export function findPostmaster(paths: EmbeddedPaths): { pid: number; status: string } | undefined {
  const [pid, folder, , , , , , status = ''] = readLines(pidFile(paths));
  if (folder !== paths.cluster || !isPostmaster(Number(pid), paths)) return undefined;
  return { pid: Number(pid), status: status.trim() };
}

function isPostmaster(pid: number, { cluster }: EmbeddedPaths): boolean {
  const found = livingProcess(pid);
  if (!found || !/postgres|postmaster/.test(found.command)) return false;
  return found.folder === cluster || found.command.includes(` -D ${cluster} `);
}

export function pidFile({ cluster }: EmbeddedPaths): string {
  return join(cluster, 'postmaster.pid');
}

export function readLines(file: string): string[] {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : [];
}

/** PostgreSQL refuses to start when the number in a lock file now belongs to some other process. */
export function removeStaleLocks(paths: EmbeddedPaths): void {
  const pid = Number(readLines(pidFile(paths))[0]);
  // With a dead process the file stays: it leads PostgreSQL to the shared memory of the former run.
  if (livingProcess(pid) && !isPostmaster(pid, paths)) fs.rmSync(pidFile(paths), { force: true });
  const socket = join(paths.socket, `.s.PGSQL.${PORT}`);
  for (const file of [socket, `${socket}.lock`]) fs.rmSync(file, { force: true });
}

export function openLog({ logFile, as }: EmbeddedPaths): number {
  const size = fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LARGEST_LOG) fs.renameSync(logFile, `${logFile}.1`);
  const descriptor = fs.openSync(logFile, 'a', 0o600);
  fs.fchownSync(descriptor, as.uid, as.gid);
  return descriptor;
}

export function spawnPostmaster(paths: EmbeddedPaths, bin: string, output: number): ChildProcess {
  const own = { ...SETTINGS, ...paths.settings, unix_socket_directories: paths.socket };
  const settings = Object.entries(own);
  const postmaster = spawn(
    join(bin, 'postgres'),
    ['-D', paths.cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // A session of its own: neither Ctrl-C nor the end of this process reaches it.
    {
      detached: true,
      stdio: ['ignore', output, output],
      cwd: paths.home,
      env: { ...ENVIRONMENT, ...MEMORY },
      ...paths.as,
    },
  );
  postmaster.unref();
  return postmaster;
}

export function lastWords({ logFile }: EmbeddedPaths, from = 0): string {
  const lines = fs.readFileSync(logFile).subarray(from).toString().trimEnd().split('\n');
  return `\n${lines.slice(-10).join('\n')}`;
}

/**
 * Fast shutdown: connections are cut, everything committed is on disk. One that cannot end so
 * recovers at its next start.
 */
export async function stop(paths: EmbeddedPaths): Promise<void> {
  const postmaster = findPostmaster(paths);
  if (!postmaster) return;
  process.kill(postmaster.pid, 'SIGINT');
  if (await endsWithin(postmaster.pid, paths, PATIENCE_MS)) return;
  process.kill(postmaster.pid, 'SIGQUIT');
  if (!(await endsWithin(postmaster.pid, paths, QUIT_MS)))
    throw new EmbeddedError(`PostgreSQL no termina en ${paths.home}.`);
}

async function endsWithin(
  pid: number,
  paths: EmbeddedPaths,
  milliseconds: number,
): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (isPostmaster(pid, paths)) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
