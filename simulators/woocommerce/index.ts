/**
 * A WooCommerce store, as its documents describe it and with the flaws that stores and their
 * hosters are known for.
 */
import { createFaults, type Faults } from '../faults.ts';
import {
  type Call,
  type LoggedRequest,
  perMinuteLimit,
  Refusal,
  type Reply,
  type Routes,
  serve,
} from '../http.ts';
import { createWorld, type World } from '../world.ts';
import { ON_ITS_WAY } from './facts.ts';
import { orderRoutes } from './orders.ts';
import { productRoutes } from './products.ts';
import { NOTHING_REPLAYED, type Replayed, readReplay, replayRoutes } from './replay.ts';
import {
  pageForPeople,
  type Room,
  refusalReply,
  refuse,
  type Switches,
  withFields,
} from './shop.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

export interface WooCommerceOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  world?: World;
  port?: number;
  /** The store's address without its host: `/tienda` where it lives in a folder. */
  path?: string;
  /** False: the API answers only below `/?rest_route=`. */
  permalinks?: boolean;
  /** The hoster takes the Authorization header away. */
  stripsHeader?: boolean;
  /** Before version 5.8. */
  isOld?: boolean;
  /** Default: true, as in most shops of the country. */
  pricesIncludeTax?: boolean;
  /** What the keys may do. */
  may?: 'read' | 'write';
  /** Where the store lives now, if it moved. */
  movedTo?: string;
  /** Of the store's own time; six hours behind GMT. */
  offsetMinutes?: number;
  /** A folder of JSON documents that are served before anything of the world. */
  replay?: string;
  /** Calls per minute that the hoster lets pass; WooCommerce itself counts none. */
  perMinute?: number;
}

export interface WooCommerceKeys {
  url: string;
  consumer_key: string;
  consumer_secret: string;
  statuses: Record<string, 'shipped'>;
}

export interface WooCommerce {
  readonly url: string;
  readonly world: World;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  readonly switches: Switches;
  readonly webhooks: Webhooks;
  readonly replayed: Replayed;
  credentials(): WooCommerceKeys;
  /** The seller made new keys, so the former ones are dead. */
  revoke(): void;
  close(): Promise<void>;
}

const HOST = 'tienda.example.mx';
const API = '/wp-json/wc/v3';
const TOO_MANY = pageForPeople(429, 'Demasiadas solicitudes');
const NO_KEYS = refusalReply(
  401,
  'woocommerce_rest_cannot_view',
  'Sorry, you cannot list resources.',
);
const WRONG_SECRET = refusalReply(
  401,
  'woocommerce_rest_authentication_error',
  'Consumer secret is invalid.',
);
const NO_ROUTE = refusalReply(
  404,
  'rest_no_route',
  'No route was found matching the URL and request method.',
);

export async function startWooCommerce(options: WooCommerceOptions = {}): Promise<WooCommerce> {
  const {
    seed = 'tianguis',
    now = options.world?.now ?? Date.now,
    path = '',
    permalinks = true,
  } = options;
  const world = options.world ?? createWorld({ seed: String(seed), now, idBase: 1_000 });
  const switches: Switches = {
    status: new Map(),
    trashed: new Set(),
    deleted: new Set(),
    fractional: new Set(),
    labels: new Map(),
    extras: 0,
    firewall: false,
    withoutTotals: false,
  };
  const limit = perMinuteLimit(options.perMinute ?? Number.POSITIVE_INFINITY, now);
  const home = `https://${HOST}${path}`;
  let keys = 1;
  const key = () => `ck_${String(keys).padStart(40, '0')}`;
  const secret = () => `cs_${String(keys).padStart(40, '0')}`;

  /** An unknown key counts as none; only of a known one the secret is looked at. */
  function caller(call: Call, may: 'read' | 'write' = 'read'): void {
    const given = keysOf(call, options.stripsHeader ?? false);
    if (given?.key !== key()) throw new Refusal(NO_KEYS);
    if (given.secret !== secret()) throw new Refusal(WRONG_SECRET);
    if (may === 'write' && options.may === 'read')
      throw refuse(
        401,
        'woocommerce_rest_authentication_error',
        'The API key provided does not have write permissions.',
      );
  }

  const room: Room = {
    now,
    world,
    switches,
    home,
    isOld: options.isOld ?? false,
    pricesIncludeTax: options.pricesIncludeTax ?? true,
    offsetMinutes: options.offsetMinutes ?? -360,
    caller,
  };
  const replayed = options.replay ? await readReplay(options.replay) : NOTHING_REPLAYED;
  const webhooks = createWebhooks(room);
  const api: Routes = {
    ...orderRoutes(room),
    ...productRoutes(room),
    ...webhooks.routes,
    ...replayRoutes(replayed, room),
  };

  /** The layer between the world and the store. */
  function guarded(handler: Routes[string]): Routes[string] {
    return async (call) => {
      if (options.movedTo)
        return { status: 301, headers: { location: `${options.movedTo}${call.path}` } };
      if (switches.firewall) return pageForPeople(403, 'Acceso denegado');
      return limit(HOST) ? withFields(call, await handler(call)) : TOO_MANY;
    };
  }

  const faults = createFaults({ seed, replies: { too_many: TOO_MANY, expired_token: NO_KEYS } });
  const server = await serve({
    routes: permalinks ? below(`${path}${API}`, api, guarded) : byQuery(path, api, guarded),
    missing: permalinks ? NO_ROUTE : pageForPeople(404, 'Página no encontrada'),
    through: faults.through,
    now,
    port: options.port ?? 0,
  });

  return {
    ...server,
    world,
    faults,
    switches,
    webhooks,
    replayed,
    credentials: () => ({
      url: home,
      consumer_key: key(),
      consumer_secret: secret(),
      statuses: { [ON_ITS_WAY]: 'shipped' },
    }),
    revoke: () => {
      keys += 1;
    },
  };
}

function keysOf(
  { headers, query }: Call,
  isStripped: boolean,
): { key: string; secret: string } | null {
  const named = query.get('consumer_key');
  if (named !== null) return { key: named, secret: query.get('consumer_secret') ?? '' };
  const [, basic] = /^Basic (.+)$/.exec((!isStripped && headers.authorization) || '') ?? [];
  if (!basic) return null;
  const [key = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':');
  return { key, secret };
}

type Guard = (handler: Routes[string]) => Routes[string];

function below(base: string, api: Routes, guarded: Guard): Routes {
  return Object.fromEntries(
    Object.entries(api).map(([route, handler]) => [
      route.replace(' ', ` ${base}`),
      guarded(handler),
    ]),
  );
}

/** Without permalinks there is one path, and the query says which route is meant. */
function byQuery(base: string, api: Routes, guarded: Guard): Routes {
  const answer = (call: Call): Reply | Promise<Reply> => {
    const asked = call.query.get('rest_route') ?? '';
    for (const [route, handler] of Object.entries(api)) {
      const [method, pattern = ''] = route.split(' ');
      const found = new RegExp(`^/wc/v3${pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`).exec(
        asked,
      );
      if (method === call.method && found)
        return guarded(handler as Routes[string])({ ...call, params: { ...found.groups } });
    }
    return asked === '' ? pageForPeople(200, 'Tienda') : NO_ROUTE;
  };
  return { [`GET ${base}/`]: answer, [`POST ${base}/`]: answer, [`PUT ${base}/`]: answer };
}
