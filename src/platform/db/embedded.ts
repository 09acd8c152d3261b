/**
 * Supervises the PostgreSQL shipped through npm: one server per data folder, shared by whoever
 * opens it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { APP, createAppRole, OWNER, writeAccess } from './embedded-access.ts';
import { EmbeddedError, type Log } from './embedded-error.ts';
import {
  choosePlace,
  claimSocket,
  ENVIRONMENT,
  isForeign,
  type Place,
  PORT,
  takeOver,
  usableBinaries,
} from './embedded-place.ts';
import { livingProcess, withRegister } from './embedded-register.ts';

export { EmbeddedError };

export interface EmbeddedServer {
  /** Folder of the unix socket; what `pg` takes as `host`. */
  readonly host: string;
  /** Constant; only names the socket file. */
  readonly port: number;
  /** Owns the database; for migrations, backups and repairs. */
  readonly user: string;
  /** Reads and writes rows, and cannot change the schema; for the running service. */
  readonly appUser: string;
  readonly database: string;
  /** Where data and binaries really are, for the start message. */
  readonly home: string;
  /** Starts the server again if it fell. */
  ensure(): Promise<void>;
  /** What the file system of the data still takes. */
  freeBytes(): number;
  /** Leaves; the last one to leave stops the server. */
  close(): Promise<void>;
}

const DATABASE = 'tianguis';

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

const INITDB = [
  `--username=${OWNER}`,
  '--auth-local=peer',
  '--auth-host=reject',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
];

const PATIENCE_MS = 60_000;
const QUIT_MS = 10_000;
const POLL_MS = 10;
const LARGEST_LOG = 8 * 1024 * 1024;

/**
 * Starts, joins or adopts the server of a data folder. Throws `EmbeddedError` when that is
 * impossible.
 */
export function openEmbedded(options: { dataDir: string; log?: Log }): Promise<EmbeddedServer> {
  return explained(options.dataDir, open(options.dataDir, options.log ?? (() => {})));
}

async function open(dataDir: string, log: Log): Promise<EmbeddedServer> {
  const place = await choosePlace(dataDir, log);
  const entry = await withRegister(place.home, async (register) => {
    if (isForeign(place)) await changeOwner(place, register.isEmpty(), log);
    const mine = register.enter();
    await ensureRunning(place, log);
    return mine;
  });

  let leaving: Promise<void> | undefined;
  function close(): Promise<void> {
    leaving ??= explained(dataDir, leave(place, entry));
    return leaving;
  }
  const ensure = () =>
    explained(
      dataDir,
      withRegister(place.home, () => restart(place, log)),
    );
  const { socket: host, home } = place;
  const freeBytes = () => freeBytesAt(home);
  return {
    host,
    port: PORT,
    user: OWNER,
    appUser: APP,
    database: DATABASE,
    home,
    ensure,
    freeBytes,
    close,
  };
}

/**
 * Data that went away while it was used comes back, or not; an empty database in its place would
 * hide it.
 */
function restart(place: Place, log: Log): Promise<void> {
  if (fs.existsSync(place.cluster)) return ensureRunning(place, log);
  throw new EmbeddedError(
    `Los datos ya no están en ${place.cluster}. Revisa que el disco siga montado y reinicia.`,
  );
}

/**
 * A server that still runs as the former owner is stopped first, which nobody else may be using.
 */
async function changeOwner(place: Place, isUnused: boolean, log: Log): Promise<void> {
  if (!isUnused)
    throw new EmbeddedError(
      `Otro proceso usa la carpeta de datos ${place.home} con una versión anterior de Tianguis: detenlo y vuelve a iniciar.`,
    );
  await stop(place);
  takeOver(place);
  log('La base de datos pasó a su propio usuario de sistema', { home: place.home });
}

function freeBytesAt(folder: string): number {
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize;
}

function leave(place: Place, entry: number): Promise<void> {
  return withRegister(place.home, async (register) => {
    if (register.isEmpty(entry)) await stop(place);
    register.leave(entry);
  });
}

async function explained<T>(dataDir: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof EmbeddedError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message =
      `No se puede trabajar en la carpeta de datos ${dataDir} (${reason}). ` +
      'Revisa que haya espacio y que este usuario pueda escribir en ella, o elige otra carpeta en DATA_DIR.';
    throw new EmbeddedError(message, { cause });
  }
}

