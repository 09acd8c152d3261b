import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MARKETPLACES, ORDER_STATUSES } from '../../src/connectors/contract.ts';
import { ORDER_FILTERS, type Order } from '../../src/features/orders/index.ts';
import { pageInput } from '../../src/platform/input-fields.ts';
import { decimal } from '../../src/platform/money.ts';
import { anOrder, openApp } from '../support/app.ts';
import { errorOf, openShop, type Shop, WHOLE_FILE } from './support/shop.ts';

// Specification, sections 2 (Order) and 4 (GET /v1/orders), without pages and changes, which have
// files of their own. Also runs on served PostgreSQL and Redis.

const instance = await openApp(WHOLE_FILE);

test('an Order has id, marketplace, status, total, currency, buyer_name, dates and items', async () => {
  const shop = await openShop(instance);
  await shop.record(anOrder());

  const [{ last_updated, ...order }] = (await shop.orders()) as [Record<string, unknown>];
  assert.deepEqual(order, {
    id: '2000000000000001',
    marketplace: 'mercado_libre',
    account_id: '468424240',
    status: 'paid',
    total: 259.9,
    currency: 'MXN',
    buyer_name: 'Lucía R.',
    date_created: '2026-11-15T12:00:00.000Z',
    date_closed: '2026-11-15T12:00:00.000Z',
    items: [{ title: 'Taza azul', quantity: 2, unit_price: 129.95, sku: 'TAZA-AZUL' }],
  });
  assert.match(String(last_updated), /Z$/);
});

test('total, buyer_name, date_closed and sku are null while the source withholds them; items may be empty', async () => {
  const shop = await openShop(instance);
  await shop.record(anOrder({ total: null, buyerName: null, dateClosed: null, items: [] }));

  const [order] = await shop.orders();
  assert.deepEqual(
    [order.total, order.buyer_name, order.date_closed, order.items],
    [null, null, null, []],
  );
});

test('marketplace is one of ten snake_case slugs', async () => {
  const shop = await openShop(instance);
  await shop.record(...MARKETPLACES.map((marketplace) => anOrder({ marketplace })));

  const seen = (await shop.orders()).map((order) => order.marketplace);
  assert.deepEqual(seen, [
    'amazon',
    'coppel',
    'liverpool',
    'mercado_libre',
    'shopify',
    'tiendanube',
    'tiktok_shop',
    'vtex',
    'walmart',
    'woocommerce',
  ]);
});

test('status is one of ten values, lower snake_case, never null', async () => {
  assert.deepEqual(ORDER_STATUSES, [
    'pending',
    'paid',
    'ready_to_ship',
    'partially_shipped',
    'shipped',
    'delivered',
    'cancelled',
    'returned',
    'refunded',
    'unknown',
  ]);
  const shop = await openShop(instance);
  await shop.record(...ORDER_STATUSES.map((status) => anOrder({ id: status, status })));

  for (const order of await shop.orders()) assert.equal(order.status, order.id);
});

test('total and unit_price keep the decimals that the source gave', async () => {
  const shop = await openShop(instance);
  const amounts = [
    '0.1',
    '0.10',
    '0',
    '129.95',
    '14.290000000000001',
    '440.0',
    '440.00',
    '999999999999999.99',
    '123456789012345.12345678901234567890',
    '-12.50',
    '0.00000000000000000001',
  ];
  await shop.record(
    ...amounts.map((text, index) =>
      anOrder({
        id: `${index}`,
        total: decimal(text),
        items: anOrder().items.map((item) => ({
          ...item,
          unitPrice: decimal(text),
          subtotal: decimal(text),
        })),
      }),
    ),
  );

  const { text } = await shop.get('/v1/orders');
  const one = await Promise.all(
    amounts.map(async (_, index) => (await shop.get(`/v1/orders/${index}`)).text),
  );
  for (const [index, amount] of amounts.entries()) {
    assert.ok(text.includes(`"total":${amount},`), `total ${amount} in the list`);
    assert.ok(text.includes(`"unit_price":${amount},`), `unit_price ${amount} in the list`);
    assert.ok(one[index]?.includes(`"total":${amount},`), `total ${amount} in the detail`);
    assert.ok(
      one[index]?.includes(`"unit_price":${amount},`),
      `unit_price ${amount} in the detail`,
    );
  }
});

