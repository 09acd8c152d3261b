import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readInput } from '../src/entrances/inputs.ts';
import {
  DOCUMENT_FILTERS,
  type DocumentQuery,
  listCfdiDocuments,
} from '../src/features/cfdi/index.ts';
import { listStock, STOCK_FILTERS, type StockQuery } from '../src/features/inventory/index.ts';
import { listOrders, ORDER_FILTERS, type OrderFilters } from '../src/features/orders/index.ts';
import {
  listShipments,
  SHIPMENT_FILTERS,
  type ShipmentQuery,
} from '../src/features/shipments/index.ts';
import { type CursorMaker, cursorMaker } from '../src/platform/cursor.ts';
import type { ReadScope } from '../src/platform/db/database.ts';
import { inputOf, publicName } from '../src/platform/input-fields.ts';
import { openApp, type TestApp } from './support/app.ts';
import { type Plan, planOfFunction, plansOf } from './support/plan.ts';
import { atDatabase, freshDatabase } from './support/server.ts';

// What a page of a list costs among many rows. Nearly all rows are alike, as in a shop with one
// marketplace, one issuer and nothing but delivered parcels: that is where a plan takes the wrong
// index for a rare value. Also runs on served PostgreSQL and Redis.

const ROWS = 20_000;
/**
 * A walk for each marketplace and warehouse, or type, status and side of an RFC, gives a page each
 * at most.
 */
const MOST_READ = 40 * 21;

const STOCK = { sku: null, query: null, marketplace: [], warehouse: null, maxAvailable: null };
const CFDIS = {
  from: null,
  to: null,
  type: null,
  direction: null,
  status: null,
  uuid: null,
  orderId: null,
  rfc: null,
};
const SHIPMENTS = {
  carrier: null,
  category: [],
  trackingNumber: null,
  orderId: null,
  from: null,
  to: null,
  withEvents: false,
};

const ORDERS = { list: 'rest' as const, ...readInput('parameter', inputOf(ORDER_FILTERS), {}) };

/** When the clock of tests begins. */
const NOW = Temporal.Instant.from('2026-11-16T18:00:00Z');
const MONTH_AGO = NOW.subtract({ hours: 24 * 30 });

const ONE_FILTER_OR_SEVERAL: readonly Partial<OrderFilters>[] = [
  {},
  { from: MONTH_AGO, to: NOW },
  { status: ['delivered'] },
  { status: ['cancelled'] },
  { status: ['delivered', 'cancelled'] },
  { marketplace: ['mercado_libre'] },
  { marketplace: ['walmart'] },
  { accountId: ['A'] },
  { accountId: ['B'] },
  { accountId: ['A', 'B', 'nadie'] },
  { marketplace: ['mercado_libre'], status: ['paid'] },
  {
    marketplace: ['mercado_libre'],
    status: ['cancelled', 'delivered'],
  },
  {
    marketplace: ['mercado_libre', 'walmart', 'amazon'],
    status: ['paid', 'cancelled'],
    accountId: ['A', 'B'],
  },
];

const ORDER_CASES = ONE_FILTER_OR_SEVERAL.flatMap((given) =>
  [{}, { from: MONTH_AGO, to: NOW }, { updatedSince: MONTH_AGO }].map((also) => ({
    ...given,
    ...also,
  })),
);

const STOCK_CASES: readonly Partial<StockQuery>[] = [
  {},
  { maxAvailable: 5 },
  { warehouse: 'marketplace' },
  { marketplace: ['walmart'] },
  { marketplace: ['walmart', 'mercado_libre'], maxAvailable: 5 },
  { marketplace: ['amazon'], warehouse: 'marketplace', maxAvailable: 0 },
  { sku: 'SKU-77' },
  { sku: 'SKU-77', maxAvailable: 5 },
  { sku: 'no hay' },
  { query: 'taza', sku: 'SKU-77' },
];