async function ensureRunning(place: Place, log: Log): Promise<void> {
  checkVersion(place);
  claimSocket(place);
  if (fs.existsSync(place.cluster)) refreshAccess(place);
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const postmaster = findPostmaster(place);
    // With a pid file but no visible process, it may run in another container that shares the
    // folder.
    const mayAnswer = postmaster ? postmaster.status === 'ready' : fs.existsSync(pidFile(place));
    if (mayAnswer && (await answers(place))) return;
    if (!postmaster) await start(place, log, deadline);
    await sleep(POLL_MS);
  }
  throw new EmbeddedError(
    `PostgreSQL no respondió a tiempo en ${place.home}. Últimas líneas de su bitácora:${lastWords(place)}`,
  );
}

function refreshAccess(place: Place): void {
  const postmaster = writeAccess(place.cluster, place.as) && findPostmaster(place);
  if (postmaster) process.kill(postmaster.pid, 'SIGHUP');
}

/**
 * Another major version neither reads nor changes the folder; what reads it is said with the
 * package that it came in.
 */
function checkVersion(place: Place): void {
  const { cluster, shipped } = place;
  if (!fs.existsSync(cluster)) return;
  const [theirs = '(?)'] = readLines(join(cluster, 'PG_VERSION'));
  const ours = shipped.version.split('.')[0];
  if (theirs === ours) return;
  const [last] = readLines(versionFile(place));
  const found = last ? '' : ` (la versión exacta está en: npm view ${shipped.name} versions)`;
  throw new EmbeddedError(
    `La carpeta de datos ${cluster} es de PostgreSQL ${theirs} y este programa trae PostgreSQL ${ours}. ` +
      `Para seguir trabajando con ella: npm install --no-save ${shipped.name}@${last || `${theirs}.x`}${found}. ` +
      'Para pasarla a la versión nueva, sigue los pasos de docs/running.md, «Another version of PostgreSQL».',
  );
}

/** The version of the binaries that worked on the folder last. */
function versionFile({ home }: Place): string {
  return join(home, 'version');
}

/** The live postmaster of this folder: its pid file and the process table must agree. */
function findPostmaster(place: Place): { pid: number; status: string } | undefined {
  const [pid, folder, , , , , , status = ''] = readLines(pidFile(place));
  if (folder !== place.cluster || !isPostmaster(Number(pid), place)) return undefined;
  return { pid: Number(pid), status: status.trim() };
}

function isPostmaster(pid: number, { cluster }: Place): boolean {
  const found = livingProcess(pid);
  if (!found || !/postgres|postmaster/.test(found.command)) return false;
  return found.folder === cluster || found.command.includes(` -D ${cluster} `);
}

function pidFile({ cluster }: Place): string {
  return join(cluster, 'postmaster.pid');
}

function readLines(file: string): string[] {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : [];
}

const NOT_YET = [undefined, 'ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P03'];

async function answers(place: Place): Promise<boolean> {
  try {
    await asOwner(place, DATABASE, createAppRole);
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === '53300') return true; // too many clients: alive
    if (NOT_YET.includes(code)) return false;
    if (code !== '3D000') throw error;
    await asOwner(place, 'postgres', createDatabase);
    return true;
  }
}

async function createDatabase(client: Client): Promise<void> {
  await client.query(`create database ${DATABASE}`);
  await createAppRole(client);
}

