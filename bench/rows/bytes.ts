import pg from 'pg';
import { type App, openApp } from '../../src/app/app.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import { runHousekeeping } from '../../src/exchange/jobs/housekeeping.ts';
import { type Order, recordOrders } from '../../src/features/orders/index.ts';
import { createOrganization } from '../../src/features/organizations/index.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { readConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { at } from '../data.ts';
import { dice, idOf, orderOf } from '../orders.ts';
import type { Finding, Stand } from '../stand.ts';

const DATABASE = 'tianguis_bench_bytes';
const ORDERS_A_DAY = 12;
/**
 * Until every retention that an order's rows have but the longest has removed as much as came in.
 */
const WARM_UP_DAYS = 130;
const MEASURED_DAYS = 90;
const MOST_BYTES = 10_000;
/** The states of an order, and how many days after its creation it gets each. */
const STATES: readonly [status: OrderStatus, day: number][] = [
  ['pending', 0],
  ['paid', 0],
  ['ready_to_ship', 1],
  ['shipped', 2],
  ['delivered', 6],
];
const START = Temporal.Instant.from('2026-01-01T12:00:00Z');

type Sizes = ReadonlyMap<string, number>;

/**
 * P15: what an order of five states leaves behind. Each change comes alone, as a webhook brings it;
 * every day the housekeeping runs, and the server cleans up as it does by itself. What the files
 * grow by once as much is removed as is added, divided by the orders of that time.
 */
export async function bytes(stand: Stand): Promise<Finding[]> {
  await using own = stand.closing.use(new AsyncDisposableStack());
  const url = await emptyDatabase(stand);
  let now = START;
  const clock: Clock = {
    ...systemClock,
    now: () => now,
    every: () => () => {},
    sleep: async () => {},
  };
  const instance = await openOwnInstance(url, stand.set.masterKey, clock);
  own.defer(instance.close);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  own.defer(() => client.end());
  const record = await recorder(instance, clock);

  let letters = 0;
  let before: Sizes = new Map();
  for (let day = 0; day < WARM_UP_DAYS + MEASURED_DAYS; day++) {
    if (day === WARM_UP_DAYS) before = await sizesOf(client);
    const written = await dayOf(day, record, (passed) => {
      now = START.add({ hours: 24 * day, minutes: passed });
    });
    if (day >= WARM_UP_DAYS) letters += written;
    await runHousekeeping(instance.exchange);
    // The server's own cleaner goes by its own clock.
    await client.query('vacuum (analyze)');
  }
  return [finding(before, await sizesOf(client), letters)];
}

/** The changes of a day, one after the other. @returns the letters of their documents */
async function dayOf(
  day: number,
  record: (order: Order) => Promise<void>,
  pass: (minutes: number) => void,
): Promise<number> {
  let letters = 0;
  for (const [index, [status, age]] of STATES.entries())
    for (let number = 0; number < ORDERS_A_DAY && day >= age; number++) {
      const minutes = index * 60 + number;
      pass(minutes);
      const changedAt = START.add({ hours: 24 * day, minutes });
      const order = orderIn((day - age) * ORDERS_A_DAY + number, status, changedAt);
      letters += order.raw?.length ?? 0;
      await record(order);
    }
  return letters;
}

function orderIn(number: number, status: OrderStatus, changedAt: Temporal.Instant): Order {
  const created = START.add({
    hours: 24 * Math.floor(number / ORDERS_A_DAY),
    minutes: number % ORDERS_A_DAY,
  });
  const order: Order = {
    ...orderOf(number, 1_000_000, created),
    id: idOf('mercado_libre', number),
    marketplace: 'mercado_libre',
    accountId: '468424240',
    status,
    marketplaceStatus: status,
    fulfillmentStatus: status,
    dateCreated: created,
    changedAt,
    fetchedAt: changedAt,
  };
  return { ...order, raw: documentOf(order, number) };
}

/**
 * Two and a half thousand letters, as marketplaces word an order: a third is of the order, some of
 * it of the change.
 */
