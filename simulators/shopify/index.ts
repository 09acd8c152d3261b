/**
 * Shopify, Admin GraphQL 2026-10, as its documents describe it and with the flaws that it is known
 * for. One store with one application; the store's own host serves consent, tokens and queries.
 */
import { createFaults, type Faults } from '../faults.ts';
import { type Call, type LoggedRequest, perMinuteLimit, type Reply, serve } from '../http.ts';
import { createWorld, type World, type WorldOptions } from '../world.ts';
import { type ListArgs, type Operation, pageOf, parseQuery, pick, QueryError } from './graphql.ts';
import { ORDER_BASE } from './lines.ts';
import { createNotifications, type Notifications } from './notifications.ts';
import { createOAuth } from './oauth.ts';
import { orderQueries } from './orders.ts';
import { paymentsDocument } from './payouts.ts';
import { openReplay, type Replay } from './replay.ts';
import { itemDocuments } from './stock.ts';
import { ALL_SCOPES, type Store, type Switches } from './store.ts';
import { type Application, type Credentials, INVALID_TOKEN } from './tokens.ts';

export interface ShopifyOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  /** One made by `shopifyWorld`. */
  world?: World;
  port?: number;
  shop?: string;
  application?: Partial<Application>;
  /** How long an access token lives. */
  tokenSeconds?: number;
  /** A folder of JSON documents that are served before anything of the world. */
  replay?: string;
  /** Points that the bucket holds, and how many come back each second. */
  points?: { most: number; perSecond: number };
  /** Whether prices hold IVA; default true. Else it is added to them. */
  taxesIncluded?: boolean;
  /** Calls per minute; more are answered with 429. */
  perMinute?: number;
}

interface Shopify {
  readonly url: string;
  readonly shop: string;
  readonly application: Application;
  readonly world: World;
  readonly faults: Faults;
  /** Logged by the name of the query: `/graphql/Orders`. */
  readonly requests: readonly LoggedRequest[];
  readonly switches: Switches;
  readonly notifications: Notifications;
  readonly replayed: Replay | null;
  /** How often a query came when the bucket was too empty for it. */
  readonly throttled: number;
  /**
   * `expiring`: with a refresh token; `old`: one that does not end; `own`: of an application of the
   * store's own.
   */
  credentials(options?: { kind?: 'expiring' | 'old' | 'own' }): Credentials;
  /** The seller takes pieces of a line out of an order. */
  removePieces(orderId: string, line: number, pieces: number): void;
  expireTokens(): void;
  revoke(): void;
  close(): Promise<void>;
}

const PATH = 'POST /admin/api/2026-10/graphql.json';
const MOST_POINTS_OF_A_QUERY = 1_000;

export async function startShopify(options: ShopifyOptions = {}): Promise<Shopify> {
  const { seed = 'tianguis', tokenSeconds = 3_600, now = options.world?.now ?? Date.now } = options;
  const { shop = 'tienda-de-prueba.myshopify.com', points = { most: 2_000, perSecond: 100 } } =
    options;
  const application: Application = {
    clientId: '1234567890abcdef1234567890abcdef',
    clientSecret: 'secreto-de-la-aplicacion',
    redirectUri: 'http://127.0.0.1/connect/shopify',
    ...options.application,
  };
  const switches: Switches = {
    scopes: new Set(ALL_SCOPES),
    hasPayments: false,
    balanceTransactions: [],
    pointsPerRow: 3,
    ignoresFilters: false,
    deliversSilently: false,
    refusesConsent: false,
  };
  const world = options.world ?? shopifyWorld({ seed, now });
  const { taxesIncluded = true } = options;
  const edits: Store['edits'] = new Map();
  const isGranted = (scope: string) => switches.scopes.has(scope);
  const store: Store = { shop, world, switches, now, taxesIncluded, edits, isGranted };
  const oauth = createOAuth(store, String(seed), application, tokenSeconds);
  const notifications = createNotifications(store, application);
  const replay = options.replay ? await openReplay(options.replay) : null;
  const limit = perMinuteLimit(options.perMinute ?? Number.POSITIVE_INFINITY, now);
  const bucket = createBucket(points, now);
  const trees = {
    query: queriesOf(store, replay, notifications),
    mutation: notifications.mutations,
  };
  const answering = { oauth, limit, bucket, trees, switches };

  const faults = createFaults({
    seed,
    replies: { too_many: TOO_MANY, expired_token: INVALID_TOKEN, server_error: SERVER_ERROR },
    spared: /oauth/,
  });
  const server = await serve({
    routes: { ...oauth.routes, [PATH]: (call) => graphql(call, answering) },
    missing: { status: 404, body: { errors: 'Not Found' } },
    through: faults.through,
    nameOf,
    now,
    port: options.port ?? 0,
  });

  return {
    ...server,
    shop,
    application,
    world,
    faults,
    switches,
    notifications,
    replayed: replay,
    get throttled() {
      return bucket.refused();
    },
    credentials: (kind) => oauth.credentials(kind),
    removePieces: (orderId, line, pieces) =>
      void edits.set(orderId, [...(edits.get(orderId) ?? []), { at: now(), line, pieces }]),
    expireTokens: oauth.expire,
    revoke: oauth.revoke,
  };
}