const DOCUMENT_CASES: readonly Partial<DocumentQuery>[] = [
  {},
  { from: MONTH_AGO, to: NOW },
  { type: 'ingreso' },
  { type: 'pago' },
  { status: 'cancelado' },
  { type: 'egreso', status: 'cancelado', from: MONTH_AGO },
  { rfc: 'AAA010101AAA' },
  { rfc: 'AAA010101AAA', type: 'pago' },
  { rfc: 'RARO010101AAA' },
  { rfc: 'NADIE' },
  { uuid: 'UUID-77' },
  { uuid: 'UUID-78' },
  { orderId: 'O77' },
  { orderId: 'O78' },
  { direction: 'received' },
  { orderId: 'O78', type: 'ingreso', rfc: 'AAA010101AAA' },
];

const SHIPMENT_CASES: readonly Partial<ShipmentQuery>[] = [
  {},
  { from: MONTH_AGO, to: NOW },
  { carrier: 'zipnova' },
  { carrier: 'paquetexpress' },
  { category: ['ENTREGADO'] },
  { category: ['INCIDENCIA'] },
  { carrier: 'zipnova', category: ['INCIDENCIA', 'DEVOLUCION'], from: MONTH_AGO },
  { trackingNumber: 'R77' },
  { trackingNumber: 'G77', orderId: 'O77' },
  { orderId: 'O77', category: ['ENTREGADO'] },
  { orderId: 'no hay' },
];

/** Of each list what it can be filtered by, and the filters that its test tries. */
const LISTS = {
  orders: [ORDER_FILTERS, ORDER_CASES],
  stock: [STOCK_FILTERS, STOCK_CASES],
  documents: [DOCUMENT_FILTERS, DOCUMENT_CASES],
  shipments: [SHIPMENT_FILTERS, SHIPMENT_CASES],
} as const;

test('every filter of these lists has a case here', () => {
  const faults = Object.entries(LISTS).flatMap(([list, [filters, cases]]) => {
    const tried = new Set(cases.flatMap((given) => Object.keys(given).map(publicName)));
    return Object.keys(filters)
      .filter((name) => !tried.has(name))
      .map((name) => `no case filters ${list} by ${name}: add one for a rare value`);
  });
  assert.deepEqual(faults, []);
});

for (const isAnalysed of [true, false]) {
  const statistics = isAnalysed ? 'with statistics' : 'before there are statistics';

  test(`a page of orders costs the same at any depth and by any filter, however rare, ${statistics}`, {
    tags: ['slow'],
  }, async () => {
    const instance = await manyRows(isAnalysed);
    const plans = (given: Partial<Parameters<typeof listOrders>[2]>) =>
      deepPlans(instance, (scope, cursors, cursor, limit) =>
        listOrders(scope, cursors, { ...ORDERS, ...given, limit, cursor }, null),
      );

    for (const given of ORDER_CASES) assertCheap(await plans(given), given);
  });

  test(`a page of stock costs the same at any depth and by any filter, words included, ${statistics}`, {
    tags: ['slow'],
  }, async () => {
    const instance = await manyRows(isAnalysed);
    const plans = (given: Partial<Parameters<typeof listStock>[2]>) =>
      deepPlans(instance, (scope, cursors, cursor, limit) =>
        listStock(scope, cursors, { ...STOCK, ...given, limit, cursor }),
      );

    for (const given of STOCK_CASES) assertCheap(await plans(given), given);
    for (const [words, most] of [
      ['no hay', MOST_READ],
      ['777', MOST_READ],
      ['ku-77', MOST_READ],
      ['taza', ROWS / 2],
    ] as const) {
      const within = instance.app.database.within(instance.organization.id);
      const values = [instance.organization.id, `%${words}%`, ROWS];
      const plan = await planOfFunction(within, 'stock_levels_with', values);
      // Before there are statistics, another index may look as good for so few.
      assert.ok(plan.read <= (isAnalysed ? most : ROWS / 2), `${words} ${JSON.stringify(plan)}`);
      if (isAnalysed) assert.deepEqual(plan.by, ['stock_levels_by_words']);
    }
    const [short] = await plans({ query: 'zz' });
    assert.ok(short && short.read <= ROWS && !short.by.some(isWhole), JSON.stringify(short));
  });

  test(`a page of documents costs the same at any depth and by any filter, however rare, ${statistics}`, {
    tags: ['slow'],
  }, async () => {
    const instance = await manyRows(isAnalysed);

    for (const given of DOCUMENT_CASES)
      assertCheap(
        await deepPlans(instance, (scope, cursors, cursor, limit) =>
          listCfdiDocuments(scope, cursors, { ...CFDIS, ...given, limit, cursor }),
        ),
        given,
      );
  });
}

