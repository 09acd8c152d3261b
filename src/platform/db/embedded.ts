/**
 * Supervises the PostgreSQL shipped through npm: one server per data folder, shared by the
 * processes that open it.
 */
import * as fs from 'node:fs';
import { APP, OWNER } from './embedded-access.ts';
import { EmbeddedError, type Log } from './embedded-error.ts';
import { choosePaths, type EmbeddedPaths, isForeign, PORT, takeOver } from './embedded-paths.ts';
import { stop } from './embedded-postmaster.ts';
import { withRegister } from './embedded-register.ts';
import { DATABASE, ensureRunning } from './embedded-start.ts';

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

interface EmbeddedOptions {
  readonly dataDir: string;
  readonly log?: Log;
  /** Of PostgreSQL, in place of ours, for servers whose data need not last. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts, joins or adopts the server of a data folder. Throws `EmbeddedError` when that is
 * impossible.
 */
export function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  return explained(options.dataDir, open(options));
}

async function open({
  dataDir,
  log = () => {},
  settings = {},
}: EmbeddedOptions): Promise<EmbeddedServer> {
  const paths = { ...(await choosePaths(dataDir, log)), settings };
  const entry = await withRegister(paths.home, async (register) => {
    if (isForeign(paths)) await changeOwner(paths, register.isEmpty(), log);
    const mine = register.enter();
    await ensureRunning(paths, log);
    return mine;
  });

  let leaving: Promise<void> | undefined;
  function close(): Promise<void> {
    leaving ??= explained(dataDir, leave(paths, entry));
    return leaving;
  }
  const ensure = () =>
    explained(
      dataDir,
      withRegister(paths.home, () => restart(paths, log)),
    );
  const { socket: host, home } = paths;
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
function restart(paths: EmbeddedPaths, log: Log): Promise<void> {
  if (fs.existsSync(paths.cluster)) return ensureRunning(paths, log);
  throw new EmbeddedError(
    `Los datos ya no están en ${paths.cluster}. Revisa que el disco siga montado y reinicia.`,
  );
}

/**
 * A server that still runs as the former owner is stopped first; no other process may use it.
 */
async function changeOwner(paths: EmbeddedPaths, isUnused: boolean, log: Log): Promise<void> {
  if (!isUnused)
    throw new EmbeddedError(
      `Otro proceso usa la carpeta de datos ${paths.home} con una versión anterior de Tianguis: detenlo y vuelve a iniciar.`,
    );
  await stop(paths);
  takeOver(paths);
  log('La base de datos pasó a su propio usuario de sistema', { home: paths.home });
}

function freeBytesAt(folder: string): number {
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize;
}

function leave(paths: EmbeddedPaths, entry: number): Promise<void> {
  return withRegister(paths.home, async (register) => {
    if (register.isEmpty(entry)) await stop(paths);
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