async function asOwner(
  place: Place,
  database: string,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const address = { host: place.socket, port: PORT, user: OWNER, database };
  const client = new Client({ ...address, ssl: false, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {}); // a connection cut while idle; the next query tells
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}

async function start(place: Place, log: Log, deadline: number): Promise<void> {
  removeLeftovers(place.home);
  const bin = usableBinaries(place, log);
  if (!fs.existsSync(place.cluster)) await createCluster(place, bin);
  removeStaleLocks(place);

  const output = openLog(place);
  const spoken = fs.fstatSync(output).size;
  const postmaster = spawnPostmaster(place, bin, output);
  fs.closeSync(output);
  let hasEnded = false;
  for (const end of ['exit', 'error']) postmaster.once(end, () => (hasEnded = true));
  while (!hasEnded && findPostmaster(place)?.status !== 'ready' && performance.now() < deadline) {
    await sleep(POLL_MS);
  }

  const words = lastWords(place, spoken);
  if (hasEnded && !FORMER_RUN.some((sign) => words.includes(sign))) {
    throw new EmbeddedError(
      `PostgreSQL no pudo iniciar en ${place.home}. Últimas líneas de su bitácora:${words}`,
    );
  }
  // Not written again and again: on a full disk that would leave an empty file.
  const [former] = readLines(versionFile(place));
  if (former !== place.shipped.version) fs.writeFileSync(versionFile(place), place.shipped.version);
}

/**
 * Said while backends of a killed postmaster still hold the folder, or a former start is not
 * visible yet.
 */
const FORMER_RUN = ['pre-existing shared memory block', '" already exists'];

/** Traces of processes that were killed while they prepared something. */
function removeLeftovers(home: string): void {
  for (const name of fs.readdirSync(home).filter((each) => /^(initdb|copy)-/.test(each))) {
    try {
      fs.rmSync(join(home, name), { recursive: true, force: true });
    } catch {
      // An initdb that outlived its instance still writes there; the next start removes it.
    }
  }
}

/** A cluster appears whole or not at all: it is made under another name. */
async function createCluster({ home, cluster, as }: Place, bin: string): Promise<void> {
  const draft = fs.mkdtempSync(join(home, 'initdb-'));
  fs.chownSync(draft, as.uid, as.gid);
  try {
    await promisify(execFile)(join(bin, 'initdb'), [...INITDB, '-D', draft], {
      cwd: home,
      env: ENVIRONMENT,
      ...as,
    });
  } catch (cause) {
    const { message } = cause as Error;
    throw new EmbeddedError(`PostgreSQL no pudo crear la carpeta ${cluster}. ${message}`, {
      cause,
    });
  }
  writeAccess(draft, as);
  fs.renameSync(draft, cluster);
  flush(home);
}

/** The new name must be on the disk before the first commit is acknowledged. */
function flush(folder: string): void {
  const descriptor = fs.openSync(folder, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

/** PostgreSQL refuses to start when the number in a lock file now belongs to some other process. */
function removeStaleLocks(place: Place): void {
  const pid = Number(readLines(pidFile(place))[0]);
  // With a dead process the file stays: it leads PostgreSQL to the shared memory of the former run.
  if (livingProcess(pid) && !isPostmaster(pid, place)) fs.rmSync(pidFile(place), { force: true });
  const socket = join(place.socket, `.s.PGSQL.${PORT}`);
  for (const file of [socket, `${socket}.lock`]) fs.rmSync(file, { force: true });
}

function openLog({ logFile, as }: Place): number {
  const size = fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LARGEST_LOG) fs.renameSync(logFile, `${logFile}.1`);
  const descriptor = fs.openSync(logFile, 'a', 0o600);
  fs.fchownSync(descriptor, as.uid, as.gid);
  return descriptor;
}

function spawnPostmaster(place: Place, bin: string, output: number): ChildProcess {
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: place.socket });
  const postmaster = spawn(
    join(bin, 'postgres'),
    ['-D', place.cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // A session of its own: neither Ctrl-C nor the end of this process reaches it.
    {
      detached: true,
      stdio: ['ignore', output, output],
      cwd: place.home,
      env: { ...ENVIRONMENT, ...MEMORY },
      ...place.as,
    },
  );
  postmaster.unref();
  return postmaster;
}

function lastWords({ logFile }: Place, from = 0): string {
  const lines = fs.readFileSync(logFile).subarray(from).toString().trimEnd().split('\n');
  return `\n${lines.slice(-10).join('\n')}`;
}

/**
 * Fast shutdown: connections are cut, everything committed is on disk. One that cannot end so
 * recovers at its next start.
 */
async function stop(place: Place): Promise<void> {
  const postmaster = findPostmaster(place);
  if (!postmaster) return;
  process.kill(postmaster.pid, 'SIGINT');
  if (await endsWithin(postmaster.pid, place, PATIENCE_MS)) return;
  process.kill(postmaster.pid, 'SIGQUIT');
  if (!(await endsWithin(postmaster.pid, place, QUIT_MS)))
    throw new EmbeddedError(`PostgreSQL no termina en ${place.home}.`);
}

async function endsWithin(pid: number, place: Place, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (isPostmaster(pid, place)) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
