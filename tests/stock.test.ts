import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { itemId } from '../simulators/mercado_libre/facts.ts';
import { startMercadoLibre } from '../simulators/mercado_libre/index.ts';
import type { SourceStock } from '../src/connectors/contract.ts';
import { planStreams } from '../src/exchange/connect/plan.ts';
import { runStream } from '../src/exchange/sync/run-stream.ts';
import { applyNotification } from '../src/exchange/webhooks/apply-notification.ts';
import { connectionById } from '../src/features/connections/index.ts';
import {
  listStock,
  markGone,
  recordStock,
  type StockQuery,
  stockHistory,
} from '../src/features/inventory/index.ts';
import { cursorMaker } from '../src/platform/cursor.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openApp, type TestApp } from './support/app.ts';
import { jobsDone } from './support/market.ts';
import { level } from './support/read-rows.ts';
import { freshDatabase } from './support/server.ts';

// Also runs on served PostgreSQL and Redis.

const shared = await openApp(WHOLE_FILE);

const SOURCE = {
  marketplace: 'shopify',
  accountId: 'tienda.myshopify.com',
  connectionId: '019a0000-0000-7000-8000-000000000001',
} as const;

// How it moves

test('the history of a level has a row only where its quantities changed', async () => {
  const instance = await shared.another();
  const taza = level('TAZA', { available: 5 });
  await record(instance, [taza]);

  instance.clock.advance({ hours: 1 });
  const again = await record(instance, [taza]);
  instance.clock.advance({ hours: 1 });
  const renamed = await record(instance, [{ ...taza, title: 'Taza azul' }]);
  instance.clock.advance({ hours: 1 });
  const sold = await record(instance, [{ ...taza, title: 'Taza azul', available: 4 }]);

  assert.deepEqual([again, renamed, sold], [0, 1, 1]);
  assert.deepEqual(await movements(instance, 'TAZA'), [
    [4, false],
    [5, false],
  ]);
});

test('movements are kept for 400 days, and the newest of each level as long as it exists', async (t) => {
  const instance = await openApp(t, { database: await freshDatabase() });
  await record(instance, [level('TAZA', { available: 5 }), level('VASO', { available: 9 })]);
  instance.clock.advance({ hours: 24 });
  await record(instance, [level('TAZA', { available: 4 })]);
  instance.clock.advance({ hours: 24 * 398 });
  await record(instance, [level('TAZA', { available: 3 })]);

  await keepInstance(instance);
  const before = await movements(instance, 'TAZA');
  instance.clock.advance({ hours: 25 });
  await keepInstance(instance);

  assert.deepEqual(
    before.map(([available]) => available),
    [3, 4, 5],
  );
  assert.deepEqual(
    (await movements(instance, 'TAZA')).map(([available]) => available),
    [3, 4],
  );
  assert.deepEqual(await movements(instance, 'VASO'), [[9, false]]);
});

/** What the instance does for itself every hour. */
async function keepInstance(instance: TestApp): Promise<void> {
  await instance.app.worker?.tick();
  await jobsDone(instance);
}

test('stock without limit is null and neither 0 nor scarce', async () => {
  const instance = await shared.another();

  await record(instance, [level('CURSO', { available: null }), level('TAZA', { available: 0 })]);

  assert.deepEqual(await found(instance), ['CURSO:null', 'TAZA:0']);
  assert.deepEqual(await found(instance, { maxAvailable: 100 }), ['TAZA:0']);
});

test('each change is sent to customers, but not during a first import', async () => {
  const instance = await shared.another();
  await record(instance, [level('TAZA', { available: 5 })], { announce: false });

  await record(instance, [level('TAZA', { available: 3 }), level('VASO', { available: 9 })]);

  const events = await eventsOf(instance);
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.sku, data.available]),
    [
      ['inventory.updated', 'TAZA', 3],
      ['inventory.updated', 'VASO', 9],
    ],
  );
  const names = [
    'marketplace',
    'account_id',
    'item_id',
    'variation_id',
    'warehouse',
    'sku',
    'title',
  ];
  assert.deepEqual(Object.keys(events[0]?.data), [
    ...names,
    'available',
    'unavailable',
    'updated_at',
    'gone_at',
  ]);
});

