import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { moneyOf } from './woocommerce/facts.ts';
import { startWooCommerce, type WooCommerceOptions } from './woocommerce/index.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into as they are
type Json = any;

const NOON = Date.UTC(2026, 10, 12, 12);
const MINUTE = 60_000;

async function open(t: TestContext, options: WooCommerceOptions = {}) {
  const clock = { at: NOON };
  const sim = await startWooCommerce({ seed: t.name, now: () => clock.at, ...options });
  t.after(sim.close);

  async function ask(path: string, init: RequestInit = {}) {
    const { consumer_key, consumer_secret } = sim.credentials();
    const authorization = `Basic ${Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64')}`;
    const headers = { authorization, ...(init.headers as Record<string, string>) };
    const answer = await fetch(`${sim.url}${path}`, { redirect: 'manual', ...init, headers });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: (isJson ? JSON.parse(text) : null) as Json,
    };
  }
  const get = (path: string, init?: RequestInit) => ask(`/wp-json/wc/v3${path}`, init);
  const ids = async (query = '') =>
    (await get(`/orders?per_page=100${query}`)).body.map(({ id }: Json) => String(id));
  return { sim, world: sim.world, clock, ask, get, ids };
}

test('keys are in the header or in the query, and each refusal has its code', async (t) => {
  const { sim, get } = await open(t);
  const { consumer_key, consumer_secret } = sim.credentials();
  const bare = { headers: { authorization: '' } };

  assert.equal((await get('/orders')).status, 200);
  const inQuery = `/orders?consumer_key=${consumer_key}&consumer_secret=${consumer_secret}`;
  assert.equal((await get(inQuery, bare)).status, 200);
  assert.deepEqual((await get('/orders', bare)).body, {
    code: 'woocommerce_rest_cannot_view',
    message: 'Sorry, you cannot list resources.',
    data: { status: 401 },
  });
  const wrong = await get(`/orders?consumer_key=${consumer_key}&consumer_secret=cs_0`, bare);
  assert.equal(wrong.body.code, 'woocommerce_rest_authentication_error');
  sim.revoke();
  assert.equal((await get(inQuery, bare)).status, 401);
});

test('a page holds ten rows by default, at most a hundred, and counts all', async (t) => {
  const { world, get } = await open(t);
  world.fill({ orders: 130, days: 20 });

  const usual = await get('/orders');
  const rest = await get('/orders?per_page=100&page=2');

  assert.deepEqual(
    [usual.body.length, usual.headers.get('x-wp-total'), usual.headers.get('x-wp-totalpages')],
    [10, '130', '13'],
  );
  assert.match(usual.headers.get('link') ?? '', /rel="next"/);
  assert.equal(rest.body.length, 30);
  assert.equal((await get('/orders?per_page=100&offset=120')).body.length, 10);
  assert.deepEqual((await get('/orders?per_page=100&page=9')).body, []);
  assert.equal((await get('/orders?per_page=101')).body.code, 'rest_invalid_param');
});

test('dates have no zone, and a filter is read in the store’s time by default', async (t) => {
  const { world, clock, get, ids } = await open(t);
  const { id } = world.place();
  clock.at += MINUTE;

  const { date_created, date_created_gmt } = (await get(`/orders/${id}`)).body;

  assert.deepEqual(
    [date_created, date_created_gmt],
    ['2026-11-12T06:00:00', '2026-11-12T12:00:00'],
  );
  assert.deepEqual(await ids('&modified_after=2026-11-12T11:59:59&dates_are_gmt=true'), [id]);
  assert.deepEqual(
    await ids('&modified_after=2026-11-12T12:00:00&dates_are_gmt=true'),
    [],
    'not counted itself',
  );
  assert.deepEqual(await ids('&modified_after=2026-11-12T11:59:59'), [], 'six hours later');
  assert.deepEqual(await ids('&modified_after=2026-11-12T05:59:59'), [id]);
});

test('an old store ignores the filter by change without a word', async (t) => {
  const { world, ids } = await open(t, { isOld: true });
  const { id } = world.place();

  assert.deepEqual(await ids('&modified_after=2030-01-01T00:00:00&dates_are_gmt=true'), [id]);
  assert.deepEqual(await ids('&after=2030-01-01T00:00:00'), []);
});

