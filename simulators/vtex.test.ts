import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { Order } from './order.ts';
import { changeOf, isInvoicedEarly, orderIdOf, totalOf } from './vtex/facts.ts';
import { startVtex, type VtexOptions } from './vtex/index.ts';

const NOON = Date.parse('2026-11-16T18:00:00Z');
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

// biome-ignore lint/suspicious/noExplicitAny: foreign documents, read by tests only
type Json = any;

const CONFIG = {
  filter: {
    type: 'FromWorkflow',
    status: ['payment-pending', 'ready-for-handling', 'invoiced', 'canceled'],
  },
  queue: { visibilityTimeoutInSeconds: 240, MessageRetentionPeriodInSeconds: 345_600 },
};

/** A simulator with a clock that is stopped until advanced, and a caller with a good key. */
async function open(t: TestContext, options: VtexOptions = {}) {
  const clock = { at: NOON };
  const sim = await startVtex({ seed: 1, now: () => clock.at, ...options });
  t.after(sim.close);

  async function ask(path: string, body?: object, headers: Record<string, string> = {}) {
    const { app_key, app_token } = sim.credentials();
    const own = { 'x-vtex-api-appkey': app_key, 'x-vtex-api-apptoken': app_token };
    const method = body ? 'POST' : 'GET';
    const text = body ? { body: JSON.stringify(body) } : {};
    const answer = await fetch(sim.url + path, {
      method,
      headers: { ...own, ...headers },
      ...text,
    });
    const read = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: (read ? JSON.parse(read) : null) as Json,
    };
  }

  const list = async (query = '') => (await ask(`/api/oms/pvt/orders?${query}`)).body as Json;
  const lot = async () => (await ask('/api/orders/feed?maxlot=10')).body as Json[];
  const commit = (events: Json[]) =>
    ask('/api/orders/feed', { handles: events.map(({ handle }) => handle) });
  return { sim, world: sim.world, clock, ask, list, lot, commit };
}

test('key and token are in two headers; anything else is refused, and a missing role is 403', async (t) => {
  const { sim, ask } = await open(t);

  for (const headers of [{ 'x-vtex-api-apptoken': 'otro' }, { 'x-vtex-api-appkey': 'otra' }])
    assert.equal((await ask('/api/oms/pvt/orders', undefined, headers)).status, 401);
  sim.switches.lacks.add('feed');
  assert.equal((await ask('/api/orders/feed/config')).status, 403);
  assert.equal((await ask('/api/oms/pvt/orders')).status, 200);
  const old = { 'x-vtex-api-apptoken': sim.credentials().app_token };
  sim.revoke();
  assert.equal((await ask('/api/oms/pvt/orders', undefined, old)).status, 401);
});

test('the list has fifteen rows a page by default, a hundred at most, and thirty pages', async (t) => {
  const { world, clock, list, ask } = await open(t);
  world.fill({ orders: 130, days: 20 });
  clock.at += 5 * MINUTE;

  assert.deepEqual((await list()).paging, { total: 130, pages: 9, currentPage: 1, perPage: 15 });
  assert.equal((await list('per_page=100&page=2')).list.length, 30);
  assert.equal((await ask('/api/oms/pvt/orders?per_page=101')).status, 400);
  const refused = await ask('/api/oms/pvt/orders?page=31');
  assert.deepEqual([refused.status, refused.body.error.exception], [400, null]);
});

test('the list lags four minutes behind, and its rows have no items', async (t) => {
  const { world, clock, list, ask } = await open(t);
  const order = world.place();
  const id = orderIdOf(order);

  clock.at += 3 * MINUTE;
  assert.equal((await list()).paging.total, 0);
  assert.equal((await ask(`/api/oms/pvt/orders/${id}`)).status, 200);
  clock.at += MINUTE;
  world.pay(order.id);
  const [row] = (await list()).list;
  assert.deepEqual([row.orderId, row.status, row.items], [id, 'payment-pending', null]);
  assert.equal('lastChange' in row, false);
});

