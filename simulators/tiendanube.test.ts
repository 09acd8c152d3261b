import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { totalOf } from './tiendanube/facts.ts';
import { startTiendanube, type TiendanubeOptions } from './tiendanube/index.ts';

const NOON = Date.parse('2026-11-16T18:00:00Z');
const HOOK = 'https://tienda.example/aviso';

// biome-ignore lint/suspicious/noExplicitAny: foreign documents, read by tests only
type Json = any;

/** A simulator with a clock that is stopped until advanced, and a caller with a good token. */
async function open(t: TestContext, options: TiendanubeOptions = {}) {
  const clock = { at: NOON };
  const sim = await startTiendanube({ seed: 1, now: () => clock.at, ...options });
  t.after(sim.close);
  const base = `${sim.url}/v1/${sim.store.id}`;

  async function ask(path: string, init: RequestInit = {}, headers: Record<string, string> = {}) {
    const authentication = `bearer ${sim.credentials().access_token}`;
    const all = { authentication, 'user-agent': 'Prueba (4321)', ...headers };
    const answer = await fetch(`${base}${path}`, { ...init, headers: all });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: (text ? JSON.parse(text) : null) as Json,
    };
  }

  const get = (path: string, headers: Record<string, string> = {}) => ask(path, {}, headers);
  const post = (path: string, body: object, type = 'application/json') =>
    ask(path, { method: 'POST', body: JSON.stringify(body) }, { 'content-type': type });
  const ids = async (query: string) => {
    const { status, body } = await get(`/orders?${query}`);
    return status === 404 ? [] : body.map(({ id }: Json) => String(id));
  };
  return { sim, world: sim.world, clock, get, post, ids };
}

test('the token is in «Authentication», and the caller identifies itself', async (t) => {
  const { sim, get } = await open(t);
  const { access_token } = sim.credentials();

  for (const headers of [
    { authentication: `bearer ${access_token}x` },
    { authentication: '', authorization: `Bearer ${access_token}` },
  ]) {
    const { status, body } = await get('/store', headers);
    assert.deepEqual([status, body.description], [401, 'Invalid access token']);
  }
  assert.equal((await get('/store', { 'user-agent': 'node' })).status, 400);
  assert.equal((await get('/store')).body.id, sim.store.id);
  sim.revoke();
  assert.equal((await get('/store', { authentication: `bearer ${access_token}` })).status, 401);
  assert.equal((await get('/store')).status, 200, 'with a new one');
});

test('pages are linked, and the one behind the last is not there', async (t) => {
  const { world, get } = await open(t);
  assert.equal((await get('/orders')).status, 404);
  for (let count = 0; count < 65; count++) world.place();

  const pages = await Promise.all([1, 2, 3].map((page) => get(`/orders?page=${page}`)));
  const behind = await get('/orders?page=4');

  assert.deepEqual(
    pages.map(({ body }) => body.length),
    [30, 30, 5],
  );
  assert.deepEqual(
    pages.map(({ headers }) => headers.get('x-total-count')),
    ['65', '65', '65'],
  );
  assert.deepEqual(
    pages.map(({ headers }) => /page=(\d+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]),
    ['2', '3', undefined],
  );
  assert.deepEqual([behind.status, behind.body.description], [404, 'Last page is 3']);
  assert.equal((await get('/orders?per_page=200')).body.length, 65);
  assert.equal((await get('/orders?per_page=201')).status, 422);
  assert.equal((await get('/orders?per_page=200&page=51')).status, 422, 'behind ten thousand rows');
});

test('orders are found by when they changed and were placed', async (t) => {
  const { world, clock, ids } = await open(t);
  const [first, second] = [world.place(), world.place()];
  clock.at += 60_000;
  world.pay(first.id);
  const third = world.place();
  const minute = new Date(clock.at).toISOString().slice(0, 19);

  assert.deepEqual(await ids(`updated_at_min=${minute}Z`), [third.id, first.id]);
  assert.deepEqual(await ids(`updated_at_max=2026-11-16T12:00:30-06:00`), [second.id]);
  assert.deepEqual(await ids(`created_at_min=${minute}%2B0000`), [third.id]);
  assert.deepEqual(await ids(`since_id=${second.id}`), [third.id]);
});