test('an order lives through the statuses of the store, one of which a plugin made', async (t) => {
  const { world, get } = await open(t);
  const { id } = world.place();
  const status = async () => (await get(`/orders/${id}`)).body.status;

  assert.match(await status(), /^(pending|on-hold|failed)$/);
  world.pay(id);
  assert.equal(await status(), 'processing');
  world.ship(id);
  assert.equal(await status(), 'en-camino');
  world.deliver(id);
  assert.equal(await status(), 'completed');
  assert.notEqual((await get(`/orders/${id}`)).body.date_completed_gmt, null);
  world.takeBack(id);
  assert.equal(await status(), 'completed', 'a return is no status');
  world.refund(id);
  assert.equal(await status(), 'refunded');
});

test('refunds are negative in the order, have a date in their own list, and add up to the total', async (t) => {
  const { world, get } = await open(t);
  const order = world.place();
  world.pay(order.id);
  world.refund(order.id, '10.00');
  world.refund(order.id);

  const { refunds, total } = (await get(`/orders/${order.id}`)).body;
  const listed = (await get(`/orders/${order.id}/refunds`)).body;

  assert.equal(Number(total) * 100, moneyOf(order, { pricesIncludeTax: true }).total);
  assert.equal(
    refunds.reduce((sum: number, row: Json) => sum + Number(row.total) * 100, 0),
    -moneyOf(order, { pricesIncludeTax: true }).total,
  );
  assert.deepEqual(
    listed.map(({ id, amount }: Json) => [id, `-${amount}`]),
    refunds.map((row: Json) => [row.id, row.total]),
  );
  assert.match(listed[0].date_created_gmt, /^2026-11-12T12:00:00$/);
});

test('lines add up before the discount and after it, and goods by weight have fractions', async (t) => {
  const { sim, world, get } = await open(t, { pricesIncludeTax: false });
  const order = world.place({ lines: [{ quantity: 2, unitPrice: '90.00', listPrice: '100.00' }] });
  sim.switches.fractional.add(order.id);

  const { text, body } = await get(`/orders/${order.id}`);

  const [line] = body.line_items;
  assert.deepEqual([line.subtotal, line.total, line.price], ['200.00', '180.00', 90]);
  assert.equal(body.discount_total, '20.00');
  assert.match(text, /"quantity":1\.5/);
});

test('what is in the trash answers by name and in no list, what is deleted not at all', async (t) => {
  const { sim, world, get, ids } = await open(t);
  const [trashed, deleted] = [world.place().id, world.place().id];
  sim.switches.trashed.add(trashed);
  sim.switches.deleted.add(deleted);

  assert.deepEqual(await ids(), []);
  assert.equal((await get(`/orders/${trashed}`)).body.status, 'trash');
  const { status, body } = await get(`/orders/${deleted}`);
  assert.deepEqual([status, body.code], [404, 'woocommerce_rest_shop_order_invalid_id']);
});

test('without permalinks only the query finds the API', async (t) => {
  const { world, ask } = await open(t, { permalinks: false, path: '/tienda' });
  const { id } = world.place();

  const missing = await ask('/tienda/wp-json/wc/v3/orders');
  const found = await ask('/tienda/?rest_route=/wc/v3/orders');

  assert.deepEqual([missing.status, missing.body], [404, null]);
  assert.equal(String(found.body[0].id), id);
  assert.equal((await ask('/tienda/?rest_route=/wc/v3/nada')).body.code, 'rest_no_route');
  assert.equal(String((await ask(`/tienda/?rest_route=/wc/v3/orders/${id}`)).body.id), id);
});

test('firewalls, limits and redirects answer before the store does, in HTML', async (t) => {
  const { sim, get } = await open(t, { perMinute: 1 });
  sim.switches.firewall = true;
  assert.deepEqual([(await get('/orders')).status, (await get('/orders')).body], [403, null]);
  sim.switches.firewall = false;
  await get('/orders');
  assert.deepEqual([(await get('/orders')).status, (await get('/orders')).body], [429, null]);

  const moved = await open(t, { movedTo: 'https://www.tienda.example.mx' });
  const { status, headers } = await moved.get('/orders');
  assert.deepEqual(
    [status, headers.get('location')],
    [301, 'https://www.tienda.example.mx/wp-json/wc/v3/orders'],
  );
});