for (const [given, shown] of [
  ['Juan Pérez García', 'Juan P.'],
  ['Juan Pérez', 'Juan P.'],
  ['Juan P.', 'Juan P.'],
  ['Juan', 'Juan'],
  ['María Fernanda López Ruiz', 'María L.'],
  ['Ana de la Cruz', 'Ana C.'],
  ['José del Río', 'José R.'],
  ['  Luz   Elena  ', 'Luz E.'],
  ['ángel óscar', 'ángel Ó.'],
  ['Jose\u0301 Nu\u0301ñez', 'José N.'],
  ['X Æ', 'X Æ.'],
  ['李 小龍', '李 小.'],
  ['Ana 123', 'Ana'],
  ['Lupita 🌺 Soto', 'Lupita'],
  ['', null],
  ['   ', null],
  [null, null],
] as const) {
  test(`buyer_name is abbreviated: ${JSON.stringify(given)} → ${JSON.stringify(shown)}`, async () => {
    const shop = await openShop(instance);
    await shop.record(anOrder({ buyerName: given }));
    await shop.record(anOrder({ id: 'again', buyerName: shown }));

    const names = (await shop.orders()).map((order) => order.buyer_name);
    assert.deepEqual(names, [shown, shown], 'once, and abbreviated again');
  });
}

test('quantity is an integer', async () => {
  const shop = await openShop(instance);
  const items = [1, 1000, 2_147_483_648].map((quantity) => ({ ...anItem(), quantity }));
  await shop.record(anOrder({ items }));

  const [order] = await shop.orders();
  assert.deepEqual(
    order.items.map(({ quantity }: { quantity: number }) => quantity),
    [1, 1000, 2_147_483_648],
  );
});

test('lists answer [], never 404: an organisation without orders', async () => {
  const shop = await openShop(instance);

  const { status, body } = await shop.get('/v1/orders', { status: 'paid' });
  assert.equal(status, 200);
  assert.deepEqual([body.data, body.pagination], [[], { next_cursor: null, has_more: false }]);
});

test('an organisation does not see another one’s orders', async () => {
  const [mine, theirs] = [await openShop(instance), await openShop(instance)];
  await theirs.record(anOrder({ id: 'secret' }));

  assert.deepEqual(await mine.ids(), []);
  assert.deepEqual(await mine.ids({ updated_since: '2000-01-01T00:00:00Z' }), []);
  errorOf(await mine.get('/v1/orders/secret'), '404 order_not_found');
});

test('an order is (organisation, marketplace, account, id): two accounts may have the same id', async () => {
  const shop = await openShop(instance);
  await shop.record(
    anOrder({ accountId: '1' }),
    anOrder({ accountId: '2' }),
    anOrder({ marketplace: 'vtex' }),
  );

  assert.equal((await shop.orders()).length, 3);
});

test('limit: default 50', async () => {
  const shop = await openShop(instance);
  await shop.record(...many(51));

  const { body } = await shop.get('/v1/orders');
  assert.equal(body.data.length, 50);
  assert.equal(body.pagination.has_more, true);
});

test('limit: maximum 100; a larger value gives 400 invalid_request', async () => {
  const shop = await openShop(instance);
  await shop.record(...many(101));

  assert.equal((await shop.ids({ limit: 100 })).length, 100);
  const error = errorOf(await shop.get('/v1/orders', { limit: 101 }), '400 invalid_request');
  assert.equal(error.param, 'limit');
  assert.equal(error.message, 'El parámetro limit debe ser un entero entre 1 y 100.');
});

for (const limit of [
  '0',
  '-1',
  '1.5',
  '1e2',
  'ten',
  '',
  ' ',
  '+5',
  '0x10',
  '٥',
  '99999999999999999999',
  'NaN',
  '\0',
]) {
  test(`limit: ${JSON.stringify(limit)} gives 400 invalid_request`, async () => {
    const error = errorOf(await instance.api('/v1/orders', { limit }), '400 invalid_request');
    assert.equal(error.param, 'limit');
  });
}

test('from is the lower bound on the creation date, inclusive', async () => {
  const shop = await withCreations();

  assert.deepEqual(await shop.ids({ from: '2026-11-02T00:00:00.000Z' }), ['3', '2']);
  assert.deepEqual(await shop.ids({ from: '2026-11-02T00:00:00.001Z' }), ['3']);
  assert.deepEqual(await shop.ids({ from: '2026-11-01T23:59:59.999999Z' }), ['3', '2']);
});

