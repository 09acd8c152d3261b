import { isUnfinished, UNFINISHED_RESTORE } from '../features/backup/index.ts';
import type { Config, Settings } from '../platform/config.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { type EmbeddedServer, openEmbedded } from '../platform/db/embedded.ts';
import { watchEmbedded } from '../platform/db/embedded-watch.ts';
import { migrate, readSchemaState } from '../platform/db/migrate.ts';
import { codeOf } from '../platform/db/unavailable.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type Runtime, reasonOf, StartError } from './runtime.ts';

const DATABASE = 'tianguis';
/** SQLSTATE. */
const MISSING_RIGHT = '42501';
const TWO_DATABASES =
  'DATABASE_URL y DATABASE_DIRECT_URL llevan a bases de datos distintas. Deben llevar a la misma: una por PgBouncer y la otra directo. Sin PgBouncer, deja vacía DATABASE_DIRECT_URL.';
const ASK_THE_OWNER =
  'El usuario de la base de datos no puede cambiar el esquema. Corre npm run cli -- migrate con el dueño de las tablas en DATABASE_URL y con DATABASE_DIRECT_URL vacía.';

interface Bootstrapped {
  readonly database: Database;
  /** Fails when data accepted now could not be stored. */
  checkReady(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects to the database of the configuration: a served one, or the embedded one of the data
 * folder.
 * @param isRestore opens what a restore makes; nothing else may, before it is whole
 * @throws StartError
 */
export async function bootstrapDatabase(
  { settings, secrets }: Config,
  { clock, log, isRestore = false }: Pick<Runtime, 'clock' | 'log'> & { isRestore?: boolean },
  metrics: Metrics | null = null,
): Promise<Bootstrapped> {
  if (!secrets.databaseUrl && !isRestore && isUnfinished(settings.dataDir))
    throw new StartError(
      `La restauración quedó incompleta (${UNFINISHED_RESTORE}): faltan datos. Vacía ${settings.dataDir} y repite: npm run cli -- restore ARCHIVO`,
    );
  const embedded = secrets.databaseUrl
    ? null
    : await openEmbedded({
        dataDir: settings.dataDir,
        log: (message, fields) => log.info(fields ?? {}, message),
      });
  const database = openDatabase({
    ...(embedded ? addressesOf(embedded) : { address: { url: secrets.databaseUrl as string } }),
    kind: settings.databaseKind,
    direct: secrets.databaseDirectUrl ? { url: secrets.databaseDirectUrl } : null,
    replica: secrets.databaseReplicaUrl ? { url: secrets.databaseReplicaUrl } : null,
    clock,
    keyring: secrets.keyring,
    // Longer than the request's own timeout, which cancels its query: this one is for a cancel that
    // is lost.
    readerTimeoutSeconds: settings.requestTimeoutSeconds + 1,
    onIdleError: (error) => log.warn({ err: error }, 'database connection lost'),
    onServerAway: (error) => log.warn({ err: error }, 'server of data away'),
    onReplicaAway: (error) => log.warn({ err: error }, 'database replica away'),
    ...(metrics && {
      meters: {
        waited: (pool, milliseconds) =>
          metrics.databaseWaits.observe({ pool }, milliseconds / 1000),
        retried: (reason) => metrics.databaseRetries.inc({ reason }),
      },
    }),
  });
  // The operator of a served database watches it.
  const watch = embedded ? watchEmbedded({ database, embedded, clock, log }) : null;
  const close = async () => {
    watch?.stop();
    await database.close().finally(() => embedded?.close());
  };
  await requireOne(database).catch(async (cause) => {
    await close();
    throw cause;
  });
  const checkReady = async () => {
    if (watch?.hasRoom() === false) throw new Error('the disk of the database is full');
    await database.checkWritable();
  };
  return { database, checkReady, close };
}

/** @throws StartError where it does not answer, or its two addresses are of two databases */
async function requireOne(database: Database): Promise<void> {
  const isOne = await database
    .ping()
    .then(() => database.isOne())
    .catch((cause) => {
      throw new StartError(`No se puede conectar con la base de datos: ${reasonOf(cause)}.`, {
        cause,
      });
    });
  if (!isOne) throw new StartError(TWO_DATABASES);
}

function addressesOf({ host, port, user, appUser }: EmbeddedServer) {
  const place = { host, port, database: DATABASE };
  return { address: { ...place, user: appUser }, owner: { ...place, user } };
}

/**
 * Migrates the schema; a process without the right to migrate reports what is missing. A schema
 * that a newer release made is refused, unless the operator goes back to this one.
 * @returns the names of the migrations that were applied
 */
export async function prepareSchema(
  database: Database,
  { migrate: mayMigrate, newerSchema }: Pick<Settings, 'migrate' | 'newerSchema'>,
): Promise<readonly string[]> {
  const { pending, unknown } = await readSchemaState(database);
  if (unknown.length > 0 && newerSchema === 'refuse')
    throw new StartError(
      `La base de datos es de una versión más nueva de Tianguis: tiene migraciones que esta versión no conoce (${unknown.join(', ')}). Instala la versión más nueva. Para regresar a la versión anterior, usa NEWER_SCHEMA=allow.`,
    );
  // A role apart from the owner's may still lack rights to what is there.
  const { address, owner } = database;
  if (mayMigrate && (pending.length > 0 || address !== owner))
    return migrate(database).catch((cause) => {
      throw codeOf(cause) === MISSING_RIGHT ? new StartError(ASK_THE_OWNER, { cause }) : cause;
    });
  if (pending.length > 0)
    throw new StartError(
      `Faltan migraciones de la base de datos (${pending.join(', ')}). Corre: npm run cli -- migrate`,
    );
  return [];
}
