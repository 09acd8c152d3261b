import { openWorker, type Worker } from '../entrances/jobs/worker.ts';
import type { ExchangeParts } from '../exchange/parts.ts';
import { openClockCache } from '../features/orders/index.ts';
import type { People } from '../features/people/index.ts';
import { openEventClocks } from '../features/webhooks-out/index.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db/database.ts';
import { acquireInstanceLock } from '../platform/db/instance-lock.ts';
import { openNotices } from '../platform/db/notices.ts';
import { openMetrics } from '../platform/metrics.ts';
import { openAddresses } from './addresses.ts';
import { type Closers, openClosers } from './closers.ts';
import { bootstrapDatabase, prepareSchema } from './database.ts';
import { installationFigures, processFigures } from './figures.ts';
import { openHttpServer } from './http-server.ts';
import { listenForMetrics } from './metrics.ts';
import { NO_MASTER_KEY, type Runtime, StartError } from './runtime.ts';
import { openServices } from './services.ts';

/** A running process with all its parts. */
export interface App {
  /** Empty where the process does not serve HTTP. */
  readonly url: string;
  /** Of `GET /metrics`; null where METRICS_PORT is empty. */
  readonly metricsUrl: string | null;
  readonly database: Database;
  readonly exchange: ExchangeParts;
  readonly worker: Worker | null;
  /** People and their sessions; null where the process does not serve HTTP. */
  readonly people: People | null;
  /** Running requests finish, jobs are handed back, the database is closed. */
  close(): Promise<void>;
}

/** Starts all parts. If one fails to start, closes those that were started. */
export async function openApp(config: Config, runtime: Runtime): Promise<App> {
  const closers = openClosers();
  try {
    return { ...(await start(config, runtime, closers)), close: closers.closeAll };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

/**
 * The start order: database, schema, instance lock, notices, services, HTTP server, worker. The
 * stop order is the opposite: the worker stops ticking, the HTTP server drains, the services hand
 * back their jobs, and the database is last.
 */
async function start(
  config: Config,
  runtime: Runtime,
  closers: Closers,
): Promise<Omit<App, 'close'>> {
  const { settings, secrets } = config;
  const { keyring } = secrets;
  if (!keyring) throw new StartError(NO_MASTER_KEY);
  const serves = settings.role !== 'worker';
  const works = settings.role !== 'api';
  const warn = (message: string) => (error: unknown) => runtime.log.warn({ err: error }, message);

  const metrics = openMetrics({
    isRead: settings.metricsPort !== null,
    onError: (error, figure) => runtime.log.warn({ err: error, figure }, 'figure not read'),
  });
  const { database, checkReady, close } = await bootstrapDatabase(
    config,
    { ...runtime, log: runtime.log.of('database') },
    metrics,
  );
  closers.add(close);
  await prepareSchema(database, settings);
  closers.add(await lockInstance(config, runtime, database, works));

  const notices = await openNotices(database, warn('notice line lost'));
  closers.add(notices.close);
  const clocks = openClockCache(database, notices, runtime.clock);
  const eventClocks = openEventClocks(database, notices, runtime.clock);
  const addresses = openAddresses(settings);
  const { publicUrl } = addresses;
  const options = { works, publicUrl, metrics };
  const exchange = await openServices(config, runtime, database, options, closers);

  for (const figure of processFigures(database, notices, exchange)) metrics.add(figure);
  if (works) for (const figure of installationFigures(exchange)) metrics.add(figure);
  const parts = {
    database,
    checkReady,
    notices,
    clocks,
    eventClocks,
    exchange,
    keyring,
    addresses,
  };
  const ofHttp = { ...runtime, log: runtime.log.of('http') };
  const server = serves ? await openHttpServer(config, ofHttp, parts, closers) : null;
  // After the server: jobs register our address at marketplaces, and it is known now.
  const worker = works ? await openWorker(exchange) : null;
  if (worker) closers.add(worker.stop);
  const metricsUrl = await listenForMetrics(settings, metrics, closers);
  return {
    metricsUrl,
    url: server?.url ?? '',
    database,
    exchange,
    worker,
    people: server?.people ?? null,
  };
}

/**
 * Takes the instance lock: without Redis only one process may run on a database.
 * @returns what releases the lock
 */
async function lockInstance(
  { secrets }: Config,
  runtime: Runtime,
  database: Database,
  works: boolean,
): Promise<() => Promise<void>> {
  const lock = await acquireInstanceLock(database, runtime, {
    sharesQuota: secrets.redisUrl !== null,
    works,
  });
  if (lock) return lock.release;
  throw new StartError(
    'Ya hay un Tianguis en marcha con esta base de datos. Para tener varios procesos, indica REDIS_URL en todos.',
  );
}
