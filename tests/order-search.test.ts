import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { readInput } from '../src/entrances/inputs.ts';
import {
  indexOlderOrders,
  ORDER_FILTERS,
  organizationsToIndex,
  SEARCH_FILTERS,
  searchOrders,
} from '../src/features/orders/index.ts';
import { termOf } from '../src/features/orders/search/term.ts';
import { type CursorMaker, cursorMaker } from '../src/platform/cursor.ts';
import type { ReadScope } from '../src/platform/db/database.ts';
import { MIGRATIONS } from '../src/platform/db/migrations/index.ts';
import { inputOf } from '../src/platform/input-fields.ts';
import { decimal } from '../src/platform/money.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { plansOf } from './support/plan.ts';
import { atDatabase, freshDatabase } from './support/server.ts';

// One order is found by what its seller has at hand: its id, a tracking number, a SKU, a name, a
// product, an amount, the marketplace's words; and by nothing of another organisation.

let instance: TestApp;
let cursors: CursorMaker;

const [LINE] = anOrder().items;
const lined = (given: object) => [{ ...LINE, ...given }] as ReturnType<typeof anOrder>['items'];
const bought = (minute: number) =>
  Temporal.Instant.from('2026-11-15T12:00:00Z').add({ minutes: minute });
const SHIPPED = {
  carrier: 'Estafeta',
  trackingNumber: 'MX-7788',
  method: null,
  status: null,
  shippedAt: null,
  deliveredAt: null,
};

before(async () => {
  instance = await openApp(WHOLE_FILE);
  cursors = cursorMaker(instance.app.exchange.keyring);
  await instance.record([
    anOrder({ id: 'A-1', dateCreated: bought(1), total: decimal('1279.90') }),
    anOrder({
      id: 'A-2',
      dateCreated: bought(2),
      status: 'shipped',
      buyerName: 'Ángeles Núñez',
      items: lined({ sku: 'PLAYERA-M', title: 'Playera Negra Algodón 100%' }),
      shipping: SHIPPED,
      fulfillmentStatus: 'shipped',
    }),
    anOrder({
      id: 'a-1',
      dateCreated: bought(3),
      marketplace: 'walmart',
      paymentStatus: 'pending',
      buyerName: null,
      items: lined({ sku: 'playera_x', title: 'Gorra' }),
      packId: 'PACK-9',
    }),
  ]);
});

const { updated_since: _, ...FILTERS } = ORDER_FILTERS;
const NONE = readInput('parameter', inputOf({ ...FILTERS, ...SEARCH_FILTERS }), {});
type Given = Partial<Parameters<typeof searchOrders>[2]>;

async function page(given: Given, organizationId = instance.organization.id, at = instance) {
  const found = await at.app.database
    .within(organizationId)
    .read((scope) =>
      searchOrders(scope, cursors, { ...NONE, limit: 50, cursor: null, ...given }, null),
    );
  return { ...found, ids: (JSON.parse(found.json) as { id: string }[]).map(({ id }) => id) };
}

for (const [search, ids] of [
  ['A-1', ['A-1']],
  ['a-1', ['a-1']],
  [' A-2 ', ['A-2']],
  ['mx-77', ['A-2']],
  ['MX-7788', ['A-2']],
  ['playera', ['a-1', 'A-2']],
  ['negra play', ['A-2']],
  ['algodon', ['A-2']],
  ['100%', ['A-2']],
  ['playera_', ['a-1']],
  ['ANGELES', ['A-2']],
  ['Angeles Nuñez', ['A-2']],
  ['lucía', ['A-1']],
  ['$1,279.90 MXN', ['A-1']],
  ['1279.9', ['A-1']],
  ['259.9', ['a-1', 'A-2']],
  ['pack-9', ['a-1']],
  ['%', []],
  ['no hay', []],
] as const)
  test(`«${search}» finds ${ids.join(' and ') || 'nothing'}`, async () => {
    assert.deepEqual((await page({ search })).ids, ids);
  });

test('words of payment and fulfilment find their orders, alone and with a text', async () => {
  assert.deepEqual((await page({ paymentStatus: ['approved'] })).ids, ['A-2', 'A-1']);
  assert.deepEqual((await page({ paymentStatus: ['approved', 'pending'] })).ids, [
    'a-1',
    'A-2',
    'A-1',
  ]);
  assert.deepEqual((await page({ fulfillmentStatus: ['shipped'] })).ids, ['A-2']);
  assert.deepEqual(
    (await page({ paymentStatus: ['pending'], fulfillmentStatus: ['shipped'] })).ids,
    [],
  );
  assert.deepEqual((await page({ search: 'playera', paymentStatus: ['approved'] })).ids, ['A-2']);
});

