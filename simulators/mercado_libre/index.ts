/**
 * Mercado Libre, site MLM, as its documents describe it and with the flaws that it is known for.
 * The hosts for consent, the API and Mercado Pago are one server here; their paths do not meet.
 */
import { createFaults, type Faults } from '../faults.ts';
import { type LoggedRequest, perMinuteLimit, Refusal, type Routes, serve } from '../http.ts';
import { createWorld, type World, type WorldOptions } from '../world.ts';
import { fiscalDocumentRoutes } from './fiscal-documents.ts';
import { inventoryRoutes } from './inventory.ts';
import { mercadoPagoRoutes } from './mercado_pago.ts';
import { createNotifications, type Notifications } from './notifications.ts';
import { createOAuth } from './oauth.ts';
import { orderRoutes } from './orders.ts';
import { openReplay, type Replayed, replayFirst } from './replay.ts';
import { shipmentRoutes } from './shipments.ts';
import {
  ORDER_BASE,
  refusalReply,
  refuse,
  SELLER_RANGE,
  type Seller,
  type Shop,
  type Switches,
} from './shop.ts';
import { type Application, type Credentials, INVALID_TOKEN } from './tokens.ts';

export interface MercadoLibreOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  /** Of the first seller; one made by `mercadoLibreWorld`. */
  world?: World;
  port?: number;
  /** User ids. */
  sellers?: readonly number[];
  application?: Partial<Application>;
  /** How long an access token lives. */
  tokenSeconds?: number;
  /** A folder of JSON documents that are served before anything of the world. */
  replay?: string;
  /** Calls per minute and seller; more are answered with 429. */
  perMinute?: number;
  /** Sent with such a 429. Mercado Libre itself says nothing. */
  retryAfter?: number;
}

export interface MercadoLibre {
  readonly url: string;
  readonly sellers: readonly Seller[];
  readonly application: Application;
  /** Of the first seller. */
  readonly world: World;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  readonly switches: Switches;
  readonly notifications: Notifications;
  readonly replayed: Replayed;
  /** Without an id: of the first seller. */
  credentials(userId?: number): Credentials;
  expireTokens(userId?: number): void;
  revoke(userId?: number): void;
  close(): Promise<void>;
}

const NOTHING_REPLAYED: Replayed = {
  orders: [],
  shipments: [],
  packs: [],
  items: [],
  inventories: [],
  ignored: [],
};

export async function startMercadoLibre(options: MercadoLibreOptions = {}): Promise<MercadoLibre> {
  const {
    seed = 'tianguis',
    tokenSeconds = 21_600,
    now = options.world?.now ?? Date.now,
  } = options;
  const application: Application = {
    clientId: '7400123456789012',
    clientSecret: 'secreto-de-la-aplicacion',
    redirectUri: 'http://127.0.0.1/connect/mercado_libre',
    ...options.application,
  };
  const switches = defaultSwitches();
  const sellers: Seller[] = [];
  const oauth = createOAuth({
    seed: String(seed),
    now,
    application,
    sellers,
    switches,
    tokenSeconds,
  });
  const caller = limited(oauth.caller, { ...options, now });
  const replay = options.replay ? await openReplay(options.replay, caller) : null;
  const ids = options.sellers ?? [replay?.sellerId ?? 468_424_241];
  sellers.push(...ids.map((id, index) => sellerOf(id, index, { ...options, seed, now })));
  const [first] = sellers;
  if (!first) throw new Error('Mercado Libre without a seller');
  switches.consentAs = first.id;

  const shop: Shop = { sellers, switches, now, caller };
  const notifications = createNotifications(shop, application);
  const ofTheWorld: Routes = {
    ...oauth.routes,
    ...accountRoutes(shop),
    ...orderRoutes(shop),
    ...shipmentRoutes(shop),
    ...inventoryRoutes(shop),
    ...notifications.routes,
    ...mercadoPagoRoutes(shop),
    ...fiscalDocumentRoutes(shop),
  };
  const faults = createFaults({
    seed,
    replies: { too_many: TOO_MANY, expired_token: INVALID_TOKEN },
    spared: /^\/(oauth|authorization)/,
  });
  const server = await serve({
    routes: replay ? replayFirst(replay.routes, ofTheWorld) : ofTheWorld,
    missing: refusalReply(404, 'not_found', 'resource not found'),
    through: faults.through,
    now,
    port: options.port ?? 0,
  });

  return {
    ...server,
    sellers,
    application,
    world: first.world,
    faults,
    switches,
    notifications,
    replayed: replay?.replayed ?? NOTHING_REPLAYED,
    credentials: (userId = first.id) => oauth.credentials(userId),
    expireTokens: (userId = first.id) => oauth.expire(userId),
    revoke: (userId = first.id) => oauth.revoke(userId),
    close: () => {
      notifications.stop();
      return server.close();
    },
  };
}