test('a level that two whole sync runs in a row do not show is gone, and one alone proves nothing', async () => {
  const instance = await shared.another();
  await record(instance, [level('TAZA', { available: 5 }), level('VASO', { available: 7 })]);

  const first = await syncRun(instance, [level('TAZA', { available: 5 })]);
  const afterOne = await found(instance);
  const second = await syncRun(instance, [level('TAZA', { available: 5 })]);

  assert.deepEqual([first, second], [0, 1]);
  assert.deepEqual([afterOne, await found(instance)], [['TAZA:5', 'VASO:7'], ['TAZA:5']]);
  assert.deepEqual(await movements(instance, 'VASO'), [
    [0, true],
    [7, false],
  ]);
  const reported = (await eventsOf(instance)).filter(({ data }) => data.gone_at !== null);
  assert.deepEqual(
    reported.map(({ data }) => [data.sku, data.available]),
    [['VASO', 0]],
  );
});

test('a level that was missing once and is back is not gone', async () => {
  const instance = await shared.another();
  const both = [level('TAZA', { available: 5 }), level('VASO', { available: 7 })];
  await record(instance, both);

  await syncRun(instance, [level('TAZA', { available: 5 })]);
  await syncRun(instance, both);
  await syncRun(instance, [level('TAZA', { available: 5 })]);

  assert.deepEqual(await found(instance), ['TAZA:5', 'VASO:7']);
});

test('what was gone and comes back counts again', async () => {
  const instance = await shared.another();
  await record(instance, [level('VASO', { available: 7 })]);
  await syncRun(instance, []);
  await syncRun(instance, []);
  assert.deepEqual(await found(instance), []);

  await syncRun(instance, [level('VASO', { available: 7 })]);

  assert.deepEqual(await found(instance), ['VASO:7']);
  assert.deepEqual(await movements(instance, 'VASO'), [
    [7, false],
    [0, true],
    [7, false],
  ]);
});

test('other accounts and what another one of them sells are not touched', async () => {
  const instance = await shared.another();
  const other = {
    ...SOURCE,
    accountId: 'otra',
    connectionId: '019a0000-0000-7000-8000-000000000002',
  };
  await write(instance, (scope) =>
    recordStock(scope, other, [level('PLATO')], { seenAt: instance.clock.now(), announce: true }),
  );
  await record(instance, [level('TAZA')]);

  await syncRun(instance, []);
  await syncRun(instance, []);

  assert.deepEqual(await found(instance), ['PLATO:1']);
});

// How it is found

test('stock is found by SKU, by words without accents, by marketplace, warehouse and what is left', async () => {
  const instance = await shared.another();
  await record(instance, [
    level('LAMP-1', { title: 'Lámpara de escritorio', available: 3 }),
    level('LAMP-2', { title: 'Lámpara de pie', available: 0, warehouse: 'marketplace' }),
    level('CAFE_1', { title: 'Café 100 % arábica', available: 12 }),
  ]);

  assert.deepEqual(await found(instance, { sku: 'LAMP-1' }), ['LAMP-1:3']);
  assert.deepEqual(await found(instance, { query: 'LAMPARA DE' }), ['LAMP-1:3', 'LAMP-2:0']);
  assert.deepEqual(await found(instance, { query: '100 %' }), ['CAFE_1:12']);
  assert.deepEqual(await found(instance, { query: 'cafe_' }), ['CAFE_1:12']);
  assert.deepEqual(await found(instance, { query: '___' }), []);
  assert.deepEqual(await found(instance, { warehouse: 'marketplace' }), ['LAMP-2:0']);
  assert.deepEqual(await found(instance, { marketplace: ['amazon'] }), []);
  assert.deepEqual(await found(instance, { maxAvailable: 3 }), ['LAMP-2:0', 'LAMP-1:3']);
});