test('the filters of the list narrow a search', async () => {
  const search = 'playera';
  assert.deepEqual((await page({ search, marketplace: ['walmart'] })).ids, ['a-1']);
  assert.deepEqual((await page({ search, status: ['shipped'] })).ids, ['A-2']);
  assert.deepEqual((await page({ search, from: bought(3) })).ids, ['a-1']);
  assert.deepEqual((await page({ search, to: bought(2) })).ids, ['A-2']);
  assert.deepEqual((await page({ search, accountId: ['otra'] })).ids, []);
});

test('a search is walked page by page, and its cursor belongs to it', async () => {
  const first = await page({ search: 'playera', limit: 1 });
  assert.deepEqual(first.ids, ['a-1']);
  assert.ok(first.nextCursor);
  const second = await page({ search: 'playera', limit: 1, cursor: first.nextCursor });
  assert.deepEqual([second.ids, second.nextCursor], [['A-2'], null]);
  await assert.rejects(page({ search: 'gorra', cursor: first.nextCursor }), /cursor/);
});

test('an order is found as it is now, and not as it was', async () => {
  const order = anOrder({ id: 'B-1', buyerName: 'Zoila Paz', dateCreated: bought(9) });
  await instance.record([order]);
  assert.deepEqual((await page({ search: 'zoila' })).ids, ['B-1']);
  const changedAt = order.changedAt?.add({ hours: 1 }) ?? null;
  await instance.record([
    { ...order, changedAt, buyerName: 'Yolanda Paz', dateCreated: bought(10) },
  ]);
  assert.deepEqual((await page({ search: 'zoila' })).ids, []);
  assert.deepEqual((await page({ search: 'yolanda' })).ids, ['B-1']);
});

test('orders of one millisecond are walked one by one, and each filter still holds', async () => {
  const { organization } = await instance.tenant();
  const at = bought(20);
  const orders = Array.from({ length: 30 }, (_, index) =>
    anOrder({
      id: `M-${index}`,
      buyerName: 'Mirta Sol',
      dateCreated: at,
      accountId: `C-${index % 3}`,
      marketplace: index % 2 === 0 ? 'coppel' : 'walmart',
    }),
  );
  await instance.record(orders, organization.id);
  const walked = async (given: Given) => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const next = await page({ search: 'mirta', limit: 4, ...given, cursor }, organization.id);
      ids.push(...next.ids);
      cursor = next.nextCursor;
    } while (cursor);
    return ids.sort();
  };
  const idsOf = (some: typeof orders) => some.map(({ id }) => id).sort();
  assert.deepEqual(await walked({}), idsOf(orders));
  assert.deepEqual(
    await walked({ marketplace: ['coppel'], accountId: ['C-1', 'C-2'] }),
    idsOf(orders.filter((o) => o.marketplace === 'coppel' && o.accountId !== 'C-0')),
  );
});

test('orders of another organisation are not found', async () => {
  const { organization } = await instance.tenant();
  await instance.record([anOrder({ id: 'T-1', buyerName: 'Xóchitl Luna' })], organization.id);
  assert.deepEqual((await page({ search: 'xochitl' })).ids, []);
  assert.deepEqual((await page({ search: 'T-1' })).ids, []);
  assert.deepEqual((await page({ search: 'xochitl' }, organization.id)).ids, ['T-1']);
});

test('orders that are older than their terms get them from the housekeeping', async () => {
  const { organization } = await instance.tenant();
  const { database } = instance.app;
  const orders = ['O-1', 'O-2', 'O-3'].map((id) => anOrder({ id, buyerName: 'Ulises Rey' }));
  await instance.record(orders, organization.id);
  const within = database.within(organization.id);
  await within.write(async (scope) => {
    await scope.rows(scope.remove('search_terms'));
    const none = { marketplace: '', account_id: '', id: '' };
    await scope.rows(scope.insert('order_term_builds', [none]));
  });
  const during = await page({ search: 'ulises' }, organization.id);
  assert.deepEqual([during.ids, during.isComplete], [[], false]);
  assert.deepEqual(await database.read(organizationsToIndex), [organization.id]);
  assert.equal(await within.write((scope) => indexOlderOrders(scope, 2)), 2);
  assert.equal(await within.write((scope) => indexOlderOrders(scope, 2)), 1);
  // All have them; once more, for what a former release wrote meanwhile.
  assert.equal((await page({ search: 'ulises' }, organization.id)).isComplete, true);
  await within.write((scope) => scope.rows(scope.remove('search_terms')));
  while ((await database.read(organizationsToIndex)).length > 0)
    await within.write((scope) => indexOlderOrders(scope, 2));
  const afterwards = await page({ search: 'ulises' }, organization.id);
  assert.deepEqual([afterwards.ids.length, afterwards.isComplete], [3, true]);
});

