import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { type App, openApp } from './app/app.ts';
import { StartError } from './app/runtime.ts';
import { onStopSignal } from './app/stop-signals.ts';
import { carriersThat, findService } from './carriers/registry.ts';
import { MARKETPLACES, type Marketplace } from './connectors/contract.ts';
import { UpstreamError } from './connectors/upstream-error.ts';
import { renewKey } from './demo/api-key.ts';
import { prepareTroubles } from './demo/attention.ts';
import { lookAtOrders } from './demo/first-look.ts';
import {
  databaseFolder,
  mailFolder,
  rememberedOrganization,
  rememberOrganization,
} from './demo/folder.ts';
import { prepareInvoices } from './demo/invoices.ts';
import { masterKey } from './demo/master-key.ts';
import { applicationOf, startOfShop } from './demo/new-shop.ts';
import { addressAt, type HeldPort, holdPort, USUAL_PORT } from './demo/port.ts';
import { openProgress, type Progress } from './demo/progress.ts';
import { connectShop, fillShop, openShop } from './demo/shop.ts';
import { makeSignInLink } from './demo/sign-in-link.ts';
import { type SimulatedShop, startSimulators } from './demo/simulators.ts';
import { prepareWarehouse } from './demo/warehouse.ts';
import { welcome } from './demo/words.ts';
import { configOf } from './environment.ts';
import { webhookAddress } from './exchange/connect/event-address.ts';
import type { SealedConnection } from './features/connections/index.ts';
import type { Organization } from './features/organizations/index.ts';
import { systemClock } from './platform/clock.ts';
import { type Config, ConfigError } from './platform/config.ts';
import { configWarnings } from './platform/config-warnings.ts';
import { EmbeddedError } from './platform/db/embedded.ts';
import { Failure } from './platform/failure.ts';
import { createLog } from './platform/log.ts';

const FIRST_LOOK_MS = 3_000;

type OnClose = (close: () => Promise<void>) => void;

/**
 * The whole product with simulated marketplaces and a filled shop at each; no setting is needed.
 */
async function main(): Promise<void> {
  // A reader that closes the pipe, such as `head`, does not end the demo.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const progress = openProgress(process.stderr);
  const stop = stopSignal(() => progress.doing('Deteniendo la demostración'));
  const closers: (() => Promise<void>)[] = [];
  try {
    await run(progress, stop, (close) => closers.push(close));
  } catch (error) {
    if (!stop.aborted) report(error);
  }
  for (const close of closers.reverse()) await close().catch(report);
  if (stop.aborted) progress.done('Demostración detenida');
}

async function run(progress: Progress, stop: AbortSignal, onClose: OnClose): Promise<void> {
  const json = wantsJson();
  const place = await takePlace(progress, onClose);
  const { dataDir, holder } = place;

  const simulators = await simulate(place, progress, onClose);
  const { shops } = simulators;
  stop.throwIfAborted();

  progress.doing('Preparando la base de datos (la primera vez tarda unos segundos)');
  const config = configFor(place, shops);
  for (const { message } of configWarnings({}, config, [])) progress.note(message);
  const signInLink = makeSignInLink();
  const app = await openApp(config, {
    clock: systemClock,
    log: createLog(config.settings.logLevel, config.settings.logLevels),
    random: Math.random,
    holder,
    moreSurfaces: (people) => [signInLink.surface(people)],
  });
  onClose(app.close);
  progress.done(`Base de datos en ${databaseFolder(dataDir)}`);
  stop.throwIfAborted();

  const organization = await openShop(app, rememberedOrganization(dataDir));
  rememberOrganization(dataDir, organization.id);
  for (const { slug } of carriersThat(({ facts }) => facts.eventsPath !== null))
    simulators.giveAddress(slug, await webhookAddress(app.exchange, organization, slug));
  await fill(app, organization, shops, progress, stop);
  const apiKey = await renewKey(app, organization);
  const look = await lookAtOrders(app, apiKey);
  const entry = await signInLink.open(app, organization, dataDir);
  stop.throwIfAborted();
  progress.done('Órdenes al día');

  const { url } = app;
  if (json) console.log(JSON.stringify({ url, api_key: apiKey, organization_id: organization.id }));
  else
    console.log(
      welcome({
        url,
        publicUrl: app.exchange.publicUrl,
        apiKey,
        organization,
        look,
        marketplaces: shops.filter(sells).length,
        entry,
        mails: mailFolder(dataDir),
        newShop: startOfShop(shops),
      }),
    );
  await once(stop, 'abort');
}

/** Where the demo is reached, and where its data is. */
interface Place extends HeldPort {
  readonly host: string;
  /** The address for people. */
  readonly pages: string;
  readonly dataDir: string;
  readonly key: string;
}