test('words that very many levels have are walked to, and each level is met once', {
  tags: ['slow'],
}, async (t) => {
  const { app: instance, organization } = await filled(t, true, 51_000, [FILL_STOCK]);
  const cursors = cursorMaker(instance.exchange.keyring);
  const within = instance.database.within(organization.id);
  const page = (scope: ReadScope, query: string | null, cursor: string | null) =>
    listStock(scope, cursors, { ...STOCK, query, limit: 10_000, cursor });
  const walk = async (query: string | null) => {
    const met: string[] = [];
    for (let cursor: string | null = null; met.length < 40_000; ) {
      const { levels, nextCursor }: Awaited<ReturnType<typeof page>> = await within.read((scope) =>
        page(scope, query, cursor),
      );
      met.push(...levels.map(({ marketplace, itemId }) => `${marketplace} ${itemId}`));
      cursor = nextCursor;
      if (cursor === null) break;
    }
    return met;
  };
  await instance.database.write((handle) =>
    handle.sql('update stock_levels set gone_at = null', []),
  );

  const [found, all] = [await walk('TAZA'), await walk(null)];
  const plans = await plansOf(within, (scope) =>
    listStock(scope, cursors, { ...STOCK, query: 'taza', limit: 20, cursor: null }),
  );

  assert.equal(new Set(found).size, 40_000);
  assert.deepEqual(found, all);
  assertCheap(plans, { query: 'taza' });
});

test('a page of shipments costs the same at any depth and by any filter, however rare', {
  tags: ['slow'],
}, async () => {
  const instance = await manyRows(true);

  for (const given of SHIPMENT_CASES)
    assertCheap(
      await deepPlans(instance, (scope, cursors, cursor, limit) =>
        listShipments(scope, cursors, { ...SHIPMENTS, ...given, limit, cursor }),
      ),
      given,
    );
});

// Arrangement

type Verb = (
  scope: ReadScope,
  cursors: CursorMaker,
  cursor: string | null,
  limit: number,
) => Promise<{ nextCursor: string | null }>;

/** The plans of the first page, and of one after 10,000 rows where there is one. */
async function deepPlans({ app: instance, organization }: TestApp, verb: Verb): Promise<Plan[]> {
  const cursors = cursorMaker(instance.exchange.keyring);
  const within = instance.database.within(organization.id);
  const { nextCursor } = await within.read((scope) => verb(scope, cursors, null, ROWS / 2));
  const plans = await plansOf(within, (scope) => verb(scope, cursors, null, 20));
  if (nextCursor === null) return plans;
  return [...plans, ...(await plansOf(within, (scope) => verb(scope, cursors, nextCursor, 20)))];
}

function assertCheap(plans: readonly Plan[], given: object): void {
  assert.ok(plans.length > 0);
  for (const plan of plans) {
    const reported = `${JSON.stringify(given)} ${JSON.stringify(plan)}`;
    assert.ok(plan.read <= MOST_READ, reported);
    assert.ok(!plan.by.some(isWhole), reported);
  }
}

function isWhole(index: string): boolean {
  return index.startsWith('all of ');
}

const filledOnce = new Map<boolean, Promise<TestApp>>();
const closers: (() => unknown)[] = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** One for all tests that only read. */
function manyRows(isAnalysed: boolean): Promise<TestApp> {
  const instance =
    filledOnce.get(isAnalysed) ??
    filled({ after: (close) => void closers.push(close as () => unknown) }, isAnalysed);
  filledOnce.set(isAnalysed, instance);
  return instance;
}

/**
 * An instance with many rows of each kind, on a database of its own: after its first hours, or in its
 * first minute.
 */
async function filled(
  t: Parameters<typeof openApp>[0],
  isAnalysed: boolean,
  rows = ROWS,
  fill = [
    ...[FILL_ORDERS, FILL_CLOCK, FILL_STOCK, FILL_SHIPMENTS],
    ...[FILL_DOCUMENTS, FILL_CFDIS, FILL_LINKS, FILL_CFDI_LINKS],
  ],
): Promise<TestApp> {
  const database = await freshDatabase();
  const instance = await openApp(t, { database });
  await atDatabase(database, async (client) => {
    const values = [instance.organization.id, rows];
    for (const text of fill) await client.query(text, values);
    if (isAnalysed) await client.query('analyze');
  });
  return instance;
}

