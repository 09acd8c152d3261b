import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ORDER_STATUSES } from '../../src/connectors/contract.ts';
import { type Order, readOrder } from '../../src/features/orders/index.ts';
import { decimal } from '../../src/platform/money.ts';
import { anOrder, openApp } from '../support/app.ts';
import { errorOf, idsOf, openShop, type Shop, WHOLE_FILE } from './support/shop.ts';
import { soon } from './support/soon.ts';

// Specification, section 2 (last_updated), section 3 (states) and section 4 (updated_since).
// Also runs on served PostgreSQL and Redis.

const instance = await openApp(WHOLE_FILE);
const LONG_AGO = '2000-01-01T00:00:00Z';

test('updated_since gives only orders whose last_updated is at or after this value', async () => {
  const shop = await withThree();
  const [, second, newest] = await shop.orders({ updated_since: LONG_AGO });
  const exact = Temporal.Instant.from(second.last_updated);

  assert.deepEqual(await shop.ids({ updated_since: exact.toString() }), ['2', '3']);
  assert.deepEqual(await shop.ids({ updated_since: exact.add({ microseconds: 1 }).toString() }), [
    '3',
  ]);
  assert.deepEqual(
    await shop.ids({ updated_since: exact.subtract({ microseconds: 1 }).toString() }),
    ['2', '3'],
  );
  assert.deepEqual(
    await shop.ids({ updated_since: newest.last_updated }),
    ['3'],
    'the newest change itself',
  );
});

test('updated_since includes old orders that changed', async () => {
  const shop = await openShop(instance);
  await shop.record(old('1'), old('2'));
  instance.clock.advance({ hours: 1 });
  const since = instance.clock.now().toString();

  await shop.record(old('1', { status: 'delivered' }));

  assert.deepEqual(await shop.ids({ updated_since: since }), ['1']);
});

test('a filter by from alone misses old orders that later changed status; updated_since catches them', async () => {
  const shop = await openShop(instance);
  await shop.record(old('1'));
  instance.clock.advance({ hours: 1 });
  const since = instance.clock.now().toString();
  await shop.record(
    old('1', { status: 'shipped' }),
    anOrder({ id: 'new', dateCreated: instance.clock.now() }),
  );

  assert.deepEqual(await shop.ids({ from: since }), ['new']);
  assert.deepEqual(await shop.ids({ updated_since: since }), ['1', 'new']);
});

test('an order moving from shipped to delivered changes its last_updated, so it appears in delta-sync', async () => {
  const shop = await openShop(instance);
  await shop.record(anOrder({ status: 'shipped' }));
  const { body: first } = await shop.get('/v1/orders', { updated_since: LONG_AGO });
  instance.clock.advance({ minutes: 5 });

  await shop.record(anOrder({ status: 'delivered' }));

  const [changed] = await shop.orders({ updated_since: first.meta.as_of });
  assert.equal(changed.status, 'delivered');
  assert.ok(changed.last_updated > first.data[0].last_updated);
});

const at = Temporal.Instant.from('2026-11-16T00:00:00Z');
const [item] = anOrder().items as [Order['items'][number]];
for (const [field, change] of Object.entries({
  status: { status: 'shipped' },
  marketplace_status: { marketplaceStatus: 'paid ' },
  payment_status: { paymentStatus: 'authorized' },
  fulfillment_status: { fulfillmentStatus: 'pending' },
  total: { total: decimal('259.91') },
  'the decimals of total': { total: decimal('259.9') },
  currency: { currency: 'USD' },
  buyer_name: { buyerName: 'Luz Ramírez' },
  date_created: { dateCreated: at },
  date_closed: { dateClosed: null },
  'the title of an item': { items: [{ ...item, title: 'Taza roja' }] },
  'the quantity of an item': { items: [{ ...item, quantity: 3 }] },
  'the unit_price of an item': { items: [{ ...item, unitPrice: decimal('129.96') }] },
  'the sku of an item': { items: [{ ...item, sku: null }] },
  'the variation of an item': { items: [{ ...item, variation: 'Azul' }] },
  'the number of items': { items: [item, item] },
  subtotal: { subtotal: null },
  discount_total: { discountTotal: decimal('0') },
  shipping_total: { shippingTotal: decimal('99') },
  tax_total: { taxTotal: decimal('1') },
  fees_total: { feesTotal: decimal('1') },
  net_total: { netTotal: decimal('1') },
  refunded_total: { refundedTotal: decimal('1') },
  refunds: { refunds: [{ amount: decimal('1'), at: null }] },
  shipping: { shipping: aShipping() },
  'cfdi.required': { invoiceRequired: true },
  pack_id: { packId: '1' },
  tags: { tags: ['pack_order'] },
  connection_id: { connectionId: '00000000-0000-4000-8000-000000000001' },
} satisfies Record<string, Partial<Order>>)) {
  test(`last_updated changes whenever any field of the order changes: ${field}`, async () => {
    const shop = await openShop(instance);
    await shop.record(anOrder());
    const [before] = await shop.orders();
    instance.clock.advance({ seconds: 1 });

    await shop.record(anOrder(change));

    const [after] = await shop.orders();
    assert.ok(after.last_updated > before.last_updated);
    assert.deepEqual(await shop.ids({ updated_since: before.last_updated }), [after.id]);
  });
}

