/**
 * Mirakl, the platform under Liverpool and Coppel, as its documents describe it and with the flaws
 * it is known for.
 */

import { textOf } from '../exact-json.ts';
import { createFaults, type Faults } from '../faults.ts';
import { type Call, type LoggedRequest, perMinuteLimit, Refusal, serve } from '../http.ts';
import { createWorld, type World } from '../world.ts';
import { moneyRoutes } from './money.ts';
import { offerRoutes } from './offers.ts';
import { orderRoutes } from './orders.ts';
import { NOTHING_REPLAYED, type Replayed, readReplay, replayRoutes } from './replay.ts';
import { type Room, refusalReply, refuse, type Shop, type Switches } from './shop.ts';

export interface MiraklOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  /** Where order numbers begin, so that two operators do not give the same. Default 0. */
  idBase?: number;
  /** Of the first shop. */
  world?: World;
  port?: number;
  /** All of one user; the first is that user's default. */
  shops?: readonly number[];
  /** Of the only shop, where neither `shops` nor a replayed account says it. Default 2041. */
  shopId?: number;
  /** The operator gives prices and totals without taxes. */
  taxExcluded?: boolean;
  /** A folder of JSON documents that are served before anything of the world. */
  replay?: string;
  /** Calls per minute and key; more are answered with 429. */
  perMinute?: number;
  /** Sent with such a 429. Mirakl does so only sometimes. */
  retryAfter?: number;
  /** Rows on a page that goes by tokens, for any requested size. */
  mostSought?: number;
}

export interface Mirakl {
  readonly url: string;
  readonly shops: readonly Shop[];
  /** Of the first shop. */
  readonly world: World;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  readonly switches: Switches;
  readonly replayed: Replayed;
  /** With an id, of a user who names the shop. */
  credentials(shopId?: number): { api_key: string; shop_id?: string };
  /** The seller made a new key, so the former one is dead. */
  revoke(): void;
  close(): Promise<void>;
}

const TOO_MANY = refusalReply(429, 'Too Many Requests');
const UNAUTHORIZED = refusalReply(401, 'Unauthorized');

export async function startMirakl(options: MiraklOptions = {}): Promise<Mirakl> {
  const { seed = 'tianguis', now = options.world?.now ?? Date.now } = options;
  const switches: Switches = {
    newState: new Set(),
    partlyShipped: new Set(),
    incidents: new Set(),
    partlyRefused: new Set(),
    foreign: new Set(),
  };
  const replayed = options.replay ? await readReplay(options.replay) : NOTHING_REPLAYED;
  const shops = shopsOf(options, replayed, { seed, now, idBase: options.idBase ?? 0 });
  const limit = perMinuteLimit(options.perMinute ?? Number.POSITIVE_INFINITY, now);
  let keys = 1;
  const key = () => `0b5c7d10-3f2a-4e8b-9c61-${String(keys).padStart(12, '0')}`;

  function caller(call: Call): Shop {
    if (call.headers.authorization !== key()) throw new Refusal(UNAUTHORIZED);
    if (!limit(key())) {
      const { retryAfter } = options;
      throw new Refusal({
        ...TOO_MANY,
        ...(retryAfter && { headers: { 'retry-after': String(retryAfter) } }),
      });
    }
    const wanted = call.query.get('shop_id');
    const shop = wanted === null ? shops[0] : shops.find(({ id }) => String(id) === wanted);
    if (!shop) throw refuse(403, `Shop ${wanted} is not accessible`);
    return shop;
  }

  const room: Room = {
    now,
    switches,
    taxExcluded: options.taxExcluded ?? false,
    caller,
    mostSought: options.mostSought ?? Number.POSITIVE_INFINITY,
  };
  const faults = createFaults({
    seed,
    replies: { too_many: TOO_MANY, expired_token: UNAUTHORIZED },
  });
  const server = await serve({
    routes: {
      ...orderRoutes(room),
      ...offerRoutes(room),
      ...moneyRoutes(room),
      'GET /api/account': (call) => ({ body: accountDocument(caller(call)) }),
      ...replayRoutes(replayed, caller),
    },
    missing: refusalReply(404, 'Not Found'),
    through: faults.through,
    now,
    port: options.port ?? 0,
  });

  return {
    ...server,
    shops,
    world: (shops[0] as Shop).world,
    faults,
    switches,
    replayed,
    credentials: (shopId) => ({
      api_key: key(),
      ...(shopId !== undefined && { shop_id: String(shopId) }),
    }),
    revoke: () => {
      keys += 1;
    },
  };
}

/** Where a replayed account says which shop it is, that is the shop. */
function shopsOf(
  { shops, shopId = 2_041, world }: MiraklOptions,
  replayed: Replayed,
  drawn: { seed: string | number; now: () => number; idBase: number },
): Shop[] {
  const reported = Number(textOf(replayed.shops[0]?.shop_id) ?? shopId);
  return (shops ?? [reported]).map((id, index) => ({
    id,
    name: `Tienda ${id}`,
    world: index === 0 && world ? world : createWorld({ ...drawn, seed: `${drawn.seed}/${index}` }),
  }));
}

function accountDocument({ id, name }: Shop) {
  return {
    channels: [],
    currency_iso_code: 'MXN',
    date_created: '2026-01-05T16:20:03Z',
    is_professional: true,
    last_updated_date: '2026-01-06T09:28:59Z',
    model: 'MARKETPLACE',
    offers_count: 0,
    orders_count: 0,
    premium: false,
    shop_id: id,
    shop_name: name,
    shop_state: 'OPEN',
    suspension_type: null,
  };
}
