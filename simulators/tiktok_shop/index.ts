/**
 * TikTok Shop, API 202309, as its documents describe it and with the flaws that it is known for.
 * The hosts for consent, tokens and the API are one server here; their paths do not meet.
 */
import { createFaults, type Faults } from '../faults.ts';
import { type Call, type LoggedRequest, perMinuteLimit, Refusal, serve } from '../http.ts';
import type { Order } from '../order.ts';
import { createWorld, type World, type WorldOptions } from '../world.ts';
import { cancellationDocuments, orderDocument, returnDocuments } from './documents.ts';
import { type ListName, listRoutes } from './lists.ts';
import {
  inventoryDocuments,
  paymentDocuments,
  productDocuments,
  statementDocuments,
  statementTransactions,
} from './money-and-stock.ts';
import { createNotifications, type Notifications } from './notifications.ts';
import { type Application, type Credentials, createOAuth, EXPIRED } from './oauth.ts';
import { openReplay, type Replay } from './replay.ts';
import {
  type Document,
  ORDER_BASE,
  type Room,
  refusal,
  type ShopCard,
  type Switches,
} from './shop.ts';

export interface TiktokShopOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  world?: World;
  port?: number;
  application?: Partial<Application>;
  /** What the seller's permission covers; the first one has the world's orders. */
  shops?: readonly Partial<ShopCard>[];
  /** How long an access token lives. */
  tokenSeconds?: number;
  /** A folder of JSON documents that are served beside those of the world. */
  replay?: string;
  /** Calls per minute; more are refused. */
  perMinute?: number;
}

export interface TiktokShop {
  readonly url: string;
  readonly world: World;
  readonly application: Application;
  readonly shops: readonly ShopCard[];
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  readonly switches: Switches;
  readonly notifications: Notifications;
  readonly replayed: Replay;
  credentials(): Credentials;
  expireTokens(): void;
  revoke(): void;
  close(): Promise<void>;
}

const TOO_MANY = refusal(36009002, 'Too many requests. Please try again later', 429);

export async function startTiktokShop(options: TiktokShopOptions = {}): Promise<TiktokShop> {
  const { seed = 'tianguis', now = options.world?.now ?? Date.now } = options;
  const world = options.world ?? tiktokShopWorld({ seed, now });
  const replayed = options.replay
    ? await openReplay(options.replay)
    : { lists: {}, shops: [], ignored: [] };
  const shops = shopCards(options.shops ?? (replayed.shops.length > 0 ? replayed.shops : [{}]));
  const application: Application = {
    appKey: '6kc76cinventada',
    appSecret: 'secreto-de-la-aplicacion',
    serviceId: '7100000000000000001',
    redirectUri: 'http://127.0.0.1/connect/tiktok_shop',
    ...options.application,
  };
  const switches: Switches = {
    cancelledPieces: new Map(),
    masked: 'until_paid',
    returnMovesOrder: false,
    claimsForbidden: false,
    refusedEvents: new Set(),
    limitInBody: false,
    heldOrders: new Set(),
    consent: 'grant',
  };
  const tokenSeconds = options.tokenSeconds ?? 604_800;
  const oauth = createOAuth({ now, application, shops, switches, tokenSeconds });
  const limit = perMinuteLimit(options.perMinute ?? Number.POSITIVE_INFINITY, now);

  function caller(call: Call): void {
    if (!limit('shop'))
      throw new Refusal(switches.limitInBody ? { ...TOO_MANY, status: 200 } : TOO_MANY);
    oauth.caller(call);
  }

  const room: Room = { world, switches, now, caller };
  const notifications = createNotifications(room, application, shops[0]?.id ?? '');
  const faults = createFaults({
    seed,
    replies: { too_many: TOO_MANY, expired_token: EXPIRED },
    spared: /^\/(api\/v2\/token|open)/,
  });
  const source = (name: ListName) => [
    ...(replayed.lists[name] ?? []),
    ...documentsOf(room)[name](),
  ];
  const server = await serve({
    routes: {
      ...oauth.routes,
      ...listRoutes(room, source, (id) => statementTransactions(room, id)),
      ...notifications.routes,
    },
    missing: refusal(36009009, 'Invalid path', 404),
    through: faults.through,
    now,
    port: options.port ?? 0,
  });

  return {
    ...server,
    world,
    application,
    shops,
    faults,
    switches,
    notifications,
    replayed,
    credentials: oauth.credentials,
    expireTokens: oauth.expire,
    revoke: oauth.revoke,
  };
}

/** Ids of 16 digits, to which TikTok Shop puts two more. */
function tiktokShopWorld(options: WorldOptions = {}): World {
  return createWorld({ idBase: ORDER_BASE, ...options });
}

function documentsOf(room: Room): Record<ListName, () => Document[]> {
  const each = (write: (order: Order, room: Room) => Document[]) => () =>
    room.world.orders().flatMap((order) => write(order, room));
  return {
    orders: each((order) => [orderDocument(order, room)]),
    return_orders: each(returnDocuments),
    cancellations: each(cancellationDocuments),
    products: () => productDocuments(room),
    inventory: () => inventoryDocuments(room),
    statements: () => statementDocuments(room),
    payments: () => paymentDocuments(room),
    warehouses: () => [],
  };
}

function shopCards(given: readonly Partial<ShopCard>[]): ShopCard[] {
  return given.map((card, index) => ({
    id: `749404964264244000${index + 1}`,
    cipher: `GCP_inventado${index + 1}`,
    code: `MXLCABCD${index + 1}`,
    name: `Tienda ${index + 1}`,
    region: 'MX',
    seller_type: 'LOCAL',
    ...card,
  }));
}
