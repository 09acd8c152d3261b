import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { recordOrders } from '../src/features/orders/index.ts';
import { createOrganization } from '../src/features/organizations/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { type Database, openDatabase } from '../src/platform/db/database.ts';
import { orderOf } from './orders.ts';
import { run } from './processes.ts';

/** Raised when what is stored would look different; a set of another version is thrown away. */
const VERSION = 2;
const SMALL_ORDERS = 10_000;
const NEIGHBOURS = 200;
const SPAN_DAYS = 730;
const BATCH = 500;

export interface Tenant {
  readonly organizationId: string;
  readonly key: string;
  readonly orders: number;
}

export interface DataSet {
  readonly url: string;
  readonly masterKey: string;
  readonly serverVersion: string;
  /** The organisation with most of the orders, and one with few of the same kind. */
  readonly big: Tenant;
  readonly small: Tenant;
}

type Say = (line: string) => void;

/** The set of this size in this server: the one from last time, or a new one. */
export async function openDataSet(server: string, orders: number, say: Say): Promise<DataSet> {
  const name = `tianguis_bench_${orders}`;
  const url = withDatabase(server, name);
  const kept = await readSet(server, name);
  if (kept) return kept;
  await at(withDatabase(server, 'postgres'), async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
  });
  await load(url, orders, say);
  return (await readSet(server, name)) as DataSet;
}

export async function at<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** One of the operator's own commands. */
export async function cli(
  environment: Record<string, string>,
  ...args: string[]
): Promise<Record<string, string>> {
  return JSON.parse(await run(process.execPath, ['src/cli.ts', ...args, '--json'], environment));
}

/** An organisation without a limit that anyone could reach, and a key of it. */
export async function openTenant(
  environment: Record<string, string>,
  name: string,
  orders: number,
): Promise<Tenant> {
  const made = await cli(environment, 'create-organization', '--name', name, '--plan', 'experto');
  const organizationId = made.organization_id as string;
  const { key } = await cli(environment, 'create-key', '--organization', organizationId);
  const plan = ['--plan', 'experto', '--quota', '999999999'];
  await cli(environment, 'set-plan', '--organization', organizationId, ...plan);
  return { organizationId, key: key as string, orders };
}

async function readSet(server: string, name: string): Promise<DataSet | null> {
  const exists = await at(withDatabase(server, 'postgres'), async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    return rowCount === 1;
  });
  const url = withDatabase(server, name);
  if (!exists) return null;
  return at(url, async (client) => {
    const { rows: found } = await client.query(
      "select to_regclass('bench.data_set') is not null as found",
    );
    if (!found[0].found) return null;
    const { rows } = await client.query('select version, content from bench.data_set');
    if (rows[0]?.version !== VERSION) return null;
    const { rows: settings } = await client.query('show server_version');
    return { url, serverVersion: settings[0].server_version, ...rows[0].content };
  });
}

async function load(url: string, orders: number, say: Say): Promise<void> {
  const began = performance.now();
  const masterKey = randomBytes(32).toString('base64');
  const environment = { DATABASE_URL: url, MASTER_KEY: masterKey };
  const big = await openTenant(environment, 'La tienda grande', orders);
  const small = await openTenant(environment, 'La tienda chica', SMALL_ORDERS);
  await at(url, async (client) => {
    const rebuild = await dropIndexes(client);
    await record(url, [...(await neighbours(url)), small, big], say);
    say('building the indexes');
    await client.query("set maintenance_work_mem = '512MB'");
    for (const statement of rebuild) await client.query(statement);
    await client.query('vacuum (analyze)');
    await client.query('create schema bench');
    await client.query('create table bench.data_set (version integer, content jsonb)');
    await client.query('insert into bench.data_set values ($1, $2)', [
      VERSION,
      { masterKey, big, small },
    ]);
  });
  say(`loaded in ${Math.round((performance.now() - began) / 1000)} s`);
}

/** Loading with the primary keys alone and building the rest at the end is several times faster. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    "select indexname, indexdef from pg_indexes where tablename = 'orders' and indexname <> 'orders_pkey'",
  );
  for (const { indexname } of rows) await client.query(`drop index ${indexname}`);
  return rows.map(({ indexdef }) => indexdef);
}

type Shop = Pick<Tenant, 'organizationId' | 'orders'>;

async function neighbours(url: string): Promise<Shop[]> {
  const database = open(url, () => Temporal.Now.instant());
  const shops: Shop[] = [];
  for (let number = 0; number < NEIGHBOURS; number++) {
    const { id } = await database.write((handle) =>
      createOrganization(handle, systemClock, { name: `Vecina ${number}`, plan: 'intermedio' }),
    );
    shops.push({ organizationId: id, orders: 20 + (number % 41) });
  }
  await database.close();
  return shops;
}

/**
 * Records every shop's orders in the order of their last change, with the clock turned to each
 * batch's time.
 */
async function record(url: string, shops: readonly Shop[], say: Say): Promise<void> {
  const end = Temporal.Now.instant().round({ smallestUnit: 'hour', roundingMode: 'floor' });
  const start = end.subtract({ hours: 24 * SPAN_DAYS });
  let now = start;
  const database = open(url, () => now);
  for (const { organizationId, orders } of shops) {
    const step = (SPAN_DAYS * 86_400_000) / orders;
    for (let from = 0; from < orders; from += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, orders - from) }, (_, index) =>
        orderOf(
          from + index,
          orders,
          start.add({ milliseconds: Math.floor((from + index) * step) }),
        ),
      );
      now = batch.at(-1)?.changedAt ?? now;
      await database.within(organizationId).write((scope) => recordOrders(scope, batch));
      if (from > 0 && from % 50_000 === 0) say(`${from} of ${orders} orders recorded`);
    }
  }
  await database.close();
}

function open(url: string, now: () => Temporal.Instant): Database {
  const clock = { ...systemClock, now };
  return openDatabase({
    address: { url },
    clock,
    readerTimeoutSeconds: 15,
    onIdleError: console.error,
  });
}

export function withDatabase(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}
