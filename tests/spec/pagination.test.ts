import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { MARKETPLACES, ORDER_STATUSES } from '../../src/connectors/contract.ts';
import { cursorMaker } from '../../src/platform/cursor.ts';
import { anOrder, openApp } from '../support/app.ts';
import { freshDatabase } from '../support/server.ts';
import { errorOf, idsOf, openShop, type Shop, WHOLE_FILE } from './support/shop.ts';

// Specification, section 2: Pagination object; section 4: cursor.
// Also runs on served PostgreSQL and Redis.

const instance = await openApp(WHOLE_FILE);
const ALL = ['9', '8', '7', '6', '5', '4', '3', '2', '1', '0'];
const SINCE = '2026-01-01T00:00:00Z';

test('next_cursor passed back in cursor gives the next page', async () => {
  const shop = await withTen();

  const pages = await shop.walk({ limit: 3 });
  assert.deepEqual(
    pages.map((page) => idsOf([page])),
    [['9', '8', '7'], ['6', '5', '4'], ['3', '2', '1'], ['0']],
  );
});

test('has_more false means that the whole set has been traversed, and next_cursor is null', async () => {
  const shop = await withTen();

  for (const limit of [1, 3, 5, 9, 10, 11]) {
    const pages = await shop.walk({ limit });
    assert.deepEqual(idsOf(pages), ALL);
    assert.equal(pages.length, Math.ceil(10 / limit), `no empty last page with limit ${limit}`);
    for (const [index, { body }] of pages.entries()) {
      assert.equal(body.pagination.has_more, index < pages.length - 1);
      assert.equal(body.pagination.next_cursor === null, !body.pagination.has_more);
    }
  }
});

test('next_cursor is an opaque string that fits into a URL unchanged', async () => {
  const shop = await openShop(instance);
  await shop.record(
    ...['a/b?c#d', 'ñ&=+ %', 'z'].map((id) => anOrder({ id, accountId: 'x'.repeat(200) })),
  );
  const [first] = await shop.walk({ limit: 1 });

  assert.match(first?.body.pagination.next_cursor, /^[\w-]+$/);
  assert.deepEqual(
    new Set(idsOf(await shop.walk({ limit: 1 }))),
    new Set(['a/b?c#d', 'ñ&=+ %', 'z']),
  );
});

test('next_cursor is never refused for its length: alone, or with the longest filters beside it', async () => {
  const shop = await openShop(instance);
  const account = (index: number, length: number, letter: string) =>
    `${index}`.padEnd(length, letter);
  for (const [count, length, letter] of [
    [50, 28, 'a'],
    [10, 188, 'a'],
    [1, 200, '中'],
    [6, 100, '"'],
    [3, 100, ','],
    [3, 100, '\\'],
  ] as const) {
    const accounts = Array.from({ length: count }, (_, index) => account(index, length, letter));
    const [accountId = ''] = accounts;
    await shop.record(...['1', '2'].map((id) => anOrder({ id: id.padEnd(500, '中'), accountId })));
    const filters = new URLSearchParams({
      limit: '1',
      from: '2026-11-01T00:00:00.000000000-06:00',
      to: '2026-11-30T00:00:00.000000000-06:00',
    });
    for (const status of ORDER_STATUSES) filters.append('status', status);
    for (const marketplace of MARKETPLACES) filters.append('marketplace', marketplace);
    for (const each of accounts) filters.append('account_id', each.replace(/[\\,]/g, '\\$&'));

    const what = `${count} of ${length} ${letter}`;
    const first = await shop.get(`/v1/orders?${filters}`);
    assert.deepEqual([first.status, first.body.pagination.has_more], [200, true], what);
    const cursor: string = first.body.pagination.next_cursor;
    const alone = await shop.get('/v1/orders', { cursor });
    const repeated = await shop.get(`/v1/orders?${filters}&cursor=${cursor}`);
    assert.deepEqual([alone.status, repeated.status], [200, 200], `${what}: ${cursor.length}`);
    assert.deepEqual(idsOf([alone, repeated]), Array(2).fill('2'.padEnd(500, '中')), what);
  }
});

test('any limit and any filters: the pages together are the list, each order once', async () => {
  const shop = await withTen();
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.subarray(['paid', 'shipped', 'delivered']),
      fc.boolean(),
      async (limit, statuses, isDelta) => {
        const filters = {
          ...(statuses.length > 0 && { status: statuses.join(',') }),
          ...(isDelta && { updated_since: SINCE }),
        };
        const whole = await shop.ids({ ...filters, limit: 100 });
        assert.deepEqual(idsOf(await shop.walk({ ...filters, limit })), whole);
      },
    ),
    { numRuns: 30, seed: 7 },
  );
});

test('limit may change between pages', async () => {
  const shop = await withTen();
  const { body: first } = await shop.get('/v1/orders', { limit: 2 });
  const { body: second } = await shop.get('/v1/orders', {
    limit: 5,
    cursor: first.pagination.next_cursor,
  });
  const { body: third } = await shop.get('/v1/orders', { cursor: second.pagination.next_cursor });

  assert.deepEqual(idsOf([first, second, third].map((body) => ({ body }) as never)), ALL);
});

