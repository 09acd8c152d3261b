/** A database of the test's own with one organisation, and what may happen there. */
import type pg from 'pg';
import { type MercadoLibre, startMercadoLibre } from '../../../simulators/mercado_libre/index.ts';
import { placeOrders } from './commands.ts';
import { type Env, type Ground, openClient, openHandle } from './ground.ts';
import type { Ending } from './processes.ts';
import { addTenant, NO_LIMIT } from './tenants.ts';

interface Place {
  readonly env: Env;
  readonly databaseUrl: string;
  /** The organisation, which may ask as often as it likes, and its key. */
  readonly id: string;
  readonly key: string;
}

export async function openPlace(own: Ending, ground: Ground): Promise<Place> {
  const env = await ground.place();
  const databaseUrl = env.DATABASE_URL as string;
  const { id, key } = await addTenant(openHandle(own, databaseUrl), { quota: NO_LIMIT });
  return { env, databaseUrl, id, key };
}

/** A Mercado Libre shop with so many orders. */
export async function openShop(own: Ending, orders: number): Promise<MercadoLibre> {
  const shop = await startMercadoLibre({ seed: 'shop' });
  own.after(shop.close);
  placeOrders(shop, orders);
  return shop;
}

/** A notification of the shop about order `number`. */
export function notice(shop: MercadoLibre, number: number): string {
  return JSON.stringify({
    resource: `/orders/${number}`,
    topic: 'orders_v2',
    user_id: shop.credentials().user_id,
    application_id: shop.application.clientId,
  });
}

/**
 * How many of these notifications are neither kept nor counted among those that merged into a sync
 * run.
 */
export async function lostNotices(client: pg.Client, numbers: readonly number[]): Promise<number> {
  const { rows } = await client.query<{ body: string; pushes: number }>(
    'select body, pushes from receipts',
  );
  const kept = new Set(rows.filter(({ body }) => body !== '').map(({ body }) => numberOf(body)));
  const merged = rows
    .filter(({ body }) => body === '')
    .reduce((sum, { pushes }) => sum + pushes, 0);
  return Math.max(0, numbers.filter((number) => !kept.has(number)).length - merged);
}

function numberOf(body: string): number {
  const { resource } = JSON.parse(body) as { resource: string };
  return Number(resource.split('/').at(-1));
}

/**
 * No other session reads or writes the table until it is released, at the latest by the end of the
 * test.
 */
export async function holdTable(own: Ending, place: Place, table: string) {
  const client = await openClient(own, place.databaseUrl);
  await client.query('begin');
  await client.query(`lock table ${table} in access exclusive mode`);
  return {
    async release() {
      await client.query('rollback');
    },
  };
}

/** How many queries wait for a lock. */
export async function waitingQueries(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}

/** Every other connection to this database ends at once. */
export async function cutConnections(client: pg.Client): Promise<void> {
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
}
