/** VTEX, one account, as its documents describe it and with the flaws that it is known for. */
import { createFaults, type Faults } from '../faults.ts';
import { type Call, type LoggedRequest, perMinuteLimit, Refusal, serve } from '../http.ts';
import { createWorld, type World } from '../world.ts';
import { createFeed, type Feed } from './feed.ts';
import { createHook, type Hook } from './hook.ts';
import { inventoryRoutes } from './inventory.ts';
import { orderRoutes } from './orders.ts';
import { NOTHING_REPLAYED, type Replayed, readReplay, replayRoutes } from './replay.ts';
import { refusalReply, refuse, type Shop, type Switches } from './shop.ts';

export interface VtexOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  world?: World;
  port?: number;
  account?: string;
  /** A folder of JSON documents that are served before anything of the world. */
  replay?: string;
  /** Calls per minute of the account; more are answered with 429. */
  perMinute?: number;
  /** Sent with such a 429. VTEX does so only sometimes. */
  retryAfter?: number;
}

export interface Vtex {
  readonly url: string;
  readonly account: string;
  readonly world: World;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  readonly switches: Switches;
  readonly feed: Feed;
  readonly hook: Hook;
  readonly replayed: Replayed;
  credentials(): { account: string; app_key: string; app_token: string };
  /** The seller made a new token, so the former one is dead. */
  revoke(): void;
  close(): Promise<void>;
}

const TOO_MANY = refusalReply(429, '429', 'Too many requests');
const UNAUTHORIZED = refusalReply(401, '1', 'Acesso não autorizado');

export async function startVtex(options: VtexOptions = {}): Promise<Vtex> {
  const {
    seed = 'tianguis',
    now = options.world?.now ?? Date.now,
    account = 'tiendaprueba',
  } = options;
  const world = options.world ?? createWorld({ seed, now });
  const switches: Switches = {
    incomplete: new Map(),
    missing: new Set(),
    asked: new Set(),
    unlimited: new Set(),
    lacks: new Set(),
  };
  const appKey = `vtexappkey-${account}-TGTGTG`;
  let tokens = 1;
  const token = () => `TOKEN${String(tokens).padStart(20, '0')}`;
  const limit = perMinuteLimit(options.perMinute ?? Number.POSITIVE_INFINITY, now);

  function admit({ headers }: Call, role?: 'feed' | 'catalogue'): void {
    const isKnown =
      headers['x-vtex-api-appkey'] === appKey && headers['x-vtex-api-apptoken'] === token();
    if (!isKnown) throw new Refusal(UNAUTHORIZED);
    const { retryAfter } = options;
    if (!limit(account))
      throw new Refusal({
        ...TOO_MANY,
        ...(retryAfter && { headers: { 'retry-after': String(retryAfter) } }),
      });
    if (role && switches.lacks.has(role)) throw refuse(403, '2', 'Access denied');
  }

  const shop: Shop = { account, appKey, world, switches, now, admit };
  const feed = createFeed(shop);
  const hook = createHook(shop);
  const routes = { ...orderRoutes(shop), ...feed.routes, ...hook.routes, ...inventoryRoutes(shop) };
  const replayed = options.replay ? await readReplay(options.replay) : NOTHING_REPLAYED;
  const faults = createFaults({
    seed,
    replies: { too_many: TOO_MANY, expired_token: UNAUTHORIZED },
  });
  const server = await serve({
    routes: { ...routes, ...replayRoutes(replayed, shop, routes) },
    missing: { status: 404, body: { message: 'Not found' } },
    through: faults.through,
    now,
    port: options.port ?? 0,
  });

  return {
    ...server,
    account,
    world,
    faults,
    switches,
    feed,
    hook,
    replayed,
    credentials: () => ({ account, app_key: appKey, app_token: token() }),
    revoke: () => {
      tokens += 1;
    },
  };
}
