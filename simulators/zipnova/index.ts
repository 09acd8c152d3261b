/** Zipnova's Envíos API v2, as its documents describe it. */
import { createFaults, type Faults } from '../faults.ts';
import { type Call, type LoggedRequest, Refusal, type Reply, serve, type Wire } from '../http.ts';
import { createWorld, type World } from '../world.ts';
import {
  type Account,
  accountDocument,
  longDocument,
  pageOf,
  pdfOf,
  shortDocument,
  trackingDocument,
  zplOf,
} from './documents.ts';
import { setState } from './own-fleet.ts';
import { createParcels, type Parcel, type Parcels, stateOf } from './parcels.ts';
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

const WINDOW = 60_000;
const CANCELLABLE = ['new', 'documentation_ready', 'ready_to_ship'];
const UNAUTHORIZED: Reply = { status: 401, body: { message: 'Unauthenticated.' } };
const MISSING: Reply = { status: 404, body: { status: 'error', message: 'Not Found' } };

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
  const arrivals: number[] = [];
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

  function admit({ headers }: Call): void {
    const { api_token, api_secret } = secrets();
    const wanted = `Basic ${Buffer.from(`${api_token}:${api_secret}`).toString('base64')}`;
    if (headers.authorization !== wanted) throw new Refusal(UNAUTHORIZED);
    if (!headers.accept?.includes('application/json')) throw new Refusal({ status: 406, body: '' });
  }

  const behind = (work: (call: Call) => Reply | Promise<Reply>) => (call: Call) => {
    admit(call);
    return work(call);
  };
  const accountOf = (call: Call) =>
    accounts.find(({ id }) => String(id) === call.params.id) ?? refuse();
  const ofParcel = (work: (call: Call, parcel: Parcel) => Reply) =>
    behind((call) => work(call, parcels.find(Number(call.params.id)) ?? refuse()));
  const hookOf = (call: Call) =>
    webhooks.registered.find(({ id }) => String(id) === call.params.hook) ?? refuse();

  /** The limit is one for everybody behind an address. */
  async function limited(answer: () => Promise<Wire>): Promise<Wire> {
    arrivals.push(now());
    if (arrivals.length > 200_000) arrivals.splice(0, 100_000);
    const used = arrivals.filter((at) => at > now() - WINDOW).length;
    const headers = {
      'x-ratelimit-limit': String(perMinute),
      'x-ratelimit-remaining': String(Math.max(0, perMinute - used)),
    };
    if (used > perMinute) {
      const reset = String(Math.ceil((now() + WINDOW) / 1000));
      const more = {
        'retry-after': '60',
        'x-ratelimit-reset': reset,
        'content-type': 'application/json',
      };
      return {
        status: 429,
        headers: { ...headers, ...more },
        text: '{"message":"Too Many Attempts."}',
      };
    }
    const wire = await answer();
    return { ...wire, headers: { ...headers, ...wire.headers } };
  }

  const server = await serve({
    routes: {
      'GET /v2/accounts': behind((call) => ({
        body: pageOf(call, server.url, accounts.map(accountDocument)),
      })),
      'GET /v2/accounts/:id': behind((call) => {
        const account = accountOf(call);
        const told = account.balance && { balance: { ...account.balance, currency: 'MXN' } };
        return { body: { ...accountDocument(account), ...told } };
      }),
      'GET /v2/accounts/:id/webhooks': behind((call) => {
        const { id } = accountOf(call);
        const own = webhooks.registered.filter((hook) => hook.account_id === id);
        return { body: pageOf(call, server.url, own) };
      }),
      'POST /v2/accounts/:id/webhooks': behind((call) => {
        const { topic, url } = call.json() as { topic: string; url: string };
        return { status: 201, body: webhooks.register(accountOf(call).id, topic, url) };
      }),
      'PUT /v2/accounts/:id/webhooks/:hook': behind((call) => {
        const hook = hookOf(call);
        hook.url = (call.json() as { url: string }).url;
        return { body: hook };
      }),
      'DELETE /v2/accounts/:id/webhooks/:hook': behind((call) => {
        webhooks.registered.splice(webhooks.registered.indexOf(hookOf(call)), 1);
        return { status: 204 };
      }),
      'GET /v2/shipments': behind((call) => ({ body: pageOf(call, server.url, listed(call)) })),
      'GET /v2/shipments/:id': ofParcel((_, parcel) => ({ body: longDocument(parcel, now()) })),
      'GET /v2/shipments/:id/tracking': ofParcel((call, parcel) => ({
        body: trackingDocument(parcel, now(), call.query.get('sort')),
      })),
      'POST /v2/shipments/:id/tracking': ofParcel((call, parcel) => {
        setState(call, parcel, parcels);
        return { body: longDocument(parcels.find(parcel.id) as Parcel, now()) };
      }),
      'GET /v2/shipments/:id/documentation': ofParcel((call, parcel) => {
        const format = call.query.get('format') === 'zpl' ? 'zpl' : 'pdf';
        const bytes = format === 'zpl' ? Buffer.from(zplOf(parcel)) : pdfOf(parcel);
        return { body: { format, body: bytes.toString('base64') } };
      }),
      'POST /v2/shipments/:id/cancel': ofParcel((_, parcel) => {
        const state = stateOf(parcel, now()).code;
        if (!CANCELLABLE.includes(state))
          return { status: 401, body: { shipment_id: parcel.id, success: false, result: null } };
        parcels.move(parcel.id, 'cancelled');
        return { body: { shipment_id: parcel.id, success: true, result: 'canceled' } };
      }),
    },
    missing: MISSING,
    through: (call, answer) => limited(() => faults.through(call, answer)),
    now,
    port: options.port ?? 0,
  });

  function listed({ query }: Call) {
    const account = query.get('account_id');
    const rows = parcels.all(account === null ? undefined : Number(account));
    const state = query.get('status');
    const reference = query.get('external_id');
    const order = query.get('order_id');
    return rows
      .filter((parcel) => state === null || stateOf(parcel, now()).code === state)
      .filter((parcel) => reference === null || parcel.externalId === reference)
      .filter((parcel) => order === null || parcel.relations.some((one) => one.order_id === order))
      .map((parcel) => shortDocument(parcel, now()));
  }

  return {
    url: server.url,
    requests: server.requests,
    world,
    faults,
    accounts,
    parcels,
    webhooks,
    busiest: () => busiestOf(arrivals),
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

function refuse(): never {
  throw new Refusal(MISSING);
}

function busiestOf(arrivals: readonly number[]): number {
  let most = 0;
  let first = 0;
  for (const [last, at] of arrivals.entries()) {
    while ((arrivals[first] as number) <= at - WINDOW) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