test('to is the upper bound on the creation date, inclusive', async () => {
  const shop = await withCreations();

  assert.deepEqual(await shop.ids({ to: '2026-11-02T00:00:00Z' }), ['2', '1']);
  assert.deepEqual(await shop.ids({ to: '2026-11-01T23:59:59.999Z' }), ['1']);
});

test('from and to may be the same instant', async () => {
  const shop = await withCreations();

  const at = '2026-11-02T00:00:00Z';
  assert.deepEqual(await shop.ids({ from: at, to: at }), ['2']);
});

test('from after to gives 400', async () => {
  const query = { from: '2026-11-02T00:00:00.001Z', to: '2026-11-02T00:00:00Z' };

  assert.equal(
    errorOf(await instance.api('/v1/orders', query), '400 invalid_request').param,
    'from',
  );
});

test('dates: Z or a numeric offset, all the same instant', async () => {
  const shop = await withCreations();
  for (const from of [
    '2026-11-02T00:00:00Z',
    '2026-11-02t00:00:00z',
    '2026-11-02T00:00:00.000000000Z',
    '2026-11-01T18:00:00-06:00',
    '2026-11-01T18:00:00-0600',
    '2026-11-02T05:30:00+05:30',
    '2026-11-01T23:59:59.9999999Z',
  ])
    assert.deepEqual(await shop.ids({ from }), ['3', '2'], from);
});

test('dates: the plus of an unencoded offset arrives as a space and is taken for a plus', async () => {
  const shop = await withCreations();

  for (const offset of ['+05:30', '+0530', '%2B05:30', '%20%30%35:30'])
    assert.deepEqual(
      (await shop.get(`/v1/orders?from=2026-11-02T05:30:00${offset}`)).body.data.map(
        ({ id }: { id: string }) => id,
      ),
      ['3', '2'],
      offset,
    );
});

for (const text of [
  '2026-11-02',
  '2026-11-02T00:00:00',
  '2026-11-02 00:00:00Z',
  '2026-11-02T00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-11-02T24:00:00Z',
  '2026-11-02T23:60:00Z',
  '2026-12-31T23:59:60Z',
  '2026-11-02T00:00:00+99:00',
  '2026-11-02T00:00:00Z[America/Mexico_City]',
  '2026-11-02T00:00:00-06:00[America/Mexico_City]',
  '0000-01-01T00:00:00Z',
  '+012026-11-02T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '20261102T000000Z',
  '2026-W45-1T00:00:00Z',
  '1793577600',
  'yesterday',
  '',
  ' ',
  '２０２６-11-02T00:00:00Z',
  '2026-11-02T00:00:00Z\0',
  '2026-11-02T00:00:00Z ',
]) {
  test(`dates: ${JSON.stringify(text)} gives 400 naming the parameter`, async () => {
    for (const param of ['from', 'to', 'updated_since']) {
      const error = errorOf(
        await instance.api('/v1/orders', { [param]: text }),
        '400 invalid_request',
      );
      assert.equal(error.param, param);
    }
  });
}

test('dates: the years from 1970 to 9999 are taken, and earlier ones are refused', async () => {
  const shop = await withCreations();

  assert.deepEqual(await shop.ids({ from: '1970-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' }), [
    '3',
    '2',
    '1',
  ]);
  assert.deepEqual(await shop.ids({ updated_since: '1970-01-01T00:00:00Z' }), ['1', '2', '3']);
  for (const param of ['from', 'to', 'updated_since'])
    for (const early of ['0001-01-01T00:00:00Z', '1969-12-31T23:59:59.999Z']) {
      const error = errorOf(
        await shop.get('/v1/orders', { [param]: early }),
        '400 invalid_request',
      );
      assert.deepEqual(
        [error.param, error.message],
        [param, `El parámetro ${param} debe ser del año 1970 en adelante.`],
      );
    }
});

test('status: one value', async () => {
  const shop = await withStatuses();

  assert.deepEqual(await shop.ids({ status: 'paid' }), ['paid']);
});