test('pages of stock hold each level once, in both orders', async () => {
  const instance = await shared.another();
  const levels = Array.from({ length: 25 }, (_, number) =>
    level(`S${number}`, { available: number % 7 }),
  );
  await record(instance, levels);

  for (const query of [{}, { maxAvailable: 6 }]) {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await list(instance, { ...query, limit: 4, cursor });
      seen.push(...page.levels.map(({ sku }) => sku ?? ''));
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(seen.toSorted(), levels.map(({ sku }) => sku).toSorted());
  }
});

test('a cursor of stock belongs to its organisation and to its filters', async () => {
  const instance = await shared.another();
  await record(instance, [level('A'), level('B'), level('C')]);
  const { nextCursor } = await list(instance, { limit: 1, query: 'título' });

  await assert.rejects(list(instance, { cursor: nextCursor, query: 'otro' }), {
    code: 'invalid_cursor',
  });
  const { organization } = await instance.tenant();
  const elsewhere = instance.app.database.within(organization.id);
  await assert.rejects(
    elsewhere.read((scope) =>
      listStock(scope, cursorMaker(instance.app.exchange.keyring), asked({ cursor: nextCursor })),
    ),
    { code: 'invalid_cursor' },
  );
  assert.equal((await list(instance, { cursor: nextCursor, limit: 5 })).levels.length, 2);
});

// By the engine

test('an item that disappears from Mercado Libre is gone after two whole sync runs, and not after one with gaps', async (t) => {
  const { instance, shop, walk } = await openShop(t);
  await walk();
  // Not the first on its page, which the fault hits.
  const product = shop.world.products.filter(({ variants }) => variants.length === 0).at(-1);
  const id = itemId(product?.sku ?? '');
  const isThere = async () =>
    (await found(instance)).some((text) => text.startsWith(`${product?.sku}:`));
  assert.equal(await isThere(), true);

  shop.switches.goneItems.add(id);
  for (let gap = 0; gap < 3; gap++) {
    shop.faults.next({
      kind: 'wrong_type',
      match: /^\/items\?/,
      field: 'body.available_quantity',
      value: 'muchas',
    });
    await walk();
  }
  const afterGaps = await isThere();
  await walk();
  await walk();

  assert.deepEqual([afterGaps, await isThere()], [true, false]);
});

test('a notification about an item moves its level at once', async (t) => {
  const { instance, shop, walk, connectionId } = await openShop(t);
  await walk();
  const [product] = shop.world.products.filter(({ variants }) => variants.length === 0);
  shop.world.pay(shop.world.place({ lines: [{ sku: product?.sku ?? '', quantity: 1 }] }).id);

  const { changed } = await applyNotification(instance.app.exchange, {
    organizationId: instance.organization.id,
    connectionId,
    hint: { stream: 'inventory', id: itemId(product?.sku ?? '') },
  });

  const now = shop.world.stock().get(product?.sku ?? '');
  assert.equal(changed, 1);
  assert.ok((await found(instance)).includes(`${product?.sku}:${now}`));
});

test('a page that was asked for before a notification moved a level leaves that level as it is', async (t) => {
  const { instance, shop, connectionId } = await openShop(t);
  const { exchange, database } = instance.app;
  const [product] = shop.world.products.filter(({ variants }) => variants.length === 0);
  const sku = product?.sku ?? '';
  const hint = { stream: 'inventory', id: itemId(sku) } as const;
  const sellOne = async () => {
    instance.clock.advance({ seconds: 1 });
    shop.world.pay(shop.world.place({ lines: [{ sku, quantity: 1 }] }).id);
    const organizationId = instance.organization.id;
    await applyNotification(exchange, { organizationId, connectionId, hint });
  };
  const pages: typeof exchange.pages = {
    async store(read) {
      if (read.page.items.length > 0 && read.name === 'inventory') await sellOne();
      return exchange.pages.store(read);
    },
  };
  const connection = await database
    .within(instance.organization.id)
    .read((scope) => connectionById(scope, connectionId));
  assert.ok(connection);

  const options = { reconcile: false, ifRunning: 'wait' } as const;
  await runStream({ ...exchange, pages }, connection, 'inventory', options);
  const after = (await found(instance)).find((text) => text.startsWith(`${sku}:`));
  assert.equal(after, `${sku}:${shop.world.stock().get(sku)}`);
});