for (const [name, query] of [
  [
    'a plain walk',
    { status: 'paid,shipped', from: '2026-11-01T02:00:00Z', to: '2026-11-01T08:00:00Z' },
  ],
  ['a delta walk', { status: 'paid,shipped', updated_since: SINCE }],
] as const) {
  test(`${name}: filters may be left out with a cursor, or repeated equal`, async () => {
    const shop = await withTen();
    const whole = await shop.ids({ ...query, limit: 100 });
    const { body: first } = await shop.get('/v1/orders', { ...query, limit: 2 });
    const cursor = first.pagination.next_cursor;

    const without = await shop.ids({ limit: 100, cursor });
    assert.deepEqual([...idsOf([{ body: first } as never]), ...without], whole);
    assert.deepEqual(await shop.ids({ ...query, limit: 100, cursor }), without);
    assert.deepEqual(await shop.ids({ status: 'paid,shipped', limit: 100, cursor }), without);
    assert.deepEqual(await shop.ids({ status: 'shipped,paid,paid', limit: 100, cursor }), without);
  });

  test(`${name}: other filters with a cursor give 400 invalid_cursor`, async () => {
    const shop = await withTen();
    const { body: first } = await shop.get('/v1/orders', { ...query, limit: 2 });
    const cursor = first.pagination.next_cursor;

    for (const others of [
      { status: 'paid' },
      { status: 'paid,shipped,delivered' },
      { marketplace: 'mercado_libre' },
      { account_id: '468424240' },
      { from: '2026-11-01T02:00:00.001Z' },
      { to: '2026-11-01T09:00:00Z' },
      { updated_since: '2026-01-01T00:00:00.000001Z' },
    ] as Record<string, string>[]) {
      const error = errorOf(
        await shop.get('/v1/orders', { ...others, cursor }),
        '400 invalid_cursor',
      );
      assert.equal(error.param, 'cursor');
      assert.match(error.message, /otros filtros/);
    }
  });
}

test('an instant written otherwise is the same filter', async () => {
  const shop = await withTen();
  const { body } = await shop.get('/v1/orders', { from: '2026-11-01T02:00:00Z', limit: 2 });

  const cursor = body.pagination.next_cursor;
  const again = await shop.get('/v1/orders', { from: '2026-10-31T20:00:00.000-06:00', cursor });
  assert.equal(again.status, 200);
});

