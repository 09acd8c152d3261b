/** Zipnova's Envíos API v2, as its documents describe it. */
import { createFaults, type Faults } from '../faults.ts';
import { type Call, type LoggedRequest, serve } from '../http.ts';
import { createWorld, type World } from '../world.ts';
import type { Account } from './documents.ts';
import { openLimit } from './limit.ts';
import { createParcels, type Parcels } from './parcels.ts';
import { accountRoutes, admit, MISSING, shipmentRoutes, UNAUTHORIZED } from './routes.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

export interface ZipnovaOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  /** A shop whose orders it carries, and the channel's name. */
  world?: World;
  channel?: string;
  port?: number;
  /** Ids of the accounts that the token reaches; the first owns the shop's parcels. */
  accounts?: readonly number[];
  /** Calls that one address may make in any minute. */
  perMinute?: number;
}

export interface Zipnova {
  readonly url: string;
  readonly world: World;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  readonly accounts: Account[];
  readonly parcels: Parcels;
  readonly webhooks: Webhooks;
  /** The most calls that came in any 60 s, by the simulator's clock. */
  busiest(): number;
  credentials(account?: number): { api_token: string; api_secret: string; account_id?: string };
  /** The token is worth nothing any more. */
  revoke(): void;
  close(): Promise<void>;
}

export async function startZipnova(options: ZipnovaOptions = {}): Promise<Zipnova> {
  const { seed = 'tianguis', channel = 'WooCommerce', perMinute = 1_000 } = options;
  const now = options.now ?? options.world?.now ?? Date.now;
  const world = options.world ?? createWorld({ seed, now, idBase: 7_000 });
  const accounts: Account[] = (options.accounts ?? [11_600]).map((id) => ({
    id,
    name: `Cuenta ${id}`,
    balance: { balance: 1_250.75, available: 3_250.75, credit_limit: 2_000 },
  }));
  const parcels = createParcels({ world, now, accounts: accounts.map(({ id }) => id), channel });
  const webhooks = createWebhooks(parcels, now);
  let generation = 1;
  const secrets = () => ({
    api_token: `zn_${seed}_${generation}`,
    api_secret: `zs_${seed}_${generation}`,
  });
  const faults = createFaults({
    seed,
    replies: {
      too_many: { status: 429, body: { message: 'Too Many Attempts.' } },
      expired_token: UNAUTHORIZED,
    },
  });

  const limit = openLimit(perMinute, now);
  const shop = { accounts, parcels, webhooks, now, admit: (call: Call) => admit(call, secrets()) };
  const server = await serve({
    routes: {
      ...accountRoutes({ ...shop, urlOf: () => server.url }),
      ...shipmentRoutes({ ...shop, urlOf: () => server.url }),
    },
    missing: MISSING,
    through: (call, answer) => limit.limited(() => faults.through(call, answer)),
    now,
    port: options.port ?? 0,
  });

  return {
    url: server.url,
    requests: server.requests,
    world,
    faults,
    accounts,
    parcels,
    webhooks,
    busiest: limit.busiest,
    credentials: (account) => ({
      ...secrets(),
      ...(account !== undefined && { account_id: String(account) }),
    }),
    revoke: () => {
      generation += 1;
    },
    close: () => {
      webhooks.stop();
      return server.close();
    },
  };
}
