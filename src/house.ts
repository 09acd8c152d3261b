import { consentReturn } from './entrances/connect/consent.ts';
import { docsSurface } from './entrances/docs/docs.ts';
import { type Front, openFront } from './entrances/front.ts';
import { healthSurfaces } from './entrances/health.ts';
import { QUEUES } from './entrances/jobs/tasks.ts';
import { openWorker, type Worker } from './entrances/jobs/worker.ts';
import { carrierEventReceiver } from './entrances/receivers/carrier-events.ts';
import { pushReceiver } from './entrances/receivers/pushes.ts';
import { openRest } from './entrances/rest/app.ts';
import type { ExchangeParts } from './exchange/parts.ts';
import { openAccessCache } from './features/keys/index.ts';
import { alertUnknownStatus, announceOrders } from './features/order-events/index.ts';
import { type OrderListener, openClockCache } from './features/orders/index.ts';
import { openQuota } from './features/quota/index.ts';
import { sumSales } from './features/sales/index.ts';
import { relatingOrders } from './features/shipments/index.ts';
import { stageOrders } from './features/warehouse/index.ts';
import type { Clock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { cursorMaker } from './platform/cursor.ts';
import { type Database, openDatabase } from './platform/db/database.ts';
import { type EmbeddedServer, openEmbedded } from './platform/db/embedded.ts';
import { migrate, pendingMigrations } from './platform/db/migrate.ts';
import { openNotices } from './platform/db/notices.ts';
import { announce } from './platform/db/presence.ts';
import type { Log } from './platform/log.ts';
import { openNetwork } from './platform/network.ts';
import { openQueue } from './platform/queue.ts';
import { openSharedWindow } from './platform/shared-window.ts';
import { createThrottle } from './platform/throttle.ts';

/** Why the house cannot stand; the message is for the operator, in Spanish. */
export class StartError extends Error {}

export interface House {
  readonly url: string;
  readonly database: Database;
  readonly exchange: ExchangeParts;
  readonly worker: Worker | null;
  /** Running requests finish, jobs are handed back, the database is left. */
  close(): Promise<void>;
}

export interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}

const WATCH_MS = 1_000;
const JOBS_GRACE_MS = 10_000;
const DATABASE = 'tianguis';
const NO_MASTER_KEY =
  'Falta MASTER_KEY: 32 bytes al azar en base64, por ejemplo el resultado de: openssl rand -base64 32';

/** What follows from every change of an order, whoever recorded it. */
export function listenersWith(given: readonly OrderListener[]): readonly OrderListener[] {
  const all = [...given, sumSales, alertUnknownStatus, stageOrders];
  return [...all, relatingOrders(all)];
}

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
    readerTimeoutSeconds: settings.requestTimeoutSeconds,
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