function documentOf(order: Order, number: number): string {
  const ofOrder = dice(number);
  const ofChange = dice(Math.trunc((order.changedAt?.epochMilliseconds ?? 0) / 60_000));
  const digits = (chance: () => number, count: number) =>
    Number(
      chance()
        .toFixed(16)
        .slice(2, 2 + count),
    );
  const changed = String(order.changedAt);
  const created = String(order.dateCreated);
  return JSON.stringify({
    order: {
      id: Number(order.id),
      status: order.status,
      status_detail: null,
      date_created: created,
      date_closed: order.status === 'pending' ? null : created,
      last_updated: changed,
      order_items: order.items.map((item) => ({
        item: {
          id: item.id,
          title: item.title,
          category_id: `MLM${digits(ofOrder, 5)}`,
          variation_id: digits(ofOrder, 11),
          variation_attributes: [],
          warranty: 'Garantía del vendedor: 30 días',
          condition: 'new',
          seller_sku: item.sku,
        },
        quantity: 1,
        unit_price: Number(item.unitPrice),
        full_unit_price: Number(item.unitPrice),
        currency_id: 'MXN',
        manufacturing_days: null,
        sale_fee: digits(ofOrder, 4) / 100,
        listing_type_id: 'gold_pro',
      })),
      total_amount: Number(order.total),
      payments: [
        {
          id: digits(ofOrder, 11),
          payer_id: digits(ofOrder, 9),
          payment_method_id: 'account_money',
          operation_type: 'regular_payment',
          status: order.status === 'pending' ? 'in_process' : 'approved',
          status_detail: 'accredited',
          transaction_amount: Number(order.total),
          taxes_amount: 0,
          date_approved: created,
          date_last_modified: changed,
        },
      ],
      buyer: {
        id: digits(ofOrder, 9),
        nickname: `COMPRADOR${digits(ofOrder, 8)}`,
        first_name: order.buyerName,
      },
      tags: order.tags,
    },
    shipment: {
      id: digits(ofOrder, 11),
      status: order.status,
      substatus: null,
      tracking_number: String(digits(ofOrder, 11)),
      tracking_method: 'MELI Logistics',
      logistic: { mode: 'me2', type: 'cross_docking', direction: 'forward' },
      origin: { type: 'selling_address', sender_id: 468_424_240 },
      destination: { type: 'buying_address', receiver_id: digits(ofOrder, 9) },
      lead_time: { buffering: null, estimated: changed, cost: digits(ofChange, 4) / 100 },
      last_updated: changed,
      revision: digits(ofChange, 12),
      date_created: created,
    },
  });
}

async function recorder(instance: App, clock: Clock): Promise<(order: Order) => Promise<void>> {
  const { database, exchange } = instance;
  const { id } = await database.write((handle) =>
    createOrganization(handle, clock, { name: 'La que guarda', plan: 'experto' }),
  );
  const organization = database.within(id);
  const listeners = [...exchange.orderListeners, exchange.announce];
  return async (order) => {
    const { changed } = await organization.write((scope) =>
      recordOrders(scope, [order], listeners),
    );
    if (changed !== 1) throw new Error(`${order.id} ${order.status} was no change`);
  };
}

async function emptyDatabase({ set }: Stand): Promise<string> {
  const url = new URL(set.url);
  url.pathname = '/postgres';
  await at(url.href, async (client) => {
    await client.query(`drop database if exists ${DATABASE} with (force)`);
    await client.query(`create database ${DATABASE}`);
  });
  url.pathname = `/${DATABASE}`;
  return url.href;
}

/** Its schedule is stopped: it has no other load. */
function openOwnInstance(url: string, masterKey: string, clock: Clock): Promise<App> {
  const environment = { DATABASE_URL: url, MASTER_KEY: masterKey, PORT: '0' };
  return openApp(readConfig(environment), { clock, log: createLog('silent'), random: Math.random });
}

/** Of each table, with its indexes. */
async function sizesOf(client: pg.Client): Promise<Sizes> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

function finding(before: Sizes, after: Sizes, letters: number): Finding {
  const orders = ORDERS_A_DAY * MEASURED_DAYS;
  const grown = [...after]
    .map(([name, bytes]) => ({
      name,
      bytes: Math.round((bytes - (before.get(name) ?? 0)) / orders),
    }))
    .filter(({ bytes }) => bytes > 0)
    .sort((one, other) => other.bytes - one.bytes);
  const total = grown.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    row: 'P15',
    what: `bytes that an order of ${STATES.length} states leaves, of ${Math.round(letters / orders)} received`,
    figure: `${total} (${grown.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')})`,
    ratios: [total / 1000],
    bar: `≤ ${MOST_BYTES / 1000} kB`,
    passes: total <= MOST_BYTES,
    limit:
      'Tables with their indexes, grown over days in which the retentions remove as much as is added.',
  };
}