test('a change of an order’s shipping, field by field, changes last_updated', async () => {
  const shop = await openShop(instance);
  const fields = {
    carrier: 'dhl',
    trackingNumber: '2',
    method: 'x',
    status: 'x',
    shippedAt: at,
    deliveredAt: at,
  };
  await shop.record(anOrder({ shipping: aShipping() }));
  for (const field of Object.keys(fields) as (keyof typeof fields)[]) {
    const [before] = await shop.orders();
    instance.clock.advance({ seconds: 1 });
    await shop.record(anOrder({ shipping: { ...aShipping(), [field]: fields[field] } }));
    const [after] = await shop.orders();
    assert.ok(after.last_updated > before.last_updated, field);
  }
});

test('a refetch without change never moves last_updated, however new the source says that it is', async () => {
  const shop = await openShop(instance);
  await shop.record(anOrder());
  const [before] = await shop.orders();
  for (const changedAt of [anOrder().changedAt, at, at.add({ hours: 24 }), null]) {
    instance.clock.advance({ hours: 1 });
    const reported = anOrder({
      changedAt,
      fetchedAt: instance.clock.now(),
      raw: '{"more":1}',
      buyerName: 'Lucía R.',
    });
    assert.deepEqual(await shop.record(reported), { changed: 0, unchanged: 1, which: [] });
  }

  assert.equal((await shop.orders())[0].last_updated, before.last_updated);
  assert.deepEqual(
    (await shop.get('/v1/orders', { updated_since: before.last_updated })).body.data.length,
    1,
  );
});

test('an older version never replaces a newer one', async () => {
  const shop = await openShop(instance);
  await shop.record(anOrder({ status: 'delivered', changedAt: at.add({ hours: 2 }) }));

  await shop.record(anOrder({ status: 'shipped', changedAt: at.add({ hours: 1 }) }));

  assert.equal((await shop.orders())[0].status, 'delivered');
});

test('an imported last_updated is ignored', async () => {
  const shop = await openShop(instance);
  const line = {
    id: '1',
    marketplace: 'vtex',
    status: 'paid',
    date_created: '2026-11-01T00:00:00Z',
    items: [],
    last_updated: '2030-01-01T00:00:00.000000Z',
  };

  await shop.record(readOrder(JSON.stringify(line), instance.clock.now()));

  assert.ok((await shop.orders())[0].last_updated < '2027');
});

test('with updated_since the order is last_updated ascending', async () => {
  const shop = await withThree();
  await shop.record(anOrder({ id: '1', status: 'shipped' }));

  const orders = await shop.orders({ updated_since: LONG_AGO });
  assert.deepEqual(
    orders.map(({ id }) => id),
    ['2', '3', '1'],
  );
  const stamps = orders.map(({ last_updated }) => last_updated);
  assert.deepEqual(stamps, stamps.toSorted());
});

test('each change has its own microsecond, also within one batch', async () => {
  const shop = await openShop(instance);
  await shop.record(...Array.from({ length: 20 }, (_, index) => anOrder({ id: `${index}` })));

  const stamps = (await shop.orders({ updated_since: LONG_AGO })).map(
    ({ last_updated }) => last_updated,
  );
  assert.equal(new Set(stamps).size, 20);
});

test('a clock that goes back does not take last_updated back', async () => {
  const shop = await openShop(instance);
  await shop.record(anOrder({ id: '1' }));
  instance.clock.advance({ hours: -1 });
  await shop.record(anOrder({ id: '2' }));
  instance.clock.advance({ hours: 1 });

  assert.deepEqual(await shop.ids({ updated_since: LONG_AGO }), ['1', '2']);
});

test('the next poll with as_of is empty when nothing changed', async () => {
  const shop = await withThree();
  let since = LONG_AGO;
  const seen: number[] = [];
  for (let poll = 0; poll < 3; poll++) {
    const { body } = await shop.get('/v1/orders', { updated_since: since });
    seen.push(body.data.length);
    since = body.meta.as_of;
  }

  assert.deepEqual(seen, [3, 0, 0]);
});