test('without a filter the list leaves out what was refunded, voided or abandoned', async (t) => {
  const { world, get, ids } = await open(t);
  const shown = world.place();
  const refunded = world.place();
  world.refund(refunded.id);
  const cancelled = Array.from({ length: 12 }, () => world.place());
  for (const { id } of cancelled) world.cancel(id);

  const found = {
    any: await ids('per_page=200'),
    refunded: await ids('payment_status=refunded'),
    voided: await ids('payment_status=voided'),
    abandoned: await ids('payment_status=abandoned'),
  };

  assert.ok(found.any.includes(shown.id) && !found.any.includes(refunded.id));
  assert.deepEqual(found.refunded, [refunded.id]);
  assert.ok(found.voided.length > 0 && found.abandoned.length > 0);
  assert.equal(Object.values(found).flat().length, 14);
  assert.equal((await get('/orders?payment_status=partially_refunded')).status, 422);
});

test('the total is the goods and the buyer’s shipping less the discount, whatever kind the discount is', async (t) => {
  const { world, get } = await open(t);
  const line = { sku: 'TG-0001', quantity: 2, unitPrice: '171.75', listPrice: '229.00' };
  const placed = Array.from({ length: 12 }, () =>
    world.place({ lines: [line], coupon: '20.00', shipping: '99.00' }),
  );

  const bodies: Json[] = await Promise.all(
    placed.map(async ({ id }) => (await get(`/orders/${id}`)).body),
  );

  for (const body of bodies) {
    assert.deepEqual(
      [body.subtotal, body.discount, body.shipping_cost_customer, body.total],
      ['343.50', '20.00', '99.00', '422.50'],
    );
    const { discount_coupon, discount_gateway, promotional_discount } = body;
    const kinds = [discount_coupon, discount_gateway, promotional_discount.total_discount_amount];
    assert.deepEqual(
      kinds.toSorted(),
      ['0.00', '0.00', '20.00'],
      'it is one of these, and the whole',
    );
    assert.equal(body.coupon.length, discount_coupon === '20.00' ? 1 : 0);
    assert.deepEqual(
      [body.products[0].price, body.products[0].compare_at_price],
      ['171.75', '229.00'],
    );
  }
  assert.equal(new Set(bodies.map(({ discount_gateway }) => discount_gateway)).size, 2);
  assert.ok(bodies.every((body) => body.shipping_cost_owner !== body.shipping_cost_customer));
});

test('an order that was archived and opened again keeps the time at which it was archived', async (t) => {
  const { world, get } = await open(t);
  const orders = Array.from({ length: 60 }, () => world.place());
  for (const { id } of orders) world.pay(id);

  const paid: Json[] = (await get('/orders?per_page=200')).body;

  const reopened = paid.filter(({ closed_at }) => closed_at !== null);
  assert.ok(reopened.length > 0 && reopened.length < 30);
  assert.ok(reopened.every(({ status }) => status === 'open'));
});

test('a dated version has shipping in fulfillment orders, whole where requested', async (t) => {
  const { sim, world } = await open(t, { version: '2025-03' });
  const { id, tracking } = world.place({ shipping: '99.00' });
  world.ship(id);
  const ask = async (query: string) => {
    const headers = {
      authentication: `bearer ${sim.credentials().access_token}`,
      'user-agent': 'Prueba (4321)',
    };
    const answer = await fetch(`${sim.url}/2025-03/${sim.store.id}/orders/${id}${query}`, {
      headers,
    });
    return (await answer.json()) as Json;
  };

  const [plain, whole] = [await ask(''), await ask('?aggregates=fulfillment_orders')];

  for (const name of ['shipping_cost_customer', 'shipping', 'shipped_at', 'next_action'])
    assert.ok(!(name in plain) && !(name in whole), name);
  const [parcel] = whole.fulfillment_orders;
  assert.deepEqual(plain.fulfillments, [parcel.id]);
  assert.deepEqual(
    [parcel.status, parcel.shipping.consumer_cost.value, parcel.tracking_info.code],
    ['DISPATCHED', 99, tracking],
  );
});

test('a token opens its own store alone', async (t) => {
  const { sim, get } = await open(t);
  const { version, store_id, access_token } = sim.credentials();
  const ask = (store: number) =>
    fetch(`${sim.url}/${version}/${store}/store`, {
      headers: { 'user-agent': 'Prueba (a@b.example)', authentication: `bearer ${access_token}` },
    });

  assert.equal((await get('/store')).status, 200);
  assert.equal((await ask(store_id)).status, 200);
  assert.equal((await ask(store_id + 1)).status, 401);
});

