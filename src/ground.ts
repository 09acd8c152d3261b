import type { Clock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { type Database, openDatabase } from './platform/db/database.ts';
import { type EmbeddedServer, openEmbedded } from './platform/db/embedded.ts';
import { migrate, pendingMigrations } from './platform/db/migrate.ts';
import type { Log } from './platform/log.ts';

/** Why the house cannot stand; the message is for the operator, in Spanish. */
export class StartError extends Error {}

export interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}

const WATCH_MS = 1_000;
const DATABASE = 'tianguis';

/** The database of the configuration: served, or the embedded one of the data folder. */
export async function openGround(
  { settings, secrets }: Config,
  { clock, log }: Surroundings,
): Promise<{ database: Database; close(): Promise<void> }> {
  const embedded = secrets.databaseUrl
    ? null
    : await openEmbedded({
        dataDir: settings.dataDir,
        log: (message, fields) => log.info(fields ?? {}, message),
      });
  const address = embedded
    ? { host: embedded.host, port: embedded.port, user: embedded.user, database: DATABASE }
    : { url: secrets.databaseUrl as string };
  const database = openDatabase({
    address,
    clock,
    // After the request's own end, which cancels its query: this is for a cancel that does not get through.
    readerTimeoutSeconds: settings.requestTimeoutSeconds + 1,
    onIdleError: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  // Nobody else raises an embedded server that fell; a served one has its own keepers.
  const stopWatching = embedded
    ? clock.every(WATCH_MS, () => void raiseIfFallen(database, embedded, log))
    : () => {};
  const close = async () => {
    stopWatching();
    await database.close();
    await embedded?.close();
  };
  await database.ping().catch(async (cause) => {
    await close();
    throw new StartError(`No se puede entrar a la base de datos: ${reasonOf(cause)}.`, { cause });
  });
  return { database, close };
}

/** Brings the schema up to date, or says what is missing where that is somebody else's task. */
export async function readySchema(database: Database, mayMigrate: boolean): Promise<void> {
  if (mayMigrate) {
    await migrate(database);
    return;
  }
  const pending = await pendingMigrations(database);
  if (pending.length > 0)
    throw new StartError(
      `Faltan migraciones de la base de datos (${pending.join(', ')}). Corre: npm run cli -- migrate`,
    );
}

let isRaising = false;

async function raiseIfFallen(database: Database, embedded: EmbeddedServer, log: Log): Promise<void> {
  if (isRaising) return;
  isRaising = true;
  try {
    await database.ping();
  } catch {
    await embedded.ensure().then(
      () => log.warn({}, 'the embedded database was raised again'),
      (error) => log.error({ err: error }, 'the embedded database cannot be raised'),
    );
  } finally {
    isRaising = false;
  }
}

export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