test('as_of is the first microsecond that the walk does not cover', async () => {
  const shop = await withThree();

  const { body } = await shop.get('/v1/orders', { updated_since: LONG_AGO });
  const last = Temporal.Instant.from(body.data.at(-1).last_updated);
  assert.equal(
    body.meta.as_of,
    last.add({ microseconds: 1 }).toString({ smallestUnit: 'microsecond' }),
  );
});

test('polling by as_of, or by the largest last_updated seen, misses nothing', async () => {
  const shop = await openShop(instance);
  const byAsOf = follower(shop, (body) => body.meta.as_of);
  const byLargest = follower(shop, (body, since) => body.data.at(-1)?.last_updated ?? since);
  for (let round = 0; round < 12; round++) {
    const changed = Array.from({ length: round % 4 }, (_, index) =>
      anOrder({ id: `${(round + index) % 5}`, total: decimal(`${round}.${index}`) }),
    );
    await shop.record(...changed);
    if (round % 3 === 0) instance.clock.advance({ milliseconds: 1 });
    await soon(async () => {
      await byAsOf.poll();
      await byLargest.poll();
      const whole = new Map((await shop.orders()).map(({ id, total }) => [id, total]));
      assert.deepEqual(byAsOf.copy, whole);
      assert.deepEqual(byLargest.copy, whole);
    });
  }

  assert.equal(byAsOf.copy.size, 5);
  assert.ok(byAsOf.received <= byLargest.received, 'with as_of nothing comes twice for nothing');
});

test('a delta walk ends at as_of although orders go on changing, and the next poll has the rest', async () => {
  const shop = await openShop(instance);
  const ids = Array.from({ length: 10 }, (_, index) => `${index}`);
  await shop.record(...ids.map((id) => anOrder({ id })));
  let count = 0;

  const pages = await shop.walk({ updated_since: LONG_AGO, limit: 2 }, () => {
    instance.clock.advance({ seconds: 1 });
    return shop.record(
      anOrder({ id: `${count++ % 10}`, total: decimal(`${count}`) }),
      anOrder({ id: `new-${count}` }),
    );
  });

  assert.ok(pages.length <= 5, `${pages.length} pages`);
  assert.equal(new Set(pages.map(({ body }) => body.meta.as_of)).size, 1);
  const asOf = pages[0]?.body.meta.as_of;
  const next = await shop.ids({ updated_since: asOf, limit: 100 });
  assert.deepEqual(
    new Set([...idsOf(pages), ...next].filter((id) => !id.startsWith('new'))),
    new Set(ids),
  );
  assert.equal(new Set(idsOf(pages)).size, idsOf(pages).length, 'nothing twice within the walk');
});

test('updated_since in the future gives an empty page, not an error', async () => {
  const shop = await withThree();
  for (const since of ['2100-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z']) {
    const { status, body } = await shop.get('/v1/orders', { updated_since: since });
    assert.equal(status, 200);
    assert.deepEqual([body.data, body.pagination], [[], { next_cursor: null, has_more: false }]);
  }

  const { body } = await shop.get('/v1/orders', { updated_since: '2100-01-01T00:00:00Z' });
  await shop.record(anOrder({ id: 'later' }));
  await soon(async () =>
    assert.deepEqual(await shop.ids({ updated_since: body.meta.as_of }), ['later']),
  );
});

test('an organisation without orders has an as_of from which its first order is found', async () => {
  const shop = await openShop(instance);
  const { body } = await shop.get('/v1/orders', { updated_since: LONG_AGO });
  await shop.record(anOrder());

  assert.equal((await shop.ids({ updated_since: body.meta.as_of })).length, 1);
});

test('a plain list gives an as_of too: from it, a delta has what the list did not', async () => {
  const shop = await withThree();
  const { body } = await shop.get('/v1/orders');
  assert.deepEqual(await shop.ids({ updated_since: body.meta.as_of }), []);

  await shop.record(anOrder({ id: '2', status: 'returned' }));
  await soon(async () =>
    assert.deepEqual(await shop.ids({ updated_since: body.meta.as_of }), ['2']),
  );
});

test('a foreign payload on the channel of the delta clock changes nothing', async () => {
  const shop = await withThree();
  await shop.orders({ updated_since: LONG_AGO });

  await instance.app.database.write((handle) =>
    handle.sql("select pg_notify('clock', 'basura')", []),
  );
  await shop.record(old('4'));

  assert.deepEqual(await shop.ids({ updated_since: LONG_AGO }), ['1', '2', '3', '4']);
});