test('orders are found by when they were created and invoiced', async (t) => {
  const { world, clock, list } = await open(t);
  const [old, recent] = [world.place({ at: NOON - DAY }), world.place()];
  world.ship(old.id);
  clock.at += 10 * MINUTE;
  const span = (from: number, to: number) =>
    `[${new Date(from).toISOString()} TO ${new Date(to).toISOString()}]`;
  const ids = async (query: string) =>
    ((await list(query)).list as Json[]).map(({ orderId }) => orderId);

  assert.deepEqual(await ids(`f_creationDate=creationDate:${span(NOON - MINUTE, clock.at)}`), [
    orderIdOf(recent),
  ]);
  assert.deepEqual(await ids(`f_invoicedDate=invoicedDate:${span(NOON, clock.at)}`), [
    orderIdOf(old),
  ]);
  assert.deepEqual(await ids('orderBy=creationDate,asc'), [orderIdOf(old), orderIdOf(recent)]);
});

test('amounts are cents, and the totals add up to the value', async (t) => {
  const { world, clock, ask } = await open(t);
  world.fill({ orders: 30, days: 10 });

  for (const order of world.orders()) {
    const { body } = await ask(`/api/oms/pvt/orders/${orderIdOf(order)}`);
    const sum = body.totals.reduce((all: number, { value }: Json) => all + value, 0);
    const total = totalOf(order, clock.at);
    assert.deepEqual([body.value, sum], [total, total]);
    for (const item of body.items) assertPriced(item);
    assert.match(body.creationDate, /\.\d{7}\+00:00$/);
  }
});

/** What the buyer pays for a line is its price less the tags on it, and what its pieces cost. */
function assertPriced({ price, quantity, unitMultiplier, priceTags, priceDefinition }: Json): void {
  const { total, sellingPrices } = priceDefinition;
  const off = priceTags.reduce((all: number, { value }: Json) => all + value, 0);
  const pieces = sellingPrices.reduce(
    (all: number, one: Json) => all + one.value * one.quantity,
    0,
  );
  assert.deepEqual([price * unitMultiplier * quantity + off, pieces], [total, total]);
}

test('a coupon is shared out among the lines, and a change is beside the items', async (t) => {
  const { world, clock, ask } = await open(t);
  world.fill({ orders: 150, days: 20 });
  const order = world.place({ lines: [{}, { quantity: 3 }], coupon: '20.00', shipping: '99.00' });
  const read = async (order: Order) =>
    (await ask(`/api/oms/pvt/orders/${orderIdOf(order)}`)).body as Json;

  const { items, totals, marketingData } = await read(order);
  const coupons = items.flatMap(({ priceTags }: Json) => priceTags.at(-1).value);
  assert.equal(coupons[0] + coupons[1], -2_000);
  assert.deepEqual([totals[2].value, marketingData.coupon], [9_900, 'BIENVENIDA']);

  const changed = world.orders().filter((one) => changeOf(one, clock.at));
  const kinds = await Promise.all(
    changed.map(async (one) => {
      const { changesAttachment, totals } = await read(one);
      const [{ discountValue, incrementValue, itemsAdded, itemsRemoved }] =
        changesAttachment.changesData;
      const last = totals.at(-1);
      assert.deepEqual([last.id, last.value], ['Change', incrementValue - discountValue]);
      return itemsAdded.length * 2 + itemsRemoved.length;
    }),
  );
  assert.deepEqual([...new Set(kinds)].sort(), [0, 1, 2]);
});

test('an order goes through the workflow; delivery and refunds are written into its parcels', async (t) => {
  const { world, ask } = await open(t);
  const order = world.place();
  const read = async () => (await ask(`/api/oms/pvt/orders/${orderIdOf(order)}`)).body as Json;

  assert.equal((await read()).status, 'payment-pending');
  world.pay(order.id);
  assert.equal((await read()).status, 'ready-for-handling');
  world.pack(order.id);
  assert.equal((await read()).status, isInvoicedEarly(order) ? 'invoiced' : 'handling');
  world.ship(order.id);
  world.deliver(order.id);
  world.refund(order.id);
  const { status, packageAttachment, value } = await read();
  const [sent, back] = packageAttachment.packages;
  assert.deepEqual([status, sent.type, sent.courierStatus.finished], ['invoiced', 'Output', true]);
  assert.deepEqual([back.type, back.restitutions.Refund.value], ['Input', value]);
});

