import pg from 'pg';
import { configOf } from '../../src/environment.ts';
import { savePage } from '../../src/features/connections/index.ts';
import { alertUnknownStatus, announceOrders } from '../../src/features/order-events/index.ts';
import {
  indexOrders,
  type Order,
  type OrderListener,
  recordOrders,
} from '../../src/features/orders/index.ts';
import { createOrganization } from '../../src/features/organizations/index.ts';
import { sumSales } from '../../src/features/sales/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { at } from '../data.ts';
import { orderOf } from '../orders.ts';
import { openSpending, spendingInWords } from '../spending.ts';
import { type Finding, median, ratiosOf, type Stand } from '../stand.ts';

const PAGES = 40;
const PAGE = 50;
const NAME = 'La que escribe';
const STATUSES = ['paid', 'ready_to_ship', 'shipped', 'delivered'] as const;
/** When a row was written, by table. */
const STAMPS = {
  orders: 'last_updated',
  order_history: 'recorded_at',
  order_documents: 'recorded_at',
  events: 'created_at',
} as const;
const TABLES = [
  'orders',
  'order_history',
  'order_documents',
  'events',
  'streams',
  'delta_clocks',
  'order_titles',
  'search_terms',
  'sales_days',
  'sales_products',
  'sales_refunds',
  'rerenderings',
];

/**
 * P5: pages of orders with all that belongs to them, each in one transaction, as a sync writes
 * them.
 */
export async function record(stand: Stand): Promise<Finding[]> {
  const { url } = stand.set;
  const database = openDatabase({
    address: { url },
    clock: systemClock,
    keyring: configOf({ MASTER_KEY: stand.set.masterKey }).secrets.keyring,
    readerTimeoutSeconds: 15,
    onIdleError: console.error,
  });
  await removeWriters(url, NAME);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const instance = await writer(database);
    const bare = await bareWriter(client, (await writer(database)).organizationId);
    const took: Record<'new' | 'changed' | 'unchanged' | 'bare', number[]> = {
      ...{ new: [], changed: [], unchanged: [], bare: [] },
    };
    const [ours, copying] = [openSpending(stand), openSpending(stand)];
    for (let round = 0; round <= stand.rounds; round++) {
      const pages = pagesOf(round);
      const since = Temporal.Now.instant();
      const changed = await ours.of(PAGES * PAGE, () => instance.write(pages));
      const rows = await bare.copy(instance.organizationId, since);
      const copied = await copying.of(PAGES * PAGE, () => bare.write(rows, instance.moves));
      const unchanged = await instance.write(pages);
      if (round === 0) {
        took.new.push(changed);
        continue;
      }
      took.changed.push(changed);
      took.bare.push(copied);
      took.unchanged.push(unchanged);
    }
    const perSecond = (milliseconds: number[]) =>
      Math.round((PAGES * PAGE * 1000) / median(milliseconds));
    const beside = ratiosOf(took.bare, took.changed);
    const faster = ratiosOf(took.changed, took.unchanged);
    return [
      {
        row: 'P5',
        what: `recording pages of ${PAGE} orders, all changed`,
        figure: `${perSecond(took.changed)} orders/s beside ${perSecond(took.bare)} (${perSecond(took.new)} when they were new)`,
        ratios: beside,
        bar: '≥ 0.50',
        passes: median(beside) >= 0.5,
        limit: `The instance looks twice and renders; the bare statements get the finished rows. ${spendingInWords('An order', ours, copying)}`,
      },
      {
        row: 'P5',
        what: 'recording pages without a change',
        figure: `${perSecond(took.unchanged)} orders/s`,
        ratios: faster,
        bar: '≥ 3.00 times the changed ones',
        passes: median(faster) >= 3,
        limit: 'Each order is rendered to be compared; only the checkpoint is written.',
      },
    ];
  } finally {
    await client.end();
    await database.close();
    await removeWriters(url, NAME);
  }
}

/** The instance's own way, as the sync engine goes it. */
async function writer(database: Database) {
  const { id: organizationId } = await database.write((handle) =>
    createOrganization(handle, systemClock, { name: NAME, plan: 'experto' }),
  );
  const organization = database.within(organizationId);
  const connectionId = newId();
  await organization.write((scope) =>
    scope.rows(scope.insert('streams', [{ connection_id: connectionId, stream: 'orders' }])),
  );
  const moves: Move[][] = [];
  /** As the instance wires it; what it writes is kept for the bare writer. */
  const sumNoting: OrderListener = async (scope, changes) => {
    const page: Move[] = [];
    moves.push(page);
    const prepared: typeof scope.prepared = (statement, values) => {
      page.push({ ...statement, values });
      return scope.prepared(statement, values);
    };
    for (const listen of [sumSales, indexOrders]) await listen({ ...scope, prepared }, changes);
  };
  return {
    organizationId,
    /** Of the last time that orders changed. */
    moves,
    async write(pages: readonly Order[][]): Promise<number> {
      moves.length = 0;
      const began = performance.now();
      for (const [number, orders] of pages.entries()) {
        await organization.write(async (scope) => {
          await recordOrders(scope, orders, [sumNoting, alertUnknownStatus, announceOrders]);
          await savePage(scope, connectionId, 'orders', {
            position: String(number),
            largestSeen: orders.at(-1)?.changedAt ?? null,
            items: PAGE,
            total: null,
          });
        });
      }
      return performance.now() - began;
    },
  };
}