/** Builds the house and joins its parts; everything is closed again if one cannot be had. */
export async function openHouse(config: Config, surroundings: Surroundings): Promise<House> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  try {
    return { ...(await build(config, surroundings, (closer) => closers.push(closer))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(
  config: Config,
  surroundings: Surroundings,
  onClose: (closer: () => Promise<void> | void) => void,
): Promise<Omit<House, 'close'>> {
  const { settings, secrets } = config;
  const { clock, log } = surroundings;
  const { keyring } = secrets;
  if (!keyring) throw new StartError(NO_MASTER_KEY);
  const serves = settings.role !== 'worker';
  const works = settings.role !== 'api';

  const ground = await openGround(config, surroundings);
  onClose(ground.close);
  const { database } = ground;
  await readySchema(database, settings.migrate);
  const presence = await announce(database, surroundings, {
    sharesQuota: secrets.redisUrl !== null,
    works,
  });
  if (!presence)
    throw new StartError(
      'Ya hay un Tianguis en marcha con esta base de datos. Para tener varios procesos, indica REDIS_URL en todos.',
    );
  onClose(presence.leave);

  const warn = (message: string) => (error: unknown) => log.warn({ err: error }, message);
  const notices = await openNotices(database, warn('notice line lost'));
  onClose(notices.close);
  const clocks = openClockCache(database, notices);
  let { publicUrl } = settings;
  const exchange = await openExchange(
    config,
    surroundings,
    database,
    { works, orderListeners: [clocks.listener], publicUrl: () => publicUrl },
    onClose,
  );
  const startWork = async () => {
    const worker = works ? await openWorker(exchange) : null;
    if (worker) onClose(worker.stop);
    return worker;
  };
  if (!serves) return { url: '', database, exchange, worker: await startWork() };

  const quota = openQuota({
    clock,
    windowSeconds: settings.quotaWindowSeconds,
    redisUrl: secrets.redisUrl,
    onError: warn('quota store away'),
  });
  onClose(quota.close);
  const access = openAccessCache(database, notices, clock, warn('key use not written'));
  onClose(access.close);
  let isDraining = false;
  const rest = await openRest({
    access,
    quota,
    clock,
    database,
    cursors: cursorMaker(keyring),
    clocks,
    publicUrl: () => publicUrl,
    log,
  });
  const surfaces = [
    ...healthSurfaces(database, () => isDraining),
    rest,
    docsSurface(log),
    pushReceiver(exchange),
    carrierEventReceiver(exchange, notices, quota),
    consentReturn(exchange),
  ];
  const front: Front = await openFront({ settings, clock, quota, log, surfaces }).catch((cause) => {
    const place = `${settings.host}:${settings.port}`;
    throw new StartError(`No se puede escuchar en ${place} (${reasonOf(cause)}). Cambia PORT o HOST.`, {
      cause,
    });
  });
  onClose(async () => {
    isDraining = true;
    await front.close();
  });
  publicUrl = withPort(publicUrl, front.port);
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return {
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${front.port}`,
    database,
    exchange,
    // Walks may tell marketplaces our address, which is known now.
    worker: await startWork(),
  };
}

interface ExchangeOptions {
  /** Whether this process works on jobs. */
  readonly works: boolean;
  readonly orderListeners: readonly OrderListener[];
  /** Asked when it is needed: the system may choose the port. */
  readonly publicUrl: () => string;
}

/** What it takes to speak with marketplaces. */
export async function openExchange(
  { settings, secrets }: Config,
  surroundings: Surroundings,
  database: Database,
  { works, orderListeners, publicUrl }: ExchangeOptions,
  onClose: (closer: () => Promise<void>) => void,
): Promise<ExchangeParts> {
  const { clock, log } = surroundings;
  if (!secrets.keyring) throw new StartError(NO_MASTER_KEY);
  const onWindowError = (error: unknown) => log.warn({ err: error }, 'shared window away');
  const shared = secrets.redisUrl ? openSharedWindow(secrets.redisUrl, clock, onWindowError) : null;
  if (shared) onClose(shared.close);
  const network = openNetwork();
  onClose(network.close);
  const onError = (error: unknown) => log.warn({ err: error }, 'queue error');
  const queue = await openQueue({
    database,
    rules: QUEUES,
    migrate: settings.migrate,
    worker: works,
    onError,
  });
  onClose(() => queue.close(JOBS_GRACE_MS));
  return {
    ...surroundings,
    database,
    queue,
    keyring: secrets.keyring,
    network,
    throttle: createThrottle(clock, shared),
    applications: secrets.applications,
    baseUrls: settings.baseUrls,
    guideUrls: settings.guideUrls,
    get publicUrl() {
      return publicUrl();
    },
    orderListeners: listenersWith(orderListeners),
    announce: announceOrders,
  };
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

/** Port 0 of the configuration stands for the one that is really listened on. */
function withPort(publicUrl: string, port: number): string {
  return publicUrl.replace(/:0(?=\/|$)/, `:${port}`);
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

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
