/** All simulators at once: in-process for tests, or as a program for the demo. */
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startAmazon } from './amazon/index.ts';
import {
  type MercadoLibre,
  type MercadoLibreOptions,
  startMercadoLibre,
} from './mercado_libre/index.ts';
import { startMirakl } from './mirakl/index.ts';
import { type Paquetexpress, startPaquetexpress } from './paquetexpress/index.ts';
import { startShopify } from './shopify/index.ts';
import { startTiendanube } from './tiendanube/index.ts';
import { startTiktokShop } from './tiktok_shop/index.ts';
import { startVtex } from './vtex/index.ts';
import { startWalmart } from './walmart/index.ts';
import { startWooCommerce } from './woocommerce/index.ts';
import type { World } from './world.ts';
import { startZipnova, type Zipnova } from './zipnova/index.ts';

/** What every simulator offers. */
interface Simulator {
  readonly url: string;
  readonly world: World;
  credentials(): unknown;
  close(): Promise<void>;
}

interface Shared {
  seed?: string | number;
  now?: () => number;
  /** Without the documented limits: for measuring. */
  unlimited?: boolean;
}

interface SimulatorsOptions extends Shared {
  mercado_libre?: MercadoLibreOptions;
}

interface Simulators {
  readonly mercado_libre: MercadoLibre;
  /** All marketplaces, by slug. */
  readonly all: Readonly<Record<string, Simulator>>;
  /** Carries what the WooCommerce store sells. */
  readonly zipnova: Zipnova;
  /** Carries what the Tiendanube store sells. */
  readonly paquetexpress: Paquetexpress;
  close(): Promise<void>;
}

const WITHOUT_END = { most: 1e9, perSecond: 1e9 };

/** Liverpool's numbers begin at 0; both run on the same software. */
const COPPEL = { idBase: 700_000_000_000, shopId: 3_118 };

/** The marketplaces beside Mercado Libre, one line each. */
const OTHERS: Readonly<Record<string, (shared: Shared) => Promise<Simulator>>> = {
  amazon: ({ unlimited = false, ...shared }) => startAmazon({ ...shared, limited: !unlimited }),
  walmart: startWalmart,
  shopify: ({ unlimited, ...shared }) =>
    startShopify({ ...shared, ...(unlimited && { points: WITHOUT_END }) }),
  tiktok_shop: startTiktokShop,
  liverpool: (shared) => startMirakl({ ...shared, seed: `liverpool/${shared.seed ?? ''}` }),
  coppel: (shared) => startMirakl({ ...shared, seed: `coppel/${shared.seed ?? ''}`, ...COPPEL }),
  vtex: startVtex,
  woocommerce: startWooCommerce,
  tiendanube: ({ unlimited, ...shared }) =>
    startTiendanube({ ...shared, ...(unlimited && { bucket: Number.POSITIVE_INFINITY }) }),
};

export async function startSimulators({
  mercado_libre: own,
  ...shared
}: SimulatorsOptions = {}): Promise<Simulators> {
  const mercado_libre = await startMercadoLibre({ ...shared, ...own });
  const others = await Promise.all(
    Object.entries(OTHERS).map(async ([slug, start]) => [slug, await start(shared)] as const),
  );
  const all: Record<string, Simulator> = { mercado_libre, ...Object.fromEntries(others) };
  const zipnova = await startZipnova({
    ...shared,
    ...(all.woocommerce && { world: all.woocommerce.world }),
  });
  const paquetexpress = await startPaquetexpress({
    ...shared,
    ...(all.tiendanube && { world: all.tiendanube.world }),
  });
  return {
    mercado_libre,
    all,
    zipnova,
    paquetexpress,
    close: async () =>
      void (await Promise.all(
        [...Object.values(all), zipnova, paquetexpress].map((simulator) => simulator.close()),
      )),
  };
}

/**
 * `consent`: a seller consents at once. `typing`: a person types the credentials. `waiting`: paid
 * orders wait for their guides.
 */
type DemoRole = 'consent' | 'typing' | 'waiting';

const DEMO_PAST = { orders: 100, days: 28 };
const DEMO_PAST_OF_OTHERS = { orders: 40, days: 28 };
/** The demo connects the first one; the second one gives each consent. */
const DEMO_SELLERS = [468_424_241, 468_424_242];
/**
 * Together about a cart a minute. An hour of a cart's life lasts 2 s: from placed to delivered
 * within minutes.
 */
