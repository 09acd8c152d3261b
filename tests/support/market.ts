/** Sellers at the Mercado Libre simulator, and what only the database knows about them. */
import { type MercadoLibre, startMercadoLibre } from '../../simulators/mercado_libre/index.ts';
import type { Marketplace } from '../../src/connectors/contract.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { retryAccess } from '../../src/exchange/sync/retry-access.ts';
import { type SyncedStream, syncOrganization } from '../../src/exchange/sync/sync-organization.ts';
import { eventually } from '../reliability/support/processes.ts';
import type { TestApp } from './app.ts';
import type { TurnedClock } from './clock.ts';

export type Seller = MercadoLibre['sellers'][number];

export interface Market extends MercadoLibre {
  /** Points an instance at this market, and makes our application known to it. */
  readonly env: Readonly<Record<string, string>>;
  /** A seller without orders that belongs to no other test. */
  newSeller(): Seller;
}

type Row = Readonly<Record<string, unknown>>;

const FIRST_SELLER = 468_424_001;
const MOST_SELLERS = 100;
const PUBLIC_URL = 'https://tianguis.example';
export const REDIRECT_URI = `${PUBLIC_URL}/connect/mercado_libre`;

export async function openMarket(
  t: { after(close: () => Promise<void>): void },
  clock: TurnedClock,
  options: { tokenSeconds?: number } = {},
): Promise<Market> {
  const market = await startMercadoLibre({
    ...options,
    now: () => clock.now().epochMilliseconds,
    sellers: Array.from({ length: MOST_SELLERS }, (_, number) => FIRST_SELLER + number),
    application: { redirectUri: REDIRECT_URI },
  });
  t.after(market.close);
  let given = 0;
  return {
    ...market,
    env: {
      PUBLIC_URL,
      MERCADO_LIBRE_BASE_URL: market.url,
      MERCADO_LIBRE_CLIENT_ID: market.application.clientId,
      MERCADO_LIBRE_CLIENT_SECRET: market.application.clientSecret,
    },
    newSeller() {
      const seller = market.sellers[given++];
      if (!seller) throw new Error('every seller is taken: raise MOST_SELLERS');
      return seller;
    },
  };
}

/** An order that is paid. @returns its id */
export function sell({ world }: Seller): string {
  const { id } = world.place();
  world.pay(id);
  return id;
}

/**
 * Connects with typed credentials; of the account's own, unless others are given. @returns the
 * connection's id
 */
export async function connectAccount(
  { app: instance }: TestApp,
  organizationId: string,
  credentials: unknown,
  marketplace: Marketplace = 'mercado_libre',
): Promise<string> {
  const typed = { organizationId, service: marketplace, credentials, baseUrl: null };
  return (await connect(instance.exchange, typed)).connectionId;
}

export function syncNow(
  { app: instance }: TestApp,
  organizationId: string,
): Promise<SyncedStream[]> {
  return syncOrganization(instance.exchange, { organizationId, service: null, stream: 'orders' });
}

export function query(
  { app: instance }: TestApp,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return instance.database.write(async (handle) => (await handle.sql(text, values)) as Row[]);
}

/** States of an organisation's connections, oldest first. */
export function connectionsOf(instance: TestApp, organizationId: string): Promise<Row[]> {
  return query(
    instance,
    `select id, account_id, state, credentials is null as bare from connections
      where organization_id = $1 order by created_at, id`,
    [organizationId],
  );
}

/** Five minutes later a refused access is tried again, as its schedule says. */
export async function retryLater(
  { app: instance, clock }: Pick<TestApp, 'app' | 'clock'>,
  organizationId: string,
  connectionId: string,
): Promise<void> {
  clock.advance({ minutes: 5 });
  await retryAccess(instance.exchange, organizationId, connectionId);
}

/** The alerts of an organisation that are open. */
export function alertsOf(instance: TestApp, organizationId: string): Promise<Row[]> {
  return query(
    instance,
    'select kind, subject, message from alerts where organization_id = $1 and resolved_at is null',
    [organizationId],
  );
}

/** Hands what is due to the worker, and waits until all is done. */
export async function workOff(own: TestApp): Promise<void> {
  await own.app.worker?.tick();
  await jobsDone(own);
}

/** Waits until no job waits or runs. */
export async function jobsDone(own: TestApp, milliseconds = 240_000): Promise<void> {
  const waiting = "select from queue.job where state in ('created', 'retry', 'active') limit 1";
  const isDone = async () => (await query(own, waiting)).length === 0;
  if (!(await eventually(isDone, milliseconds)))
    throw new Error('jobs are still waiting or running');
}

/**
 * A notification of the market, with another word here and there. @returns the status of the answer
 */
export async function notify(
  own: TestApp,
  seller: Seller,
  resource: string,
  other: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const application = { application_id: own.env.MERCADO_LIBRE_CLIENT_ID };
  const notice = { resource, user_id: seller.id, topic: 'orders_v2', ...application, ...other };
  const options = { method: 'POST', body: JSON.stringify(notice), key: null };
  return (await own.api('/api/webhooks/mercado_libre', {}, options)).status;
}

/** How many webhooks of an organisation came to each outcome; `waiting` = none yet. */
export async function outcomesOf(
  own: TestApp,
  organizationId: string,
): Promise<Record<string, number>> {
  const rows = await query(
    own,
    `select coalesce(outcome, 'waiting') as outcome, sum(pushes)::int as count from receipts
      where organization_id = $1 group by 1`,
    [organizationId],
  );
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]));
}

/** The calls of a market that fit, since it was opened. */
export function callsTo({ requests }: MercadoLibre, pattern: RegExp) {
  return requests.filter(({ method, path }) => pattern.test(`${method} ${path}`));
}
