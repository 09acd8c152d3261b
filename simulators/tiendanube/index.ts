/**
 * Tiendanube, as its documents describe it and with the flaws that it is known for.
 * The hosts for consent and the API are one server here; their paths do not meet.
 */
import { textOf } from '../exact-json.ts';
import { createFaults, type Faults } from '../faults.ts';
import { type Call, type LoggedRequest, Refusal, serve, toWire, type Wire } from '../http.ts';
import { createWorld, type World } from '../world.ts';
import { type Application, createOAuth, type OAuth } from './oauth.ts';
import { orderRoutes } from './orders.ts';
import { productRoutes } from './products.ts';
import { NOTHING_REPLAYED, type Replayed, readReplay, replayRoutes } from './replay.ts';
import {
  type Bucket,
  described,
  leakyBucket,
  type Room,
  refuse,
  type Store,
  type Switches,
} from './shop.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

export interface TiendanubeOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  world?: World;
  port?: number;
  store?: number;
  application?: Partial<Application>;
  /** As its paths name it. */
  version?: string;
  /** A folder of JSON documents that are served before anything of the world. */
  replay?: string;
  /** Calls that its bucket holds, of which two leak out a second; more are answered with 429. */
  bucket?: number;
}

interface Tiendanube {
  readonly url: string;
  readonly store: Store;
  readonly application: Application;
  readonly world: World;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  readonly switches: Switches;
  readonly webhooks: Omit<Webhooks, 'routes'>;
  readonly replayed: Replayed;
  credentials(): { store_id: number; access_token: string; version: string };
  revoke(): void;
  close(): Promise<void>;
}

const TOO_MANY = { status: 429, body: { error: 'Too Many Requests' } };
const UNAUTHORIZED = described(401, 'Unauthorized', 'Invalid access token');
const LEAKS_PER_SECOND = 2;
const MOST_ROWS = 10_000;

export async function startTiendanube(options: TiendanubeOptions = {}): Promise<Tiendanube> {
  const { seed = 'tianguis', version = 'v1', now = options.world?.now ?? Date.now } = options;
  const application: Application = {
    clientId: '4321',
    clientSecret: 'secreto-de-la-aplicacion',
    redirectUri: 'http://127.0.0.1/connect/tiendanube',
    ...options.application,
  };
  const switches = defaultSwitches();
  const replayed = options.replay ? await readReplay(options.replay) : NOTHING_REPLAYED;
  const id = options.store ?? Number(textOf(replayed.stores[0]?.id) ?? 271_828);
  const world = options.world ?? createWorld({ seed, now, idBase: 450_000_000 });
  const store: Store = { id, name: `Tienda ${id}`, world };
  const oauth = createOAuth({ seed: String(seed), now, application, storeId: id });
  const bucket = leakyBucket(options.bucket ?? Number.POSITIVE_INFINITY, LEAKS_PER_SECOND, now);
  const base = `/${version}/${id}`;

  const admit = admission(oauth, bucket, switches);

  /** A token opens its own store alone. */
  const ofAnotherStore = ({ path }: Call) =>
    path.startsWith(`/${version}/`) && !path.startsWith(`${base}/`);

  const room: Room = { store, now, switches, isDated: version !== 'v1', admit };
  const { routes: webhookRoutes, ...webhooks } = createWebhooks(
    room,
    base,
    application.clientSecret,
  );
  const faults = createFaults({
    seed,
    replies: { too_many: TOO_MANY, expired_token: UNAUTHORIZED },
    spared: /^\/apps\//,
  });
  const server = await serve({
    routes: {
      ...oauth.routes,
      ...orderRoutes(room, base),
      ...productRoutes(room, base),
      ...webhookRoutes,
      [`GET ${base}/store`]: (call) => {
        admit(call);
        return { body: storeDocument(store) };
      },
      ...replayRoutes(replayed, room, base),
    },
    missing: described(404, 'Not Found', 'There is nothing here'),
    through: (call, answer) =>
      faults.through(call, async () =>
        withHeaders(ofAnotherStore(call) ? toWire(UNAUTHORIZED) : await answer(), bucket.headers()),
      ),
    now,
    port: options.port ?? 0,
  });

  return {
    ...server,
    store,
    application,
    world,
    faults,
    switches,
    webhooks,
    replayed,
    credentials: () => ({ store_id: id, access_token: oauth.token(), version }),
    revoke: oauth.revoke,
  };
}

function defaultSwitches(): Switches {
  return {
    legacy: new Set(),
    meli: new Set(),
    partlySent: new Set(),
    notes: new Map(),
    suspended: false,
    gone: false,
    hidesCustomers: false,
    deepest: MOST_ROWS,
  };
}

function admission(oauth: OAuth, bucket: Bucket, switches: Switches): Room['admit'] {
  return ({ headers }) => {
    if (!/^.+ \(.+\)$/.test(headers['user-agent'] ?? ''))
      throw refuse(400, { error: 'User-Agent header is missing or has no contact' });
    const token = /^bearer (.+)$/.exec(headers.authentication ?? '')?.[1] ?? '';
    if (!oauth.isAlive(token)) throw new Refusal(UNAUTHORIZED);
    if (!bucket.take()) throw new Refusal({ ...TOO_MANY, headers: bucket.headers() });
    if (switches.gone) throw new Refusal(described(404, 'Not Found', 'Store not found'));
    if (switches.suspended) throw refuse(402, { error: 'Payment required' });
  };
}

function withHeaders(wire: Wire, headers: Record<string, string>): Wire {
  return { ...wire, headers: { ...headers, ...wire.headers } };
}

function storeDocument({ id, name }: Store) {
  return {
    id,
    name: { es: name, en: `Store ${id}` },
    country: 'MX',
    main_currency: 'MXN',
    main_language: 'es',
    admin_language: 'es',
    domains: [],
    original_domain: `tienda${id}.mitiendanube.com`,
    plan_name: 'Impulso',
    created_at: '2026-01-01T05:12:51-03:00',
  };
}