const DEMO_PACE = { every: 120_000, hour: 2_000 };
const DEMO_PACE_OF_OTHERS = { every: 1_200_000, hour: 5_000 };
/** So soon after the start the first new orders come, and are paid. */
const DEMO_FIRST_NEW = [15_000, 45_000];
const DEMO_PAID_AFTER = 5_000;
/** The parts of these marketplaces in the demo. */
const DEMO_ROLES: Readonly<Record<string, DemoRole>> = {
  mercado_libre: 'consent',
  walmart: 'typing',
  woocommerce: 'waiting',
};
/** Paid orders that wait for their guides, so much apart. */
const DEMO_WAITING = { orders: 40, apart: 600_000 };
const DEMO_NOTIFIES_EVERY = 2_000;
const DAY = 86_400_000;

/**
 * Prints one line of JSON when ready. Ends with its standard input, so it never outlives the
 * process that started it; a line of it is a carrier's slug and the address that it was given for
 * its webhooks.
 */
async function demo(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: 'tianguis' },
      /** The base address of the service that they push to. */
      client: { type: 'string' },
      /** That which sellers come back to. */
      pages: { type: 'string' },
      /** So many orders at each, of which nothing moves, and no limits. */
      still: { type: 'string' },
    },
  });
  const { client, pages } = values;
  const { mercado_libre, all, zipnova, paquetexpress, close } = await startSimulators({
    seed: values.seed,
    unlimited: values.still !== undefined,
    mercado_libre: {
      sellers: DEMO_SELLERS,
      ...(pages && { application: { redirectUri: `${pages}/connect/mercado_libre` } }),
    },
  });
  mercado_libre.switches.consentAs = DEMO_SELLERS.at(-1) as number;
  if (values.still) fillStill(all, Number(values.still));
  else live(mercado_libre, all);
  if (client) {
    mercado_libre.notifications.notifyTo(`${client}/api/webhooks/mercado_libre`);
    mercado_libre.notifications.every(DEMO_NOTIFIES_EVERY);
    zipnova.webhooks.every(DEMO_NOTIFIES_EVERY);
    paquetexpress.webhooks.every(DEMO_NOTIFIES_EVERY);
  }

  // Closing leaves nothing that keeps the process alive.
  const end = () => {
    process.stdin.destroy();
    void close();
  };
  process.once('SIGTERM', end).once('SIGINT', end);
  process.stdin.once('end', end).once('close', end);
  const pushing: Readonly<Record<string, Pick<Paquetexpress, 'webhooks'>>> = { paquetexpress };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const [carrier = '', address = ''] = line.split(' ');
    pushing[carrier]?.webhooks.sendTo(address);
  });
  const offered = { ...all, ...(values.still === undefined && { zipnova, paquetexpress }) };
  const shops = Object.entries(offered).map(([slug, { url, credentials }]) => [
    slug,
    { url, credentials: credentials(), role: DEMO_ROLES[slug] ?? null },
  ]);
  console.log(JSON.stringify(Object.fromEntries(shops)));
}

function fillStill(all: Simulators['all'], orders: number): void {
  for (const { world } of Object.values(all)) world.fill({ orders, days: DEMO_PAST.days });
}

function live(mercado_libre: MercadoLibre, all: Simulators['all']): void {
  const now = Date.now();
  for (const { world } of mercado_libre.sellers) {
    world.fill(DEMO_PAST);
    world.flow(DEMO_PACE);
  }
  for (const [slug, simulator] of Object.entries(all)) {
    if (simulator === mercado_libre) continue;
    const { world } = simulator;
    world.fill(DEMO_PAST_OF_OTHERS);
    world.flow(DEMO_PACE_OF_OTHERS);
    if (DEMO_ROLES[slug] !== 'waiting') continue;
    for (let left = DEMO_WAITING.orders; left > 0; left -= 1)
      world.pay(world.place({ at: now - left * DEMO_WAITING.apart }).id);
  }
  for (const wait of DEMO_FIRST_NEW) {
    const order = mercado_libre.world.place({ at: now + wait });
    order.steps = [...order.steps, { state: 'paid', at: now + wait + DEMO_PAID_AFTER }];
  }
  Object.assign(mercado_libre.switches, demoMoney(now));
}

/** Taxes that are withheld, money that was taken out, and a sale that no order explains. */
function demoMoney(now: number): Partial<MercadoLibre['switches']> {
  const row = { DESCRIPTION: 'payment', SOURCE_ID: '90210000001', GROSS_AMOUNT: '349.00' };
  return {
    reportSeconds: 5,
    taxRates: { isr: 0.025, iva: 0.08 },
    withdrawals: [
      { at: now - 18 * DAY, amount: '9500.00' },
      { at: now - 5 * DAY, amount: '14200.00' },
    ],
    movements: [{ at: now - 3 * DAY, net: '349.00', row }],
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await demo();