test('variations are below their product, with a shelf of their own, or the product’s', async (t) => {
  const { get } = await open(t);
  const products = (await get('/products?per_page=100')).body;
  const variable = products.filter(({ type }: Json) => type === 'variable');
  const ways = new Set<unknown>();

  for (const { id, variations, stock_quantity } of variable) {
    const rows = (await get(`/products/${id}/variations?per_page=100`)).body;
    assert.deepEqual(
      rows.map((row: Json) => row.id),
      variations,
    );
    for (const row of rows) {
      ways.add(row.manage_stock);
      if (row.manage_stock === 'parent') assert.equal(row.stock_quantity, stock_quantity);
      if (row.manage_stock === false) assert.equal(row.stock_quantity, null);
    }
  }

  assert.deepEqual(ways, new Set([true, false, 'parent']));
  const [{ id, variations }] = variable;
  const alone = (await get(`/products/${variations[0]}`)).body;
  assert.deepEqual([alone.type, alone.parent_id], ['variation', id]);
  assert.equal((await get('/products/1')).body.code, 'woocommerce_rest_product_invalid_id');
});

test('a subscription is greeted by a form, signed, and disabled after five failures', async (t) => {
  const heard: { headers: Json; text: string }[] = [];
  let status = 200;
  const listener = createServer(async (request, response) => {
    const text = (await Array.fromAsync(request)).join('');
    heard.push({ headers: request.headers, text });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  t.after(() => listener.close());
  const delivery_url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/avisos`;
  const { sim, world, get } = await open(t);
  const body = JSON.stringify({
    name: 'a',
    topic: 'order.updated',
    delivery_url,
    secret: 'secreto',
  });

  const made = await get('/webhooks', { method: 'POST', body });
  assert.deepEqual([made.status, made.body.status, made.body.secret], [201, 'active', undefined]);
  assert.equal(heard[0]?.text, `webhook_id=${made.body.id}`);
  assert.equal(heard[0]?.headers['x-wc-webhook-signature'], undefined);

  const { id } = world.place();
  world.pay(id);
  await sim.webhooks.flush();
  const [, reported] = heard;
  assert.equal(reported?.headers['x-wc-webhook-topic'], 'order.updated');
  assert.equal(
    reported?.headers['x-wc-webhook-signature'],
    createHmac('sha256', 'secreto')
      .update(reported?.text ?? '')
      .digest('base64'),
  );
  assert.equal(JSON.parse(reported?.text ?? '').status, 'processing');

  status = 500;
  for (let count = 0; count < 6; count++) {
    world.refund(id, '1.00');
    await sim.webhooks.flush();
  }
  assert.equal(heard.length, 2 + 5, 'the sixth is not sent any more');
  assert.equal((await get(`/webhooks/${made.body.id}`)).body.status, 'disabled');
  const again = await get(`/webhooks/${made.body.id}`, {
    method: 'PUT',
    body: JSON.stringify({ status: 'active' }),
  });
  assert.equal(again.body.status, 'active');
});

test('keys that may only read create nothing', async (t) => {
  const { sim, get } = await open(t, { may: 'read' });
  const body = JSON.stringify({ topic: 'order.updated', delivery_url: 'https://otro.example.mx' });

  assert.equal((await get('/webhooks', { method: 'POST', body })).status, 401);
  assert.deepEqual(sim.webhooks.all, []);
});

test('a folder of documents is served by shape, with every digit as it was written', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'woocommerce-'));
  t.after(() => rm(folder, { recursive: true }));
  const save = (name: string, text: string) => writeFile(join(folder, name), text);
  await save(
    'list.json',
    '[{"id":7,"currency":"MXN","line_items":[{"quantity":1.50}],"status":"completed"}]',
  );
  await save('batch.json', '{"update":[{"id":8,"currency":"MXN","line_items":[]}]}');
  await save(
    'refunds.json',
    '[{"id":9,"refunded_by":1,"_links":{"up":[{"href":"https://e.mx/orders/7/"}]}}]',
  );
  await save('product.json', '{"id":22,"type":"variable","manage_stock":false}');
  await save(
    'variation.json',
    '{"id":23,"manage_stock":true,"_links":{"up":[{"href":"/products/22/variations"}]}}',
  );
  await save('error.json', '{"code":"x","data":{"status":404}}');
  const { sim, get, ids } = await open(t, { replay: folder });

  assert.deepEqual((await ids()).sort(), ['7', '8']);
  assert.match((await get('/orders/7')).text, /"quantity":1\.50/);
  assert.equal((await get('/orders/7/refunds')).body[0].id, 9);
  assert.deepEqual((await get('/orders/8/refunds')).body, []);
  assert.equal((await get('/products/22/variations')).body[0].id, 23);
  assert.equal((await get('/orders/99')).status, 404);
  assert.deepEqual(sim.replayed.ignored, ['error.json']);
});