test('an order is written one way in the list and another way alone', async (t) => {
  const { world, get } = await open(t);
  const order = world.place({ lines: [{ quantity: 3 }] });

  const [listed] = (await get('/orders')).body;
  const alone = (await get(`/orders/${order.id}`)).body;

  assert.deepEqual([listed.products[0].quantity, alone.products[0].quantity], ['3', 3]);
  assert.equal(listed.created_at, '2026-11-16T18:00:00+0000');
  assert.equal(alone.created_at, '2026-11-16T15:00:00-03:00');
  assert.deepEqual(listed.completed_at, {
    date: '2026-11-16 18:00:00.000000',
    timezone_type: 3,
    timezone: 'UTC',
  });
  assert.equal(typeof listed.store_id, 'string');
  assert.equal(Number(listed.total) * 100, totalOf(order));
  assert.equal((await get('/orders/1')).status, 404);
});

test('an order lives through the documented words', async (t) => {
  const { sim, world, get } = await open(t);
  const { id } = world.place();
  const words = async () => {
    const { status, payment_status, shipping_status, next_action } = (await get(`/orders/${id}`))
      .body;
    return `${status} ${payment_status} ${shipping_status} ${next_action}`;
  };
  const waiting = '(unpacked|unfulfilled|unshipped)';

  assert.match(
    await words(),
    new RegExp(`^open (pending|authorized) ${waiting} waiting_manual_confirmation$`),
  );
  world.pay(id);
  assert.match(await words(), new RegExp(`^open paid ${waiting} waiting_packing$`));
  world.pack(id);
  assert.match(await words(), new RegExp(`^open paid ${waiting} waiting_(shipment|pickup)$`));
  world.ship(id);
  assert.match(await words(), /^open paid (shipped|fulfilled) close$/);
  world.deliver(id);
  assert.match(await words(), /^(open|closed) paid delivered close$/);
  world.refund(id);
  assert.match(await words(), / refunded delivered /);
  sim.switches.meli.add(id);
  assert.equal((await get(`/orders/${id}`)).body.storefront, 'meli');
});

test('old documents have a price for the total, and lines without names', async (t) => {
  const { sim, world, get } = await open(t);
  const { id } = world.place();
  sim.switches.legacy.add(id);
  sim.switches.hidesCustomers = true;

  const [order] = (await get('/orders')).body;

  assert.equal(Number(order.price) * 100, totalOf(world.order(id) ?? assert.fail()));
  for (const absent of ['total', 'billing_name', 'customer'])
    assert.equal(absent in order, false, absent);
  assert.deepEqual(['name' in order.products[0], order.shipping_status], [false, 'unshipped']);
});

test('stock is counted by variant, and null where it is not counted', async (t) => {
  const { world, get } = await open(t);

  const products = (await get('/products?per_page=200')).body;
  const [{ id, variants }] = products;

  const stock = world.stock();
  for (const { sku, stock: reported, stock_management } of products.flatMap(
    (one: Json) => one.variants,
  ))
    assert.equal(reported, stock_management ? stock.get(sku) : null);
  assert.deepEqual((await get(`/products/${id}/variants`)).body, variants);
  assert.equal((await get('/products/1')).status, 404);
});

test('the bucket holds forty, leaks two a second, and says in milliseconds when it is empty', async (t) => {
  const { clock, get } = await open(t, { bucket: 40 });
  const ask = async () => {
    const { status, headers } = await get('/store');
    return [status, headers.get('x-rate-limit-remaining'), headers.get('x-rate-limit-reset')];
  };

  const answers = [];
  for (let count = 0; count < 41; count++) answers.push(await ask());
  clock.at += 500;

  assert.deepEqual(answers[0], [200, '39', '500']);
  assert.deepEqual(answers[39], [200, '0', '20000']);
  assert.deepEqual(answers[40], [429, '0', '20000']);
  assert.deepEqual(await ask(), [200, '0', '20000'], 'one drop leaked out');
});

