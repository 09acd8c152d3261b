/**
 * A WooCommerce store, as its documents describe it and with the flaws that stores and their
 * hosters are known for.
 */
import { createFaults, type Faults } from '../faults.ts';
import {
  type Call,
  type LoggedRequest,
  perMinuteLimit,
  type Reply,
  type Routes,
  serve,
} from '../http.ts';
import { createWorld, type World } from '../world.ts';
import { NO_KEYS, openKeys, type WooCommerceKeys } from './keys.ts';
import { orderRoutes } from './orders.ts';
import { productRoutes } from './products.ts';
import { NOTHING_REPLAYED, type Replayed, readReplay, replayRoutes } from './replay.ts';
import { pageForPeople, type Room, refusalReply, type Switches, withFields } from './shop.ts';
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
  const switches = defaultSwitches();
  const limit = perMinuteLimit(options.perMinute ?? Number.POSITIVE_INFINITY, now);
  const home = `https://${HOST}${path}`;
  const keys = openKeys(home, options);
  const room: Room = {
    now,
    world,
    switches,
    home,
    isOld: options.isOld ?? false,
    pricesIncludeTax: options.pricesIncludeTax ?? true,
    offsetMinutes: options.offsetMinutes ?? -360,
    caller: keys.caller,
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
    credentials: keys.credentials,
    revoke: keys.revoke,
  };
}

function defaultSwitches(): Switches {
  return {
    status: new Map(),
    trashed: new Set(),
    deleted: new Set(),
    fractional: new Set(),
    labels: new Map(),
    extras: 0,
    firewall: false,
    withoutTotals: false,
  };
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
