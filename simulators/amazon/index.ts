/**
 * Amazon Mexico by the Selling Partner API, as its documents describe it and with the flaws that it
 * is known for. The hosts for consent, Login with Amazon and the API are one server here; their
 * paths do not meet.
 */
import { createFaults, type Faults } from '../faults.ts';
import { type Call, type LoggedRequest, Refusal, type Routes, serve } from '../http.ts';
import type { World } from '../world.ts';
import { financeRoutes } from './finances.ts';
import { inventoryRoutes } from './inventory.ts';
import { type Application, type Credentials, createLwa, EXPIRED } from './lwa.ts';
import { orderRoutes } from './orders.ts';
import { openReplay, type Replayed } from './replay.ts';
import {
  amazonWorld,
  createBuckets,
  MEXICO,
  OPERATIONS,
  type Operation,
  refusalReply,
  refuse,
  type Shop,
  type Switches,
} from './shop.ts';

export interface AmazonOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  /** One made by `amazonWorld`. */
  world?: World;
  port?: number;
  sellerId?: string;
  application?: Partial<Application>;
  /** How long an access token lives. */
  tokenSeconds?: number;
  /** A folder of JSON documents that are served instead of the world. */
  replay?: string;
  /** Whether calls above the documented rates are refused. Default: yes. */
  limited?: boolean;
  /** A page of orders has so many, even if a call asks for more. */
  pageRows?: number;
}

interface Amazon {
  readonly url: string;
  readonly sellerId: string;
  readonly application: Application;
  readonly world: World;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  readonly switches: Switches;
  /** Null without a folder. */
  readonly replayed: Replayed | null;
  credentials(): Credentials;
  expireTokens(): void;
  revoke(): void;
  close(): Promise<void>;
}

const TOO_MANY = refusalReply(
  429,
  'QuotaExceeded',
  'You exceeded your quota for the requested resource.',
);

export async function startAmazon(options: AmazonOptions = {}): Promise<Amazon> {
  const {
    seed = 'tianguis',
    now = options.world?.now ?? Date.now,
    sellerId = 'A2TIANGUISMX01',
  } = options;
  const application: Application = {
    appId: 'amzn1.sp.solution.00000000-0000-4000-8000-000000000001',
    clientId: 'amzn1.application-oa2-client.tianguis',
    clientSecret: 'amzn1.oa2-cs.v1.secreto-de-la-aplicacion',
    redirectUri: 'http://127.0.0.1/connect/amazon',
    ...options.application,
  };
  const switches = defaultSwitches();
  const tokenSeconds = options.tokenSeconds ?? 3_600;
  const lwa = createLwa({ seed: String(seed), now, application, sellerId, switches, tokenSeconds });
  const mayPass = createBuckets(now);

  function enter(call: Call, operation: Operation): void {
    lwa.identify(call);
    if (switches.missingRole?.test(call.path))
      throw refuse(403, 'Unauthorized', 'Access to requested resource is denied.');
    if (options.limited === false || mayPass(operation)) return;
    const [perSecond] = OPERATIONS[operation];
    throw new Refusal({ ...TOO_MANY, headers: { 'x-amzn-ratelimit-limit': String(perSecond) } });
  }

  const world = options.world ?? amazonWorld({ seed, now });
  const pageRows = options.pageRows ?? Number.POSITIVE_INFINITY;
  const shop: Shop = { world, sellerId, switches, now, enter, pageRows };
  const replay = options.replay ? await openReplay(options.replay, enter) : null;
  const faults = createFaults({
    seed,
    replies: {
      too_many: TOO_MANY,
      expired_token: EXPIRED,
      server_error: refusalReply(
        500,
        'InternalFailure',
        'We encountered an internal error. Please try again.',
      ),
    },
    spared: /^\/(auth|apps)\//,
  });
  const server = await serve({
    routes: {
      ...lwa.routes,
      ...accountRoutes(shop),
      ...orderRoutes(shop),
      ...financeRoutes(shop),
      ...inventoryRoutes(shop),
      ...replay?.routes,
    },
    missing: refusalReply(404, 'NotFound', 'The resource was not found'),
    through: faults.through,
    now,
    port: options.port ?? 0,
  });

  return {
    ...server,
    sellerId,
    application,
    world,
    faults,
    switches,
    replayed: replay?.replayed ?? null,
    credentials: lwa.credentials,
    expireTokens: lwa.expire,
    revoke: lwa.revoke,
  };
}

function defaultSwitches(): Switches {
  return {
    consent: 'grant',
    missingRole: null,
    transfersOffered: true,
    lateHours: 0,
    personalData: true,
    listingsShown: 1_000,
    taxes: 'inside',
    proceeds: 'whole',
  };
}

function accountRoutes(shop: Shop): Routes {
  const marketplace = {
    id: MEXICO,
    countryCode: 'MX',
    name: 'Amazon.com.mx',
    defaultCurrencyCode: 'MXN',
    defaultLanguageCode: 'es_MX',
    domainName: 'www.amazon.com.mx',
  };
  return {
    'GET /sellers/v1/marketplaceParticipations': (call) => {
      shop.enter(call, 'getMarketplaceParticipations');
      const participation = { isParticipating: true, hasSuspendedListings: false };
      return { body: { payload: [{ marketplace, storeName: 'Tienda Tianguis', participation }] } };
    },
  };
}