async function takePlace(progress: Progress, onClose: OnClose): Promise<Place> {
  const env = process.env;
  const host = env.HOST || '127.0.0.1';
  const dataDir = env.DATA_DIR || './data';
  const { port, holder } = await holdPort(host, env.PORT || null);
  onClose(async () => void holder.close());
  if (!env.PORT && port !== USUAL_PORT)
    progress.note(`El puerto ${USUAL_PORT} está ocupado; la demostración usa el ${port}`);
  // Credentials sealed by the command line must be readable here: it looks for the key in the same
  // order.
  const key = env.MASTER_KEY || masterKey(dataDir);
  if (env.DATABASE_URL || env.REDIS_URL)
    progress.note(
      'La demostración usa su propia base de datos; DATABASE_URL y REDIS_URL no cuentan aquí',
    );
  return { host, port, holder, pages: addressAt('localhost', port), dataDir, key };
}

async function simulate({ host, port, pages }: Place, progress: Progress, onClose: OnClose) {
  progress.doing('Iniciando los marketplaces simulados');
  const simulators = await startSimulators({ instance: addressAt(host, port), pages }, () =>
    progress.note(
      'Los marketplaces simulados terminaron antes de tiempo: reinicia la demostración',
    ),
  );
  onClose(simulators.close);
  const marketplaces = simulators.shops.filter(sells).length;
  const carriers = simulators.shops.length - marketplaces;
  progress.done(
    `${marketplaces} marketplaces y ${carriers} paqueterías simulados, cada uno con su propio protocolo`,
  );
  return simulators;
}

function configFor(
  { host, port, pages, dataDir, key }: Place,
  shops: readonly SimulatedShop[],
): Config {
  const baseUrls = shops.map(({ service, url }) => [`${service.toUpperCase()}_BASE_URL`, url]);
  return configOf({
    HOST: host,
    PORT: String(port),
    PUBLIC_URL: pages,
    DATA_DIR: dataDir,
    MASTER_KEY: key,
    SECOND_FACTOR: 'deferred',
    LOG_LEVEL: process.env.LOG_LEVEL || 'error',
    ...Object.fromEntries(baseUrls),
    ...applicationOf(shops),
  });
}

/** Resolves when there is something on every screen; the rest of the orders arrives later. */
async function fill(
  app: App,
  organization: Organization,
  shops: readonly SimulatedShop[],
  progress: Progress,
  stop: AbortSignal,
): Promise<void> {
  const brought = shops.map((shop) => bring(app, organization, shop, { progress, stop }));
  const bringing = Promise.allSettled(brought);
  // A service that allows few requests takes longer, and its import goes on while the demo is used.
  const someOrders = Promise.any(brought.filter((_, at) => sells(shops[at]))).catch(() => {
    throw new StartError('Ningún marketplace simulado respondió: reinicia la demostración');
  });
  const firstLook = Promise.all([someOrders, systemClock.sleep(FIRST_LOOK_MS, stop)]);
  await Promise.race([bringing, firstLook]);
  await someOrders;
  firstLook.catch((error) => stop.aborted || report(error));
  await brought[shops.findIndex(({ role }) => role === 'waiting')]?.catch(() => {});
  await prepareWarehouse(app, organization);
  await prepareInvoices(app, organization);
  await brought[shops.findIndex(isPrepaid)]?.catch(() => {});
  await prepareTroubles(app, organization, shops.findLast(sells) ?? null, () =>
    progress.note('El saldo de la paquetería se leerá en unos minutos'),
  );
}

interface Bringing {
  readonly progress: Progress;
  readonly stop: AbortSignal;
}

/** Rejects where the service did not answer; the app reads it again by itself. */
async function bring(
  app: App,
  organization: Organization,
  shop: SimulatedShop,
  { progress, stop }: Bringing,
): Promise<SealedConnection> {
  const service = findService(shop.service);
  const name = service?.name ?? shop.service;
  const things = service?.orders ? 'órdenes' : 'envíos';
  let shown = 0;
  const showProgress = (items: number) => {
    if (items > shown) progress.doing(`${name}: ${items} ${things}`);
    shown = items;
  };
  let connection: SealedConnection;
  try {
    connection = await connectShop(app, organization, shop);
    await fillShop(app, connection, showProgress);
  } catch (error) {
    if (error instanceof UpstreamError)
      progress.note(`${name}: no respondió a tiempo; se vuelve a leer en unos minutos`);
    else if (!stop.aborted) report(error);
    throw error;
  }
  progress.done(`${name}: al día`);
  return connection;
}

function sells(shop: SimulatedShop | undefined): boolean {
  return MARKETPLACES.includes(shop?.service as Marketplace);
}

/** A carrier whose account has a balance. */
function isPrepaid(shop: SimulatedShop): boolean {
  return !sells(shop) && findService(shop.service)?.balances !== undefined;
}

function wantsJson(): boolean {
  try {
    const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
    return values.json;
  } catch {
    throw new StartError('Argumentos no válidos. Uso: npm run demo [-- --json]');
  }
}

/** Aborts at the first signal; one that comes later ends everything at once. */
function stopSignal(onStop: () => void): AbortSignal {
  const controller = new AbortController();
  onStopSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], () => {
    onStop();
    controller.abort();
  });
  return controller.signal;
}

function report(error: unknown): void {
  const isForPeople = [ConfigError, EmbeddedError, Failure, StartError].some(
    (kind) => error instanceof kind,
  );
  console.error(error instanceof Error && isForPeople ? error.message : error);
  process.exitCode = 1;
}

await main();