test('status: a comma-separated list, or the parameter repeated, means any of them', async () => {
  const shop = await withStatuses();

  for (const query of [
    'status=paid,shipped',
    'status=shipped,paid',
    'status=paid&status=shipped',
    'status=paid,%20shipped',
    'status=paid,paid,shipped&status=paid',
  ])
    assert.deepEqual((await idsOf(shop, query)).toSorted(), ['paid', 'shipped'], query);
});

test('status: an unknown value gives 400 with the allowed ones in the message', async () => {
  for (const status of ['sent', 'PAID', 'paid,sent', 'paid;shipped', '__proto__', 'in_transit']) {
    const error = errorOf(await instance.api('/v1/orders', { status }), '400 invalid_request');
    assert.equal(error.param, 'status');
    assert.ok(error.message.endsWith(`${ORDER_STATUSES.join(', ')}.`), error.message);
  }
});

for (const name of ['status', 'marketplace', 'account_id', 'cursor']) {
  test(`${name}: an empty value gives 400`, async () => {
    const queries = [
      `${name}=`,
      name,
      ...(name === 'cursor' ? [] : [`${name}=a,,b`, `${name}=,`, `${name}=%20`]),
    ];
    for (const query of queries) {
      const error = errorOf(await instance.api(`/v1/orders?${query}`), '400 invalid_request');
      assert.equal(error.param, name, query);
    }
  });
}

test('marketplace: the same list rules', async () => {
  const shop = await openShop(instance);
  await shop.record(
    ...MARKETPLACES.map((marketplace) => anOrder({ id: marketplace, marketplace })),
  );

  assert.deepEqual(await shop.ids({ marketplace: 'vtex' }), ['vtex']);
  assert.deepEqual(await idsOf(shop, 'marketplace=vtex,amazon'), ['amazon', 'vtex']);
  assert.deepEqual(await idsOf(shop, 'marketplace=vtex&marketplace=amazon'), ['amazon', 'vtex']);
  const error = errorOf(
    await shop.get('/v1/orders', { marketplace: 'ebay' }),
    '400 invalid_request',
  );
  assert.equal(error.param, 'marketplace');
  assert.ok(error.message.includes('tiktok_shop'));
});

test('account_id: the same list rules; an unknown one is an empty list', async () => {
  const shop = await openShop(instance);
  await shop.record(
    ...['1', '2', 'tienda.mx/shop', 'a b'].map((accountId) =>
      anOrder({ id: accountId, accountId }),
    ),
  );

  assert.deepEqual(await shop.ids({ account_id: 'tienda.mx/shop' }), ['tienda.mx/shop']);
  assert.deepEqual((await idsOf(shop, 'account_id=1,2&account_id=a%20b')).toSorted(), [
    '1',
    '2',
    'a b',
  ]);
  assert.deepEqual(await shop.ids({ account_id: 'nobody' }), []);
});

test('an account with a comma can be requested, with a backslash before the comma', async () => {
  const shop = await openShop(instance);
  const accounts = ['acc,2', 'acc', '2', 'a\\b', 'a\\,b', '\\'];
  await shop.record(...accounts.map((accountId) => anOrder({ id: accountId, accountId })));

  for (const [typed, found] of [
    ['acc\\,2', ['acc,2']],
    ['acc,2', ['2', 'acc']],
    ['acc\\,2,2', ['2', 'acc,2']],
    ['a\\b', ['a\\b']],
    ['a\\\\b', ['a\\b']],
    ['a\\\\\\,b', ['a\\,b']],
    ['\\\\,acc', ['\\', 'acc']],
  ] as const)
    assert.deepEqual((await shop.ids({ account_id: typed })).toSorted(), found, typed);
  assert.deepEqual(await shop.ids({ account_id: 'acc\\,2', limit: 1 }), ['acc,2']);
  assert.equal((await shop.get('/v1/orders/acc%2C2', { account_id: 'acc,2' })).status, 200);
});

test('a list of accounts takes at most 50 of 200 characters, and 2,000 characters of the address together', async () => {
  const many = (count: number, length: number, letter = 'a') =>
    Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, letter)).join(',');
  for (const good of [many(1, 200), many(1, 200, '中'), many(50, 28), many(9, 200)])
    assert.equal((await instance.api('/v1/orders', { account_id: good })).status, 200);
  for (const bad of [many(1, 201), many(51, 1), many(50, 29), many(10, 200), many(2, 120, '中')]) {
    const error = errorOf(
      await instance.api('/v1/orders', { account_id: bad }),
      '400 invalid_request',
    );
    assert.equal(error.param, 'account_id');
    assert.match(
      error.message,
      /^El parámetro account_id admite (hasta 50 valores|cuentas de hasta 200 car)/,
    );
  }
});

