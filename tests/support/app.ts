import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { type App, openApp as open } from '../../src/app/app.ts';
import type { ServiceSlug } from '../../src/carriers/contract.ts';
import { sourceOrder } from '../../src/connectors/contract.ts';
import { configOf } from '../../src/environment.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { type SyncedStream, syncOrganization } from '../../src/exchange/sync/sync-organization.ts';
import { createKey } from '../../src/features/keys/index.ts';
import { type Order, recordOrders } from '../../src/features/orders/index.ts';
import {
  changePlan,
  createOrganization,
  type Organization,
} from '../../src/features/organizations/index.ts';
import type { PasswordCost } from '../../src/features/people/index.ts';
import type { Plan } from '../../src/features/plans/index.ts';
import { createLog, type Log } from '../../src/platform/log.ts';
import type { LogLevel } from '../../src/platform/log-parts.ts';
import { decimal } from '../../src/platform/money.ts';
import { type TurnedClock, turnedClock } from './clock.ts';
import { assertKeepsContract } from './contract.ts';
import { addressOf, ownDatabase } from './server.ts';

export interface TestApp {
  readonly app: App;
  readonly url: string;
  readonly clock: TurnedClock;
  readonly organization: Organization;
  /** A key of that organisation with `orders:read`. */
  readonly key: string;
  readonly env: Readonly<Record<string, string>>;
  /** Calls the API and holds every answer against the published document. */
  api(
    path: string,
    query?: Record<string, string | number>,
    options?: ApiOptions,
  ): Promise<ApiAnswer>;
  /** Another organisation with its key. */
  tenant(plan?: Plan): Promise<{ organization: Organization; key: string; keyId: string }>;
  /**
   * The same app for another organisation with its key. Clock, database and memory of the process
   * are shared: for tests that look at nothing beyond their organisation.
   */
  another(plan?: Plan): Promise<TestApp>;
  setPlan(plan: Plan, quota?: number): Promise<void>;
  record(orders: Order[], organizationId?: string): Promise<{ changed: number; unchanged: number }>;
  /** Connects an account at a simulator. */
  connect(service: ServiceSlug, at: { url: string; credentials: unknown }): Promise<string>;
  sync(): Promise<SyncedStream[]>;
}

export interface ApiOptions {
  readonly key?: string | null;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any;
  readonly text: string;
}

export interface AppOptions {
  readonly plan?: Plan;
  readonly env?: Record<string, string>;
  readonly clock?: TurnedClock;
  readonly database?: string;
  readonly log?: Log;
  /** As in production: a hash of a password takes 50 ms of processor time. */
  readonly fullPasswordCost?: boolean;
}

/** The least that Argon2id takes. */
const LEAST_PASSWORD_COST: PasswordCost = { memory: 8, passes: 1, parallelism: 1 };

/**
 * A whole app on a database of the test file's own, with one organisation and a key; closed after
 * the test.
 */
export async function openApp(
  t: Pick<TestContext, 'after'>,
  options: AppOptions = {},
): Promise<TestApp> {
  const clock = options.clock ?? turnedClock();
  const env = {
    PORT: '0',
    DRAIN_SECONDS: '0',
    MASTER_KEY: randomBytes(32).toString('base64'),
    ...environmentOf(options.database ?? (await ownDatabase())),
    ...options.env,
  };
  const config = configOf(env);
  const log = options.log ?? createLog((process.env.TEST_LOG as LogLevel | undefined) ?? 'silent');
  const cost = options.fullPasswordCost ? {} : { passwordCost: LEAST_PASSWORD_COST };
  const app = await open(config, { clock, log, random: () => 0.5, ...cost });
  t.after(() => app.close());

  const tenant = async (plan: Plan = 'intermedio') => {
    const organization = await app.database.write((handle) =>
      createOrganization(handle, clock, { name: 'Tienda de prueba', plan }),
    );
    const { id: keyId, key } = await app.database
      .within(organization.id)
      .write((scope) => createKey(scope, 'operator', { name: 'prueba' }));
    return { organization, key, keyId };
  };
  const shared = { app, url: app.url, clock, env, tenant };
  return appOf(shared, await tenant(options.plan));
}

type Shared = Pick<TestApp, 'app' | 'url' | 'clock' | 'env' | 'tenant'>;

function appOf(
  shared: Shared,
  { organization, key }: Pick<TestApp, 'organization' | 'key'>,
): TestApp {
  const { app, clock, tenant } = shared;
  return {
    ...shared,
    organization,
    key,
    another: async (plan) => appOf(shared, await tenant(plan)),
    api: (path, query = {}, apiOptions = {}) =>
      callApi(app.url, path, query, { key, ...apiOptions }),
    setPlan: async (plan, quota) => {
      await app.database.write((handle) =>
        changePlan(handle, clock, { organizationId: organization.id, plan, quota: quota ?? null }),
      );
    },
    record: (orders, organizationId = organization.id) =>
      app.database
        .within(organizationId)
        .write((scope) => recordOrders(scope, orders, app.exchange.orderListeners)),
    connect: async (service, { url, credentials }) =>
      (
        await connect(app.exchange, {
          organizationId: organization.id,
          service,
          credentials,
          baseUrl: url,
        })
      ).connectionId,
    sync: () =>
      syncOrganization(app.exchange, {
        organizationId: organization.id,
        service: null,
        stream: null,
      }),
  };
}

/** The variables that point an app at a database of the test server. */
export function environmentOf(database: string): Record<string, string> {
  const address = addressOf(database);
  if ('url' in address) return { DATABASE_URL: address.url };
  const url = new URL(`postgres://${address.user}@localhost:${address.port}/${database}`);
  url.searchParams.set('host', address.host);
  return { DATABASE_URL: url.href };
}

export async function callApi(
  base: string,
  path: string,
  query: Record<string, string | number>,
  options: ApiOptions,
): Promise<ApiAnswer> {
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
  const method = options.method ?? 'GET';
  const headers = {
    ...(options.key && { authorization: `Bearer ${options.key}` }),
    ...options.headers,
  };
  const response = await fetch(url, {
    method,
    headers,
    ...(options.body !== undefined && { body: options.body }),
  });
  const text = await response.text();
  assertKeepsContract({
    method,
    url: url.href,
    status: response.status,
    headers: response.headers,
    text,
  });
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? null : JSON.parse(text),
  };
}

/** An order as a source would give it, paid yesterday unless said otherwise. */
export function anOrder(given: Partial<Order> = {}): Order {
  const at = Temporal.Instant.from('2026-11-15T12:00:00Z');
  const order = sourceOrder({
    id: '2000000000000001',
    status: 'paid',
    marketplaceStatus: 'paid',
    paymentStatus: 'approved',
    currency: 'MXN',
    total: decimal('259.90'),
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    buyerName: 'Lucía Ramírez Ortega',
    dateCreated: at,
    dateClosed: at,
    lines: [
      {
        id: 'MLM1',
        sku: 'TAZA-AZUL',
        title: 'Taza azul',
        quantity: decimal('2'),
        unitPrice: decimal('129.95'),
        subtotal: decimal('259.90'),
      },
    ],
    changedAt: at,
    fetchedAt: at,
    raw: null,
  });
  return {
    ...order,
    marketplace: 'mercado_libre',
    accountId: '468424240',
    connectionId: null,
    ...given,
  };
}