test('webhooks take known events and reachable addresses, and are signed', async (t) => {
  const { sim, world, get, post } = await open(t);
  const statuses = await Promise.all(
    [
      { event: 'order/paid', url: HOOK },
      { event: 'order/eaten?', url: HOOK },
      { event: 'order/paid', url: 'http://tienda.example/aviso' },
      { event: 'order/paid', url: 'https://localhost/aviso' },
    ].map(async (hook) => (await post('/webhooks', hook)).status),
  );
  assert.equal(
    (await post('/webhooks', { event: 'order/paid', url: HOOK }, 'text/plain')).status,
    415,
  );
  const { id } = world.place();
  world.pay(id);

  const [push, ...others] = sim.webhooks.due();

  assert.deepEqual(statuses, [201, 422, 422, 422]);
  assert.equal((await get('/webhooks')).body.length, 1);
  assert.deepEqual(others, []);
  assert.equal(push?.text, `{"store_id":${sim.store.id},"event":"order/paid","id":${id}}`);
  const signature = createHmac('sha256', sim.application.clientSecret)
    .update(push.text)
    .digest('hex');
  assert.equal(push.headers['x-linkedstore-hmac-sha256'], signature);
  assert.deepEqual(sim.webhooks.due(), [], 'sent once');
});

test('a code lives thirty seconds and works once, and its token ends the one before', async (t) => {
  const { sim, clock, get } = await open(t);
  const { clientId, clientSecret } = sim.application;
  const former = `bearer ${sim.credentials().access_token}`;
  const consent = async () => {
    const answer = await fetch(`${sim.url}/apps/${clientId}/authorize?state=s`, {
      redirect: 'manual',
    });
    const back = new URL(answer.headers.get('location') ?? '');
    assert.equal(back.searchParams.get('state'), 's');
    return back.searchParams.get('code');
  };
  const exchange = async (code: string | null, type = 'application/json') => {
    const asked = {
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'authorization_code',
      code,
    };
    const answer = await fetch(`${sim.url}/apps/authorize/token`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify(asked),
    });
    return { status: answer.status, body: (await answer.json()) as Json };
  };

  const late = await consent();
  clock.at += 30_000;
  assert.equal((await exchange(late)).status, 400);
  assert.equal((await exchange(await consent(), 'text/plain')).status, 415);
  const code = await consent();
  const { body } = await exchange(code);

  assert.deepEqual([body.token_type, body.user_id], ['bearer', String(sim.store.id)]);
  assert.equal((await exchange(code)).status, 400);
  assert.equal((await get('/store', { authentication: former })).status, 401);
  assert.equal(
    (await get('/store', { authentication: `bearer ${body.access_token}` })).status,
    200,
  );
});

test('a store that does not pay its application is answered with 402', async (t) => {
  const { sim, get } = await open(t);
  sim.switches.suspended = true;

  assert.equal((await get('/orders')).status, 402);
});

test('a folder of documents is served by shape, with every digit as it was written', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tiendanube-'));
  t.after(() => rm(folder, { recursive: true }));
  const save = (name: string, text: string) => writeFile(join(folder, name), text);
  await save('list.json', '[{"id":9007199254740993,"payment_status":"paid","total":440.00}]');
  await save(
    'variants.json',
    '[{"id":1,"product_id":7,"stock":5},{"id":2,"product_id":7,"stock":null}]',
  );
  await save('store.json', '{"id":777,"main_currency":"MXN"}');
  await save('error.json', '{"src":["is empty"]}');
  const { sim, get } = await open(t, { replay: folder });

  assert.match((await get('/orders')).text, /"id":9007199254740993,.*"total":440\.00/);
  assert.match((await get('/orders/9007199254740993')).text, /"total":440\.00/);
  assert.equal((await get('/products')).body[0].variants.length, 2);
  assert.deepEqual([sim.store.id, (await get('/store')).body.id], [777, 777]);
  assert.deepEqual(sim.replayed.ignored, ['error.json']);
});

test('chance breaks answers, and afterwards they are whole', async (t) => {
  const { sim, get } = await open(t);
  sim.faults.random({ probability: 1, kinds: ['expired_token', 'too_many'] });

  const statuses = new Set<number>();
  for (let count = 0; count < 20; count++) statuses.add((await get('/store')).status);

  assert.deepEqual([...statuses].sort(), [401, 429]);
  sim.faults.stop();
  assert.equal((await get('/store')).status, 200);
});