test('a level of a time to come, as a clock that was ahead left it, is no obstacle', async () => {
  const instance = await shared.another();
  const seenAt = instance.clock.now().add({ hours: 1 });
  await write(instance, (scope) =>
    recordStock(scope, SOURCE, [level('TAZA', { available: 5 })], { seenAt, announce: true }),
  );
  assert.equal(await record(instance, [level('TAZA', { available: 4 })]), 1);
  assert.deepEqual(await found(instance), ['TAZA:4']);
});

test('streams that a marketplace has come to offer are put on the schedule of accounts that are connected already', async (t) => {
  const { instance } = await openShop(t);
  const within = instance.app.database.within(instance.organization.id);
  await within.write((scope) =>
    scope.rows(scope.remove('schedules').where('subject', 'like', '%:balances')),
  );

  const [planned, again] = [
    await planStreams(instance.app.exchange),
    await planStreams(instance.app.exchange),
  ];

  const subjects = await within.read((scope) =>
    scope.rows(scope.select('schedules').select('subject')),
  );
  assert.deepEqual([planned, again], [1, 0]);
  assert.equal(subjects.filter(({ subject }) => subject.endsWith(':balances')).length, 1);
});

// Arrangement

function write<T>(
  { app: instance, organization }: TestApp,
  work: Parameters<ReturnType<typeof instance.database.within>['write']>[0],
) {
  return instance.database.within(organization.id).write(work) as Promise<T>;
}

function record(
  instance: TestApp,
  levels: SourceStock[],
  { announce = true } = {},
): Promise<number> {
  return write(instance, (scope) =>
    recordStock(scope, SOURCE, levels, { seenAt: instance.clock.now(), announce }),
  );
}

/** A whole sync run, half an hour after whatever was before. @returns how many levels went */
async function syncRun(instance: TestApp, levels: SourceStock[]): Promise<number> {
  instance.clock.advance({ minutes: 30 });
  const since = instance.clock.now();
  instance.clock.advance({ seconds: 20 });
  return write(instance, async (scope) => {
    await recordStock(scope, SOURCE, levels, { seenAt: since, announce: true });
    return markGone(scope, SOURCE, since, { announce: true });
  });
}

function asked(query: Partial<StockQuery>): StockQuery {
  return {
    sku: null,
    query: null,
    marketplace: [],
    warehouse: null,
    maxAvailable: null,
    limit: 100,
    cursor: null,
    ...query,
  };
}

function list({ app: instance, organization }: TestApp, query: Partial<StockQuery>) {
  const cursors = cursorMaker(instance.exchange.keyring);
  return instance.database
    .within(organization.id)
    .read((scope) => listStock(scope, cursors, asked(query)));
}

async function found(instance: TestApp, query: Partial<StockQuery> = {}): Promise<string[]> {
  const { levels } = await list(instance, query);
  return levels.map(({ sku, available }) => `${sku}:${available}`);
}

async function movements({ app: instance, organization }: TestApp, sku: string) {
  const { itemId, variationId, warehouse } = level(sku);
  const rows = await instance.database
    .within(organization.id)
    .read((scope) => stockHistory(scope, { ...SOURCE, itemId, variationId, warehouse }, 10));
  return rows.map(({ available, isGone }) => [available, isGone]);
}

async function eventsOf({ app: instance, organization }: TestApp) {
  const rows = await instance.database
    .within(organization.id)
    .read((scope) =>
      scope.rows(
        scope.select('events').select(['type', 'data']).orderBy('created_at').orderBy('id'),
      ),
    );
  return rows
    .map(({ type, data }) => ({ type, data: JSON.parse(data) }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

async function openShop(t: TestContext) {
  const instance = await shared.another();
  const shop = await startMercadoLibre({
    seed: 'stock',
    now: () => instance.clock.now().epochMilliseconds,
  });
  t.after(shop.close);
  const connectionId = await instance.connect('mercado_libre', {
    url: shop.url,
    credentials: shop.credentials(),
  });
  const walk = async () => {
    instance.clock.advance({ minutes: 30 });
    await instance.sync();
  };
  return { instance, shop, walk, connectionId };
}