/** In the minutes before the clock of tests begins. */
const FILL_ORDERS = `
  insert into orders (organization_id, marketplace, account_id, id, status, marketplace_status, total, currency,
    date_created, newest_first, last_updated, fetched_at, fingerprint, list_json, detail_json)
  select $1::uuid, marketplace, account_id, n::text, case n when 9 then 'cancelled' else 'delivered' end, '', 1, 'MXN',
    at, -extract(epoch from at) * 1000, at, at, '',
    json_build_object('id', n::text, 'marketplace', marketplace, 'account_id', account_id, 'date_created', at,
      'last_updated', at)::text, '{}'
    from generate_series(1, $2::int) n, lateral (
      select timestamptz '2026-11-16T18:00:00Z' - n * interval '1 minute' as at,
        case n when 7 then 'walmart' else 'mercado_libre' end as marketplace,
        case n when 8 then 'B' else 'A' end as account_id) made`;
const FILL_CLOCK = `
  insert into delta_clocks (organization_id, stamp)
  select $1::uuid, '2026-11-16T18:00:00Z' where $2::int > 0`;
const FILL_STOCK = `
  insert into stock_levels (organization_id, connection_id, marketplace, account_id, item_id, warehouse, sku, title,
    search_text, available, unavailable, updated_at, seen_at, gone_at)
  select $1::uuid, $1::uuid, case n when 7 then 'walmart' else 'mercado_libre' end, 'A', md5(n::text), 'seller', 'SKU-' || n,
    'Taza', 'sku-' || n || ' taza', 0, 0, now(), now(), case when n % 2 = 0 then now() end
    from generate_series(1, $2::int) n`;
const FILL_DOCUMENTS = `
  insert into invoice_documents (organization_id, connection_id, marketplace, account_id, id, uuid, issued_at,
    recorded_at, first_seen_at, read_at)
  select $1::uuid, $1::uuid, 'mercado_libre', 'A', n::text, 'UUID-' || n, now() - n * interval '1 minute', now(), now(),
    case when n % 2 = 0 then now() end
    from generate_series(1, $2::int) n`;
const FILL_CFDIS = `
  insert into cfdis (organization_id, uuid, kind, type, direction, status, issuer_rfc, receiver_rfc, total, currency,
    issued_at, source, recorded_at, record_box, xml_box)
  select $1::uuid, 'UUID-' || n, 'cfdi', 'ingreso', 'issued', 'vigente', 'AAA010101AAA', 'XAXX010101000', 1, 'MXN',
    now() - n * interval '1 minute', 'mercado_libre', now(), '', ''
    from generate_series(2, $2::int, 2) n`;
const FILL_LINKS = `
  insert into invoice_orders (organization_id, marketplace, account_id, order_id, document_id)
  select $1::uuid, 'mercado_libre', 'A', 'O' || n, n::text from generate_series(1, $2::int) n`;
const FILL_CFDI_LINKS = `
  insert into cfdi_orders (organization_id, uuid, marketplace, account_id, order_id, origin, state, linked_at, told_at)
  select $1::uuid, 'UUID-' || n, 'mercado_libre', 'A', 'O' || n, 'marketplace', 'linked', now(), now()
    from generate_series(2, $2::int, 2) n`;
const FILL_SHIPMENTS = `
  insert into shipments (organization_id, connection_id, carrier, account_id, id, tracking_number, guide_number, category,
    carrier_status, is_final, is_damaged, currency, created_at, packages, relations, order_marketplace,
    order_account_id, order_id, fetched_at, recorded_at, updated_at, fingerprint, raw)
  select $1::uuid, $1::uuid, 'zipnova', '77', n::text, 'R' || n, 'G' || n, 'ENTREGADO', 'delivered', true, false, 'MXN',
    now() - n * interval '1 minute', '[]', '[]', 'mercado_libre', 'A', 'O' || n, now(), now(), now(), '', '{}'
    from generate_series(1, $2::int) n`;