test('updated_since combines with the other filters', async () => {
  const shop = await withThree();
  await shop.record(
    anOrder({ id: '4', status: 'cancelled' }),
    anOrder({ id: '5', status: 'cancelled', marketplace: 'vtex' }),
  );

  assert.deepEqual(await shop.ids({ updated_since: LONG_AGO, status: 'cancelled' }), ['4', '5']);
  assert.deepEqual(
    await shop.ids({ updated_since: LONG_AGO, status: 'cancelled,paid', marketplace: 'vtex' }),
    ['5'],
  );
});

test('orders are never removed: a cancelled one changes status', async () => {
  const shop = await withThree();
  await shop.record(anOrder({ id: '1', status: 'cancelled', marketplaceStatus: 'cancelled' }));

  assert.deepEqual(await shop.ids({ status: 'cancelled' }), ['1']);
  assert.equal((await shop.orders()).length, 3);
});

test('order status: no transition is enforced, and every one is kept in status_history', async () => {
  const shop = await openShop(instance);
  const moves = ORDER_STATUSES.flatMap((from) =>
    ORDER_STATUSES.filter((to) => to !== from).map((to) => ({ id: `${from}-${to}`, from, to })),
  );
  const reported = (which: 'from' | 'to', changedAt: Temporal.Instant) =>
    moves.map((move) =>
      anOrder({
        id: move.id,
        status: move[which],
        marketplaceStatus: `raw ${move[which]}`,
        changedAt,
      }),
    );

  await shop.record(...reported('from', at));
  instance.clock.advance({ hours: 1 });
  await shop.record(...reported('to', at.add({ hours: 1 })));

  for (const { id, from, to } of moves.filter((_, index) => index % 7 === 0)) {
    const { data } = (await shop.get(`/v1/orders/${id}`)).body;
    assert.equal(data.status, to);
    assert.deepEqual(data.status_history, [
      { status: from, marketplace_status: `raw ${from}`, at: '2026-11-16T00:00:00.000Z' },
      { status: to, marketplace_status: `raw ${to}`, at: '2026-11-16T01:00:00.000Z' },
    ]);
  }
  assert.equal(moves.length, 90);
  for (const status of ORDER_STATUSES) assert.equal((await shop.ids({ status })).length, 9);
});

test('a status that we do not know keeps its raw value and raises an alert', async () => {
  const shop = await openShop(instance);
  await shop.record(anOrder({ status: 'unknown', marketplaceStatus: 'teleported' }));

  const { data } = (await shop.get('/v1/orders/2000000000000001')).body;
  assert.deepEqual([data.status, data.marketplace_status], ['unknown', 'teleported']);
  const alerts = await instance.app.database.write((handle) =>
    handle.sql('select kind, subject, times, message from alerts where organization_id = $1', [
      shop.organization.id,
    ]),
  );
  const [{ message = null, ...alert } = {}, ...others] = alerts as Record<string, unknown>[];
  assert.deepEqual(
    [alert, others],
    [{ kind: 'unknown_order_status', subject: 'mercado_libre teleported', times: 1 }, []],
  );
  assert.match(String(message), /^Mercado Libre usa .*«teleported»/);
});

test('a cursor and another updated_since do not go together', async () => {
  const shop = await withThree();
  const { body } = await shop.get('/v1/orders', { limit: 1 });

  const cursor = body.pagination.next_cursor;
  errorOf(
    await shop.get('/v1/orders', { cursor, updated_since: '2100-01-01T00:00:00Z' }),
    '400 invalid_cursor',
  );
});

function old(id: string, change: Partial<Order> = {}): Order {
  return anOrder({ id, dateCreated: Temporal.Instant.from('2024-01-02T00:00:00Z'), ...change });
}

function aShipping(): NonNullable<Order['shipping']> {
  return {
    carrier: 'estafeta',
    trackingNumber: '1',
    method: null,
    status: 'shipped',
    shippedAt: null,
    deliveredAt: null,
  };
}

async function withThree(): Promise<Shop> {
  const shop = await openShop(instance);
  for (const id of ['1', '2', '3']) {
    await shop.record(anOrder({ id }));
    instance.clock.advance({ seconds: 1 });
  }
  return shop;
}

/** A client that keeps a copy of the totals, as the documentation says. */
// biome-ignore lint/suspicious/noExplicitAny: an answer's body
function follower(shop: Shop, nextSince: (body: any, since: string) => string) {
  const copy = new Map<string, number>();
  let since = LONG_AGO;
  const client = {
    copy,
    received: 0,
    async poll() {
      const pages = await shop.walk({ updated_since: since, limit: 2 });
      for (const { body } of pages) {
        for (const { id, total } of body.data) copy.set(id, total);
        client.received += body.data.length;
      }
      const whole = pages.flatMap(({ body }) => body.data);
      since = nextSince({ ...pages[0]?.body, data: whole }, since);
    },
  };
  return client;
}