/** A statement that moves sums or terms. */
interface Move {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Column {
  readonly name: string;
  readonly type: string;
}

type Rows = Readonly<Record<keyof typeof STAMPS, unknown[][][]>>;

/** The same rows again, unchanged, by one statement a table. */
async function bareWriter(client: pg.Client, organizationId: string) {
  const columns = {
    orders: await columnsOf(client, 'orders'),
    order_history: await columnsOf(client, 'order_history'),
    order_documents: await columnsOf(client, 'order_documents'),
    events: await columnsOf(client, 'events'),
  };
  const tables = Object.keys(columns) as (keyof Rows)[];
  const inserts = Object.fromEntries(
    tables.map((table) => [table, insertOf(table, columns[table])]),
  ) as Record<keyof Rows, string>;
  await client.query('insert into delta_clocks values ($1, now())', [organizationId]);
  return {
    /** What the instance wrote since then, a page at a time, one array a column. */
    async copy(from: string, since: Temporal.Instant): Promise<Rows> {
      const copied: Record<string, unknown[][][]> = {};
      for (const table of tables) {
        const stamp = STAMPS[table];
        const list = columns[table].map(({ name }) => `${name}::text`).join(', ');
        const { rows } = await client.query({
          text: `select ${list} from ${table} where organization_id = $1 and ${stamp} >= $2 order by ${stamp}`,
          values: [from, since.toString()],
          rowMode: 'array',
        });
        const size = Math.ceil(rows.length / PAGES);
        copied[table] = Array.from({ length: PAGES }, (_, page) =>
          transpose(rows.slice(page * size, (page + 1) * size), columns[table].length),
        );
      }
      return copied as Rows;
    },
    async write(rows: Rows, moves: readonly (readonly Move[])[]): Promise<number> {
      const began = performance.now();
      for (let page = 0; page < PAGES; page++) {
        await client.query('begin');
        await client.query({
          name: 'clock',
          text: 'update delta_clocks set stamp = now() where organization_id = $1',
          values: [organizationId],
        });
        for (const table of tables)
          await client.query({
            name: table,
            text: inserts[table],
            values: [organizationId, ...(rows[table][page] as unknown[])],
          });
        for (const { name, text, values } of moves[page] ?? [])
          await client.query({ name, text, values: [organizationId, ...values] });
        await client.query({
          name: 'checkpoint',
          text: 'update streams set position = $2, items = items + $3, pages = pages + 1 where organization_id = $1',
          values: [organizationId, String(page), PAGE],
        });
        await client.query('commit');
      }
      return performance.now() - began;
    },
  };
}

async function columnsOf(client: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> 'organization_id' order by attnum`,
    [table],
  );
  return rows;
}

function insertOf(table: string, columns: readonly Column[]): string {
  const names = columns.map(({ name }) => name);
  // A list of lists would be taken apart to its last word, so each of them travels as a text.
  const isList = (type: string) => type.endsWith('[]');
  const arrays = columns.map(
    ({ type }, index) => `$${index + 2}::${isList(type) ? 'text' : type}[]`,
  );
  const values = columns.map(({ name, type }) => (isList(type) ? `${name}::${type}` : name));
  const insert = `insert into ${table} (organization_id, ${names.join(', ')})
    select $1, ${values.join(', ')} from unnest(${arrays.join(', ')}) as copied (${names.join(', ')})`;
  if (table !== 'orders') return insert;
  return `${insert} on conflict (organization_id, marketplace, account_id, id) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}

function transpose(rows: readonly unknown[][], columns: number): unknown[][] {
  return Array.from({ length: columns }, (_, column) => rows.map((row) => row[column]));
}

/** Every round each order has gone one step further. */
function pagesOf(round: number): Order[][] {
  const status = STATUSES[round % STATUSES.length] as (typeof STATUSES)[number];
  const changedAt = Temporal.Now.instant().round({
    smallestUnit: 'millisecond',
    roundingMode: 'floor',
  });
  return Array.from({ length: PAGES }, (_, page) =>
    Array.from({ length: PAGE }, (_, index) => {
      const number = page * PAGE + index;
      const order = { ...orderOf(number, PAGES * PAGE, START), status, marketplaceStatus: status };
      return {
        ...order,
        changedAt,
        fetchedAt: changedAt,
        raw: JSON.stringify({ order, shipment: order.shipping }),
      };
    }),
  );
}

const START = Temporal.Instant.from('2026-06-01T00:00:00Z');

/** Removes organisations of this name with all that they recorded. */
export async function removeWriters(url: string, name: string): Promise<void> {
  await at(url, async (client) => {
    await client.query('begin');
    // The instance beside it may be about to plan something for them.
    await client.query('select from organizations where name = $1 for update', [name]);
    for (const table of TABLES)
      await client.query(
        `delete from ${table} where organization_id in (select id from organizations where name = $1)`,
        [name],
      );
    await client.query('delete from organizations where name = $1', [name]);
    await client.query('commit');
  });
}