test('an update to requested cancellations finds those of stored orders, and reads no other shop', async () => {
  const { database } = instance.app;
  const [asked, none] = [await instance.tenant(), await instance.tenant()];
  const tags = ['cancellation_requested' as const];
  const of = (id: string, tag = tags) => anOrder({ id, marketplace: 'vtex', tags: tag });
  await instance.record([of('V-1'), of('V-2', [])], asked.organization.id);
  await instance.record([anOrder({ id: 'N-1' })], none.organization.id);
  const within = database.within(asked.organization.id);
  const found = async () =>
    (await page({ tag: ['cancellation_requested'] }, asked.organization.id)).ids;
  // As the former release stored it.
  await within.write((scope) =>
    scope.rows(
      scope.remove('search_terms').where('term', '=', termOf('tag', 'cancellation_requested')),
    ),
  );
  assert.deepEqual(await found(), []);

  const update = MIGRATIONS.find(({ name }) => name === '0091-requested-cancellations');
  assert.ok(update && 'sql' in update);
  await database.write((handle) => handle.sql(update.sql, []));

  assert.deepEqual(await database.read(organizationsToIndex), [asked.organization.id]);
  while ((await database.read(organizationsToIndex)).length > 0)
    await within.write((scope) => indexOlderOrders(scope, 100));
  assert.deepEqual(await found(), ['V-1']);
});

test('a page of a search reads as little among many orders', { tags: ['slow'] }, async (t) => {
  const ROWS = 30_000;
  const database = await freshDatabase();
  const many = await openApp(t, { database });
  await atDatabase(database, async (client) => {
    for (const text of [FILL_ORDERS, FILL_TERMS, FILL_TITLES])
      await client.query(text, [many.organization.id, ROWS]);
    await client.query('analyze');
  });
  const own = cursorMaker(many.app.exchange.keyring);
  const within = many.app.database.within(many.organization.id);
  const read = (given: Given, cursor: string | null) => (scope: ReadScope) =>
    searchOrders(scope, own, { ...NONE, limit: 20, ...given, cursor }, null);
  for (const given of [
    { search: 'juan' },
    { search: 'taza' },
    { search: '99.5' },
    { search: 'G77' },
    { search: '77' },
    { search: 'nada' },
    { paymentStatus: ['approved'] },
    { tag: ['open_claim' as const] },
    { tag: ['open_claim' as const], status: ['pending' as const] },
    { search: 'juan', tag: ['open_claim' as const] },
    { search: 'juan', status: ['pending' as const] },
    { search: 'juan', paymentStatus: ['approved'], from: bought(0) },
  ]) {
    const { nextCursor } = await within.read(read(given, null));
    for (const cursor of [null, nextCursor]) {
      const plans = await plansOf(within, read(given, cursor));
      const rows = plans.reduce((sum, plan) => sum + plan.read, 0);
      // A text alone reads its page; with a further condition 500 orders at most, and a look-up each.
      assert.ok(rows <= 2_200, `${JSON.stringify(given)}: ${JSON.stringify(plans)}`);
      assert.ok(!plans.some(({ by }) => by.some((name) => name.startsWith('all of order'))));
    }
  }
});

const FILL_ORDERS = `
  insert into orders (organization_id, marketplace, account_id, id, status, marketplace_status, total, currency,
    date_created, newest_first, last_updated, fetched_at, fingerprint, list_json, detail_json)
  select $1::uuid, 'walmart', 'A', n::text, 'paid', 'paid', 99.5, 'MXN', now(), n, now() + n * interval '1 microsecond',
    now(), '', '{}', '{}' from generate_series(1, $2::int) n`;
const FILL_TERMS = `
  insert into search_terms select $1::uuid, term, n, n
    from generate_series(1, $2::int) n, unnest(array['b:juan p.', '${termOf('title', 'taza azul')}', 'a:99.5', 'y:approved', 'o:open_claim', 'g:g' || n]) term`;
const FILL_TITLES = `insert into order_titles select $1::uuid, 'taza azul' where $2::int > 0`;