test('all filters combine with AND', async () => {
  const shop = await openShop(instance);
  const stock = Array.from({ length: 60 }, (_, index) =>
    anOrder({
      id: `${index}`,
      marketplace: pick(['mercado_libre', 'amazon', 'vtex'], index),
      accountId: pick(['1', '2'], index * 7 + 3),
      status: pick(['paid', 'shipped', 'delivered', 'unknown'], index * 3 + 1),
      dateCreated: day(index % 6),
    }),
  );
  await shop.record(...stock);

  const some = <T extends string>(...values: T[]) =>
    fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 });
  const filters = fc.record({
    status: some('paid', 'shipped', 'delivered', 'refunded'),
    marketplace: some('mercado_libre', 'amazon', 'vtex', 'coppel'),
    account_id: some('1', '2', '3'),
    from: fc.option(fc.integer({ min: 0, max: 6 })),
    to: fc.option(fc.integer({ min: 0, max: 6 })),
    isDelta: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(filters, async ({ status, marketplace, account_id, from, to, isDelta }) => {
      fc.pre(from === null || to === null || from <= to);
      const wanted = stock.filter(
        (order) =>
          (status.length === 0 || (status as string[]).includes(order.status)) &&
          (marketplace.length === 0 || (marketplace as string[]).includes(order.marketplace)) &&
          (account_id.length === 0 || (account_id as string[]).includes(order.accountId)) &&
          (from === null || Temporal.Instant.compare(order.dateCreated, day(from)) >= 0) &&
          (to === null || Temporal.Instant.compare(order.dateCreated, day(to)) <= 0),
      );
      const query = {
        limit: 100,
        ...(status.length > 0 && { status: status.join(',') }),
        ...(marketplace.length > 0 && { marketplace: marketplace.join(',') }),
        ...(account_id.length > 0 && { account_id: account_id.join(',') }),
        ...(from !== null && { from: day(from).toString() }),
        ...(to !== null && { to: day(to).toString() }),
        ...(isDelta && { updated_since: '2026-01-01T00:00:00Z' }),
      };
      assert.deepEqual((await shop.ids(query)).toSorted(), wanted.map(({ id }) => id).toSorted());
    }),
    { numRuns: 60, seed: 42 },
  );
});

test('the plain list is sorted by date_created descending, then marketplace, account and id ascending', async () => {
  const shop = await openShop(instance);
  const rows = [
    anOrder({ id: 'new', dateCreated: day(2), marketplace: 'woocommerce' }),
    anOrder({ id: 'a', marketplace: 'amazon', accountId: '2', dateCreated: day(1) }),
    anOrder({ id: 'B', marketplace: 'amazon', accountId: '2', dateCreated: day(1) }),
    anOrder({ id: 'z', marketplace: 'amazon', accountId: '1', dateCreated: day(1) }),
    anOrder({ id: 'á', marketplace: 'amazon', accountId: '2', dateCreated: day(1) }),
    anOrder({ id: '0', marketplace: 'vtex', dateCreated: day(1) }),
    anOrder({ id: 'old', dateCreated: day(0), marketplace: 'amazon' }),
  ];
  await shop.record(...rows.toReversed());

  assert.deepEqual(await shop.ids(), ['new', 'z', 'B', 'a', 'á', '0', 'old']);
});

test('an unknown parameter gives 400 naming it and the nearest known one', async () => {
  for (const [given, nearest] of [
    ['limt', 'limit'],
    ['Limit', 'limit'],
    ['updated_sinc', 'updated_since'],
    ['since', 'updated_since'],
    ['updatedSince', 'updated_since'],
    ['date_from', 'from'],
    ['statuses', 'status'],
    ['market_place', 'marketplace'],
    ['account', 'account_id'],
    ['form', 'from'],
    ['status[]', 'status'],
  ] as const) {
    const error = errorOf(
      await instance.api('/v1/orders', { [given]: '1' }),
      '400 invalid_request',
    );
    assert.equal(error.param, given);
    assert.match(
      error.message,
      new RegExp(`^El parámetro "${given.replace(/[[\]]/g, '\\$&')}" no existe`),
    );
    assert.ok(error.message.endsWith(`¿Quisiste decir ${nearest}?`), error.message);
  }
});