test('the last instants that a program can write are kept exactly from page to page', async () => {
  const shop = await withTen();
  for (const to of ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.9999999Z'])
    assert.deepEqual(idsOf(await shop.walk({ limit: 4, to })), ALL);
});

test('a cursor that was altered gives 400 invalid_cursor', async () => {
  const shop = await withTen();
  const { body } = await shop.get('/v1/orders', { limit: 1 });
  const cursor: string = body.pagination.next_cursor;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

  await fc.assert(
    fc.asyncProperty(fc.nat(cursor.length - 1), fc.nat(63), async (place, letter) => {
      fc.pre(cursor[place] !== alphabet[letter]);
      const altered = cursor.slice(0, place) + alphabet[letter] + cursor.slice(place + 1);
      errorOf(await shop.get('/v1/orders', { cursor: altered }), '400 invalid_cursor');
    }),
    { numRuns: 100, seed: 3, examples: [[cursor.length - 1, 1]] },
  );
});

test('a cursor that is cut, longer, or rubbish gives 400 invalid_cursor', async () => {
  const shop = await withTen();
  const { body } = await shop.get('/v1/orders', { limit: 1 });
  const cursor: string = body.pagination.next_cursor;

  for (const wrong of [
    cursor.slice(1),
    cursor.slice(0, -1),
    cursor.slice(0, 10),
    `${cursor}A`,
    `${cursor}=`,
    `${cursor}\0`,
    ` ${cursor}`,
    cursor + cursor,
    'null',
    '0',
    '1',
    '..',
    '{}',
    'ñ',
    'A'.repeat(4_000),
    randomBytes(64).toString('base64url'),
    Buffer.from(JSON.stringify([1, ['orders', shop.organization.id, [], 0, [0]]])).toString(
      'base64url',
    ),
  ]) {
    const error = errorOf(await shop.get('/v1/orders', { cursor: wrong }), '400 invalid_cursor');
    assert.equal(error.param, 'cursor');
  }
});

test('another organisation’s cursor gives 400 invalid_cursor', async () => {
  const [mine, theirs] = [await withTen(), await withTen()];
  const { body } = await theirs.get('/v1/orders', { limit: 1 });

  errorOf(
    await mine.get('/v1/orders', { cursor: body.pagination.next_cursor }),
    '400 invalid_cursor',
  );
});

test('a cursor is for the list of orders only', async () => {
  const shop = await withTen();
  const { body } = await shop.get('/v1/orders', { limit: 1 });

  for (const path of ['/v1/orders/1', '/v1/me']) {
    const error = errorOf(
      await shop.get(path, { cursor: body.pagination.next_cursor }),
      '400 invalid_request',
    );
    assert.equal(error.param, 'cursor');
  }
});

test('a cursor does not expire', async () => {
  const shop = await withTen();
  const { body } = await shop.get('/v1/orders', { limit: 9 });

  instance.clock.advance({ hours: 24 * 365 });
  assert.deepEqual(await shop.ids({ cursor: body.pagination.next_cursor }), ['0']);
});

test('a cursor that was made before filters travelled by their names goes on working', async () => {
  const shop = await withTen();
  const from = at(2).epochMilliseconds * 1_000;
  const position = [-at(7).epochMilliseconds, 'mercado_libre', '468424241', '7'];
  const filters = [from, null, null, ['paid', 'shipped'], [], []];
  const cursors = cursorMaker(instance.app.exchange.keyring);
  const cursor = cursors.make([
    'orders',
    shop.organization.id,
    filters,
    at(12).epochMilliseconds * 1_000,
    position,
  ]);

  const { body } = await shop.get('/v1/orders', { cursor, limit: 2 });
  assert.deepEqual(idsOf([{ body } as never]), ['6', '4']);
  const next: string = body.pagination.next_cursor;
  assert.deepEqual(await shop.ids({ cursor: next, from: at(2).toString() }), ['3']);
  errorOf(await shop.get('/v1/orders', { cursor, to: at(2).toString() }), '400 invalid_cursor');
});

test('a cursor goes on working while the former MASTER_KEY is kept, and no longer', async (t) => {
  const database = await freshDatabase();
  const keys = [1, 2, 3].map(() => randomBytes(32).toString('base64')) as [string, string, string];
  const firstInstance = await openApp(
    { after: () => {} },
    { database, env: { MASTER_KEY: keys[0] } },
  );
  await firstInstance.record(ALL.map((id) => anOrder({ id })));
  const { body } = await firstInstance.api('/v1/orders', { limit: 1 });
  await firstInstance.app.close();
  const cursor = body.pagination.next_cursor;
  const atLater = async (env: Record<string, string>) => {
    const closers: (() => unknown)[] = [];
    const later = await openApp(
      { after: (close) => void closers.push(close as () => unknown) },
      { database, env },
    );
    t.after(() => later.app.close());
    const answer = await later.api('/v1/orders', { cursor }, { key: firstInstance.key });
    await later.app.close();
    return answer;
  };

  const rotated = await atLater({ MASTER_KEY: keys[1], MASTER_KEY_PREVIOUS: keys[0] });
  assert.equal(rotated.body.data.length, 9);
  errorOf(
    await atLater({ MASTER_KEY: keys[2], MASTER_KEY_PREVIOUS: keys[1] }),
    '400 invalid_cursor',
  );
});

test('an order that arrives during a plain walk makes no page repeat or lose another', async () => {
  const shop = await withTen();
  let count = 0;

  const pages = await shop.walk({ limit: 3 }, () =>
    shop.record(anOrder({ id: `late-${count++}`, dateCreated: at(20) })),
  );

  assert.deepEqual(idsOf(pages), ALL);
});

test('an order that changes status during a plain walk is not seen twice', async () => {
  const shop = await withTen();

  const pages = await shop.walk({ limit: 2 }, () =>
    shop.record(anOrder({ id: '0', status: 'delivered', dateCreated: at(0) })),
  );

  assert.deepEqual(idsOf(pages), ALL);
});

test('orders created in the same instant, on any marketplace, are all traversed', async () => {
  const shop = await openShop(instance);
  const marketplaces = ['amazon', 'coppel', 'vtex'] as const;
  const twins = marketplaces.flatMap((marketplace) =>
    ['1', '2'].flatMap((accountId) =>
      ['a', 'b'].map((id) => anOrder({ id, accountId, marketplace })),
    ),
  );
  await shop.record(...twins);

  const seen = (await shop.walk({ limit: 1 })).map(({ body }) => {
    const [{ marketplace, account_id, id }] = body.data;
    return `${marketplace} ${account_id} ${id}`;
  });
  assert.equal(new Set(seen).size, 12);
  assert.deepEqual(seen, seen.toSorted());
});

function at(hour: number): Temporal.Instant {
  return Temporal.Instant.from('2026-11-01T00:00:00Z').add({ hours: hour });
}

/** Orders 0–9, each created an hour after the other; recorded one by one. */
async function withTen(): Promise<Shop> {
  const shop = await openShop(instance);
  for (let index = 0; index < 10; index++) {
    const status = (['paid', 'shipped', 'delivered'] as const)[index % 3] ?? 'paid';
    await shop.record(anOrder({ id: `${index}`, status, dateCreated: at(index) }));
  }
  return shop;
}