interface Answering {
  readonly oauth: ReturnType<typeof createOAuth>;
  readonly limit: ReturnType<typeof perMinuteLimit>;
  readonly bucket: ReturnType<typeof createBucket>;
  readonly trees: Readonly<Record<Operation['kind'], Record<string, unknown>>>;
  readonly switches: Switches;
}

function graphql(call: Call, { oauth, limit, bucket, trees, switches }: Answering): Reply {
  oauth.caller(call);
  if (!limit('shop')) return TOO_MANY;
  const { query, variables } = call.json() as {
    query: string;
    variables: Record<string, unknown>;
  };
  try {
    const operation = parseQuery(query, variables);
    const requested = costOf(operation, switches);
    if (requested > MOST_POINTS_OF_A_QUERY)
      throw new QueryError(
        `Query cost is ${requested}, which exceeds the single query max cost limit (1000)`,
        'MAX_COST_EXCEEDED',
      );
    if (!bucket.take(requested))
      return { body: { errors: [THROTTLED], extensions: bucket.costOf(requested, null) } };
    const errors: QueryError[] = [];
    const data = pick(trees[operation.kind], operation.fields, errors);
    return {
      headers: { 'x-shopify-api-version': '2026-10' },
      body: {
        data,
        ...(errors.length > 0 && { errors: errors.map(errorOf) }),
        extensions: bucket.costOf(requested, requested),
      },
    };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return { body: { errors: [errorOf(error)] } };
  }
}

function shopifyWorld(options: WorldOptions = {}): World {
  return createWorld({ idBase: ORDER_BASE, ...options });
}

/** A list cannot be null, so without it there is no answer at all. */
const WHOLE_REFUSED = 'whole';
const TOO_MANY: Reply = {
  status: 429,
  body: { errors: 'Exceeded 2 calls per second for api client.' },
};
const SERVER_ERROR: Reply = { status: 500, body: { errors: 'Internal Server Error' } };
const THROTTLED = {
  message: 'Throttled',
  extensions: { code: 'THROTTLED', documentation: 'https://shopify.dev/api/usage/rate-limits' },
};

function queriesOf(
  store: Store,
  replay: Replay | null,
  notifications: ReturnType<typeof createNotifications>,
): Record<string, unknown> {
  const { shop, switches, world } = store;
  const needs = (scope: string, field: string, code = 'ACCESS_DENIED') => {
    if (store.isGranted(scope)) return;
    throw new QueryError(
      `Access denied for ${field} field. Required access: \`${scope}\` access scope.`,
      code,
    );
  };
  const orders = orderQueries(store, replay);
  return {
    ...orders,
    orders: (args: Parameters<typeof orders.orders>[0]) => {
      needs('read_orders', 'orders', WHOLE_REFUSED);
      return orders.orders(args);
    },
    inventoryItems: (args: ListArgs) => {
      needs('read_inventory', 'inventoryItems', WHOLE_REFUSED);
      const own = replay && replay.items.length > 0 ? replay.items : itemDocuments(world);
      return pageOf(
        own as readonly { id: unknown }[],
        (_, index) => String(index).padStart(9, '0'),
        args,
      );
    },
    inventoryItem: ({ id }: { id: string }) =>
      replay?.item(id.split('/').at(-1) ?? '') ??
      itemDocuments(world).find((item) => item.id === id) ??
      null,
    shopifyPaymentsAccount: () => {
      needs('read_shopify_payments_payouts', 'shopifyPaymentsAccount');
      if (replay?.payments) return replay.payments;
      return switches.hasPayments ? paymentsDocument(store) : null;
    },
    shop: { myshopifyDomain: shop, name: 'Tienda de prueba' },
    currentAppInstallation: () => ({
      accessScopes: [...switches.scopes].map((handle) => ({ handle })),
    }),
    ...notifications.queries,
  };
}

function errorOf({ message, code, path }: QueryError) {
  const named = code === WHOLE_REFUSED ? 'ACCESS_DENIED' : code;
  return { message, locations: [{ line: 1, column: 1 }], path, extensions: { code: named } };
}

/** Two points for a list, and some for each row that may come. */
function costOf({ fields }: Operation, { pointsPerRow }: Switches): number {
  const rowsOf = ({ first, ids }: Readonly<Record<string, unknown>>) =>
    Array.isArray(ids) ? ids.length : Number(first ?? 1);
  return fields.reduce((sum, { args }) => sum + 2 + rowsOf(args) * pointsPerRow, 0);
}

function createBucket({ most, perSecond }: { most: number; perSecond: number }, now: () => number) {
  let left = most;
  let at = now();
  let refused = 0;
  const fill = () => {
    left = Math.min(most, left + ((now() - at) / 1_000) * perSecond);
    at = now();
  };
  return {
    take(points: number): boolean {
      fill();
      if (left < points) {
        refused += 1;
        return false;
      }
      left -= points;
      return true;
    },
    refused: () => refused,
    costOf: (requestedQueryCost: number, actualQueryCost: number | null) => ({
      cost: {
        requestedQueryCost,
        actualQueryCost,
        throttleStatus: {
          maximumAvailable: most,
          currentlyAvailable: Math.floor(left),
          restoreRate: perSecond,
        },
      },
    }),
  };
}

/** One address serves every query, so calls are known by the query's name. */
function nameOf({ path, text }: Call): string {
  const [, name] = /"query":"(?:query|mutation) (\w+)/.exec(text) ?? [];
  return path.endsWith('/graphql.json') && name ? `/graphql/${name}` : path;
}