test('an unknown parameter that is near none gives the allowed ones', async () => {
  const ofAllLists = Object.keys(pageInput({ usual: 50, most: 100 }));
  const allowed = [...ofAllLists, ...Object.keys(ORDER_FILTERS)].join(', ');
  for (const given of ['page', 'offset', 'api_key', 'foo', 'x', 'desde', 'sort']) {
    const { message } = errorOf(
      await instance.api('/v1/orders', { [given]: '1' }),
      '400 invalid_request',
    );
    assert.equal(message, `El parámetro "${given}" no existe. Esta operación admite: ${allowed}.`);
  }
});

test('an unknown parameter is refused on every operation, whatever its name', async () => {
  for (const path of ['/v1/orders', '/v1/orders/A1', '/v1/me'])
    for (const name of [
      'x',
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'ñ',
      '0',
      'a'.repeat(500),
    ]) {
      const error = errorOf(
        await instance.api(`${path}?${encodeURIComponent(name)}=1`),
        '400 invalid_request',
      );
      assert.equal(error.param, name);
    }
});

test('there is no sort, no offset, no page and no total in v1', async () => {
  for (const name of ['sort', 'order', 'offset', 'page', 'count', 'fields'])
    errorOf(await instance.api('/v1/orders', { [name]: '1' }), '400 invalid_request');
  const { body } = await instance.api('/v1/orders');
  assert.deepEqual(Object.keys(body.pagination), ['next_cursor', 'has_more']);
});

test('a parameter given twice gives 400', async () => {
  for (const query of [
    'limit=1&limit=1',
    'from=2026-11-01T00:00:00Z&from=2026-11-01T00:00:00Z',
    'to=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z',
    'updated_since=2026-11-01T00:00:00Z&updated_since=2026-11-01T00:00:00Z',
    'cursor=a&cursor=a',
  ]) {
    const error = errorOf(await instance.api(`/v1/orders?${query}`), '400 invalid_request');
    assert.equal(error.param, query.split('=')[0]);
    assert.match(error.message, /una sola vez/);
  }
});

test('a percent sign that begins no character gives 400', async () => {
  for (const [query, param] of [
    ['status=%zz', 'status'],
    ['account_id=100%', 'account_id'],
    ['account_id=%ED%A0%80', 'account_id'],
    ['limit=1&account_id=%ff', 'account_id'],
    ['%zz=1', '%zz'],
    ['account_id=a?%zz', 'account_id'],
  ] as const)
    assert.equal(errorOf(await rawQuery(query), '400 invalid_request').param, param);
});

function many(count: number): Order[] {
  return Array.from({ length: count }, (_, index) =>
    anOrder({ id: String(index).padStart(4, '0') }),
  );
}

function anItem() {
  return anOrder().items[0] as Order['items'][number];
}

async function withCreations(): Promise<Shop> {
  const shop = await openShop(instance);
  await shop.record(
    anOrder({ id: '1', dateCreated: Temporal.Instant.from('2026-11-01T00:00:00Z') }),
    anOrder({ id: '2', dateCreated: Temporal.Instant.from('2026-11-02T00:00:00Z') }),
    anOrder({ id: '3', dateCreated: Temporal.Instant.from('2026-11-03T00:00:00Z') }),
  );
  return shop;
}

async function withStatuses(): Promise<Shop> {
  const shop = await openShop(instance);
  await shop.record(...ORDER_STATUSES.map((status) => anOrder({ id: status, status })));
  return shop;
}

async function idsOf(shop: Shop, query: string): Promise<string[]> {
  const { body, text } = await shop.get(`/v1/orders?${query}`);
  assert.ok(body.data, text);
  return body.data.map(({ id }: { id: string }) => id);
}

/** The platform's URL class leaves a stray percent sign as it is. */
function rawQuery(query: string) {
  return instance.api(`/v1/orders?${query}`);
}

function pick<T>(from: readonly T[], index: number): T {
  return from[index % from.length] as T;
}

function day(index: number): Temporal.Instant {
  return Temporal.Instant.from('2026-11-01T00:00:00Z').add({ hours: 24 * index });
}