/** The caller, as long as it makes no more calls than its limit allows. */
function limited(
  caller: Shop['caller'],
  { perMinute = Number.POSITIVE_INFINITY, retryAfter, now = Date.now }: MercadoLibreOptions,
): Shop['caller'] {
  const mayPass = perMinuteLimit(perMinute, now);
  return (call) => {
    const seller = caller(call);
    if (mayPass(String(seller.id))) return seller;
    const headers: Record<string, string> = retryAfter ? { 'retry-after': String(retryAfter) } : {};
    throw new Refusal({ ...TOO_MANY, headers });
  };
}

/** One order, one line; ids above 2^50. */
export function mercadoLibreWorld(options: WorldOptions = {}): World {
  return createWorld({ oneLineOrders: true, idBase: ORDER_BASE, ...options });
}

const TOO_MANY = refusalReply(429, 'local_rate_limited', 'Too many requests');

function sellerOf(
  id: number,
  index: number,
  { seed = '', now = Date.now, world }: MercadoLibreOptions,
): Seller {
  if (world && world.idBase < ORDER_BASE)
    throw new Error('this world was not made by mercadoLibreWorld');
  const own = () =>
    mercadoLibreWorld({ seed: `${seed}/${index}`, now, idBase: ORDER_BASE + index * SELLER_RANGE });
  return { id, nickname: `TIENDA${id}`, world: index === 0 && world ? world : own() };
}

function defaultSwitches(): Switches {
  return {
    consent: 'grant',
    consentAs: 0,
    requirePkce: false,
    partialOrders: new Set(),
    paidBack: new Set(),
    paymentChangedAt: new Map(),
    shipmentMovesOrder: true,
    shipmentDelaySeconds: 0,
    multiOrigin: false,
    besideFull: new Map(),
    sentAgain: new Map(),
    scrollKeepsId: false,
    unlistedItems: 0,
    goneItems: new Set(),
    patienceMilliseconds: 500,
    reportSeconds: 30,
    reportsLostBefore: 0,
    reportConfigured: true,
    paymentsRefused: false,
    withdrawals: [],
    sellerShipping: '0.00',
    taxRates: null,
    movements: [],
    lostRows: new Set(),
  };
}

function accountRoutes({ caller, sellers }: Shop): Routes {
  return {
    'GET /users/me': (call) => {
      const { id, nickname } = caller(call);
      return {
        body: {
          id,
          nickname,
          site_id: 'MLM',
          country_id: 'MX',
          user_type: 'normal',
          status: { site_status: 'active' },
        },
      };
    },
    'GET /users/:id': (call) => {
      caller(call);
      const found = sellers.find(({ id }) => String(id) === call.params.id);
      if (!found) throw refuse(404, 'not_found', `User with id ${call.params.id} not found`);
      return { body: { id: found.id, nickname: found.nickname, site_id: 'MLM' } };
    },
  };
}
