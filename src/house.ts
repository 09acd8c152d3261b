import { openDoors } from './doors.ts';
import { type Front, openFront } from './entrances/front.ts';
import { openWorker, type Worker } from './entrances/jobs/worker.ts';
import type { ExchangeParts } from './exchange/parts.ts';
import type { People } from './features/accounts/index.ts';
import { openClockCache } from './features/orders/index.ts';
import { openGround, readySchema, reasonOf, StartError, type Surroundings } from './ground.ts';
import type { Config } from './platform/config.ts';
import type { Database } from './platform/db/database.ts';
import { keepPublicUrl } from './platform/db/installation.ts';
import { openNotices } from './platform/db/notices.ts';
import { announce } from './platform/db/presence.ts';
import { NO_MASTER_KEY, openExchange } from './wiring.ts';

export interface House {
  readonly url: string;
  readonly database: Database;
  readonly exchange: ExchangeParts;
  readonly worker: Worker | null;
  /** Who signs in; null where nobody is served. */
  readonly people: People | null;
  /** Running requests finish, jobs are handed back, the database is left. */
  close(): Promise<void>;
}

/** Builds the house and joins its parts; everything is closed again if one cannot be had. */
export async function openHouse(config: Config, surroundings: Surroundings): Promise<House> {
  const closers: (() => Promise<void> | void)[] = [];
  const close = () => closeAll(closers.splice(0).reverse());
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
  const { database, checkReady } = ground;
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
  const clocks = openClockCache(database, notices, clock);
  let { publicUrl, mcpUrl } = settings;
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
  if (!serves) return { url: '', database, exchange, people: null, worker: await startWork() };

  let isDraining = false;
  const doors = await openDoors(
    config,
    surroundings,
    { database, checkReady, notices, clocks, exchange, keyring },
    { publicUrl: () => publicUrl, mcpUrl: () => mcpUrl, isDraining: () => isDraining },
    onClose,
  );
  const { quota, charge, people, surfaces } = doors;
  const front: Front = await openFront({ settings, clock, quota, charge, log, surfaces }).catch((cause) => {
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
  mcpUrl = withPort(mcpUrl, front.port);
  await keepPublicUrl(database, publicUrl);
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return {
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${front.port}`,
    database,
    exchange,
    people,
    // Walks may tell marketplaces our address, which is known now.
    worker: await startWork(),
  };
}

/** One that fails keeps no other open: the last one ends the embedded database. */
async function closeAll(closers: readonly (() => Promise<void> | void)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'some parts did not close');
}

/** Port 0 of the configuration stands for the one that is really listened on. */
function withPort(publicUrl: string, port: number): string {
  return publicUrl.replace(/:0(?=\/|$)/, `:${port}`);
}