test('the feed has the events of its filter, newest first; what is not committed comes again', async (t) => {
  const { world, clock, ask, lot, commit } = await open(t);
  assert.equal((await ask('/api/orders/feed')).status, 404);
  await ask('/api/orders/feed/config', CONFIG);
  const order = world.place();
  clock.at += MINUTE;
  world.pay(order.id);

  const first = await lot();
  assert.deepEqual(
    first.map(({ state }) => state),
    ['ready-for-handling', 'payment-pending'],
  );
  assert.deepEqual(await lot(), []);
  await commit(first.slice(0, 1));
  clock.at += 4 * MINUTE;
  const [again, ...more] = await lot();
  assert.deepEqual([again.state, again.eventId, more], ['payment-pending', first[1].eventId, []]);
  assert.notEqual(again.handle, first[1].handle);
  await commit([again]);
  clock.at += 4 * MINUTE;
  assert.deepEqual(await lot(), []);
});

test('the feed gives ten events at once, and none of what is no state of the workflow', async (t) => {
  const { world, ask, lot, commit } = await open(t);
  await ask('/api/orders/feed/config', CONFIG);
  for (let count = 0; count < 12; count++) world.place();

  const events = await lot();
  assert.equal(events.length, 10);
  assert.equal((await ask('/api/orders/feed?maxlot=11')).status, 400);
  await commit(events);
  await commit(await lot());
  const [order] = world.orders();
  world.ship(order?.id ?? '');
  await commit(await lot());
  world.deliver(order?.id ?? '');
  world.refund(order?.id ?? '');
  assert.deepEqual(await lot(), []);
});

test('a feed to which nothing came during its retention is deleted', async (t) => {
  const { world, clock, ask } = await open(t);
  const refused = { ...CONFIG, queue: { ...CONFIG.queue, MessageRetentionPeriodInSeconds: 60 } };
  assert.equal((await ask('/api/orders/feed/config', refused)).status, 400);
  await ask('/api/orders/feed/config', CONFIG);

  clock.at += 3 * DAY;
  world.place();
  assert.equal((await ask('/api/orders/feed/config')).status, 200);
  clock.at += 3 * DAY;
  assert.equal((await ask('/api/orders/feed/config')).status, 200);
  clock.at += 2 * DAY;
  assert.equal((await ask('/api/orders/feed/config')).status, 404);
});

test('a hook whose address does not answer the ping is not saved', async (t) => {
  const { sim, ask } = await open(t);
  const config = {
    filter: CONFIG.filter,
    hook: { url: `${sim.url}/nada`, headers: { key: 'secreto' } },
  };

  assert.equal((await ask('/api/orders/hook/config', config)).status, 400);
  assert.equal((await ask('/api/orders/hook/config')).status, 404);
});

test('above its limit the account is refused, now and then with the time to wait', async (t) => {
  const { ask, clock } = await open(t, { perMinute: 2, retryAfter: 9 });

  await ask('/api/oms/pvt/orders');
  await ask('/api/oms/pvt/orders');
  const refused = await ask('/api/oms/pvt/orders');
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '9']);
  clock.at += MINUTE;
  assert.equal((await ask('/api/oms/pvt/orders')).status, 200);
});

test('a folder of documents is served by what they are; of a list’s row its fields', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vtex-'));
  t.after(() => rm(folder, { recursive: true }));
  const write = (name: string, document: object) =>
    writeFile(join(folder, name), JSON.stringify(document));
  await write('uno.json', {
    orderId: 'v1-01',
    creationDate: '2019-01-01T00:00:00+00:00',
    status: 'handling',
    value: 5,
  });
  const row = {
    orderId: 'v2-01',
    creationDate: '2019-01-02T00:00:00+00:00',
    totalValue: 7,
    status: 'canceled',
  };
  await write('lista.json', { list: [row, { ...row, orderId: 'v1-01' }], paging: { total: 2 } });
  await write('existencias.json', { skuId: '10', balance: [] });
  await write('otro.json', { hookConfig: 'ping' });
  const { sim, list, ask } = await open(t, { replay: folder });

  assert.deepEqual((await list()).list.map(({ orderId }: Json) => orderId).sort(), [
    'v1-01',
    'v2-01',
  ]);
  assert.equal((await ask('/api/oms/pvt/orders/v1-01')).body.value, 5);
  assert.equal((await ask('/api/oms/pvt/orders/v2-01')).body.value, 7);
  assert.equal((await ask('/api/logistics/pvt/inventory/skus/10')).status, 200);
  assert.deepEqual(sim.replayed.ignored, ['otro.json']);
});
