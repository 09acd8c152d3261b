import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { startWalmart, type Walmart, type WalmartOptions } from './walmart/index.ts';

const START = Date.parse('2026-11-20T18:00:00Z');
const DAY = 86_400_000;

test('a token lives fifteen minutes', async (t) => {
  const { shop, clock } = await open(t);
  const token = await tokenOf(shop);

  clock.at += 899_000;
  assert.equal((await get(shop, '/v3/items', token)).status, 200);
  clock.at += 1_000;
  assert.equal((await get(shop, '/v3/items', token)).status, 401);
});

test('the headers are required on every call, and a correlation id works once', async (t) => {
  const { shop } = await open(t);
  const token = await tokenOf(shop);
  const ask = (headers: Record<string, string>) => get(shop, '/v3/items', token, headers);

  assert.equal((await ask({ wm_market: 'us' })).status, 400);
  assert.equal((await ask({ 'wm_qos.correlation_id': 'x' })).status, 200);
  assert.equal((await ask({ 'wm_qos.correlation_id': 'x' })).status, 400);
  assert.equal((await ask({ authorization: 'Basic nada' })).status, 401);
});

test('who does not ask for JSON gets XML', async (t) => {
  const { shop } = await open(t);

  const answer = await get(shop, '/v3/items', await tokenOf(shop), { accept: '*/*' });

  assert.equal(answer.headers.get('content-type'), 'application/xml');
});

test('the old shape has amounts as text, no pieces on cancelled lines, and WFS orders apart without a number', async (t) => {
  const { shop } = await open(t);
  const [own, kept] = [true, false].map((isOwn) => {
    const product = shop.world.products.find(
      ({ keptByMarketplace }) => keptByMarketplace !== isOwn,
    );
    return shop.world.place({
      lines: [{ sku: product?.variants[0]?.sku ?? product?.sku ?? '', quantity: 2 }],
    });
  });
  shop.world.cancel(own?.id ?? '');
  const token = await tokenOf(shop);

  const [order] = (await read(shop, '/v3/orders', token)).order;
  const [wfs] = (await read(shop, '/v3/orders/wfsorders', token)).order;

  assert.equal(order.purchaseOrderId, `P${own?.id}`);
  assert.equal(order.orderLines[0].orderLineQuantity.amount, '0');
  assert.equal(order.orderLines[0].orderLineStatus[0].statusCode, '9000');
  assert.deepEqual(order.orderTotal, { currency: 'MXN', amount: '0' });
  assert.ok(!('purchaseOrderId' in wfs));
  assert.equal(wfs.customerOrderId, `9${kept?.id}`);
});

test('lists by offset take epoch seconds and end at a thousand, those by mark want a status and both dates', async (t) => {
  const { shop } = await open(t);
  const token = await tokenOf(shop);
  const status = async (path: string) => (await get(shop, path, token)).status;

  assert.equal(await status('/v3/orders?createdStartDate=2026-11-01'), 400);
  assert.equal(await status('/v3/orders?offset=1001'), 400);
  assert.equal(await status('/v3/orders?limit=101'), 400);
  assert.equal(await status('/v3/orders/cursor'), 400);
  assert.equal(await status('/v3/orders/cursor?statusCodeFilter=Created'), 200);
  assert.equal(
    await status(
      '/v3/orders/cursor?statusCodeFilter=Created&createdStartDate=2026-11-01T00:00:00.000Z',
    ),
    400,
  );
});

test('a walk by mark ends with a mark that stays the same', async (t) => {
  const { shop } = await open(t);
  shop.world.fill({ orders: 60, days: 20 });
  const token = await tokenOf(shop);
  const seen: string[] = [];

  for (let mark = '*', isEnd = false; !isEnd; ) {
    const query = new URLSearchParams({ statusCodeFilter: 'Delivered', cursorMark: mark });
    const page = await read(shop, `/v3/orders/cursor?${query}`, token);
    seen.push(...page.order.map((order: { purchaseOrderId: string }) => order.purchaseOrderId));
    isEnd = page.meta.nextCursorMark === mark;
    mark = page.meta.nextCursorMark;
  }

  assert.ok(seen.length > 10);
  assert.equal(new Set(seen).size, seen.length);
});

test('the new shape pages by a whole query string, says 404 for nothing, and looks back seven days by default', async (t) => {
  const { shop, clock } = await open(t, { generation: 'global' });
  const token = await tokenOf(shop);
  assert.equal((await get(shop, '/v3/orders', token)).status, 404);

  for (let count = 0; count < 3; count++) shop.world.place({ lines: [{ sku: ownSku(shop) }] });
  const first = await read(shop, '/v3/orders?limit=2', token);
  assert.match(first.list.meta.nextCursor, /^\?/);
  const second = await read(shop, `/v3/orders${first.list.meta.nextCursor}`, token);
  assert.deepEqual(
    [first, second].map(({ list }) => list.elements.order.length),
    [2, 1],
  );
  assert.ok(!('nextCursor' in second.list.meta));

  clock.at += 8 * DAY;
  const later = await tokenOf(shop);
  assert.equal((await get(shop, '/v3/orders', later)).status, 404);
  assert.equal(
    (await get(shop, '/v3/orders?createdStartDate=2026-11-01T00:00:00.000Z', later)).status,
    200,
  );
});

test('a version in the header asks for the new shape, and none for the old one', async (t) => {
  const { shop } = await open(t, {});
  shop.world.place({ lines: [{ sku: ownSku(shop) }] });
  const token = await tokenOf(shop);
  const shapeFor = async (headers: Record<string, string>) =>
    Object.keys((await (await get(shop, '/v3/orders', token, headers)).json()) as object);

  assert.deepEqual(await shapeFor({ wm_global_version: '3.1' }), ['list']);
  assert.deepEqual(await shapeFor({}), ['meta', 'order']);
  assert.equal((await get(shop, '/v3/returns', token, { wm_global_version: '3.1' })).status, 404);
});

test('a cancelled order is zeroed in both shapes, and only the old one still has its prices', async (t) => {
  const { shop } = await open(t, {});
  const { id } = shop.world.place({ lines: [{ sku: ownSku(shop) }] });
  shop.world.cancel(id);
  const token = await tokenOf(shop);
  const read = async (headers: Record<string, string>) =>
    // biome-ignore lint/suspicious/noExplicitAny: documents are looked into as they come
    (await (await get(shop, '/v3/orders', token, headers)).json()) as any;

  const [old] = (await read({})).order;
  const [fresh] = (await read({ wm_global_version: '3.1' })).list.elements.order;
  const [line] = fresh.orderLines.orderLine;

  assert.deepEqual([old.orderTotal.amount, old.orderLines[0].orderLineQuantity.amount], ['0', '0']);
  assert.ok(Number(old.orderLines[0].item.unitPrice.amount) > 0);
  assert.deepEqual(
    [line.charges.charge[0].chargeAmount.amount, line.orderLineQuantity.amount],
    [0, '1'],
  );
});

test('above the limit it says 429 and when the bucket is filled again', async (t) => {
  const { shop, clock } = await open(t, { perMinute: 2, generation: 'legacy' });
  const token = await tokenOf(shop);
  const [, , third] = [
    await get(shop, '/v3/items', token),
    await get(shop, '/v3/items', token),
    await get(shop, '/v3/items', token),
  ];

  assert.equal(third?.status, 429);
  assert.equal(third?.headers.get('x-current-token-count'), '0');
  assert.ok(Number(third?.headers.get('x-next-replenishment-time')) > clock.at);
  assert.equal(
    (await get(shop, '/v3/orders', token)).status,
    200,
    'each API has a bucket of its own',
  );
});

async function open(t: TestContext, options: WalmartOptions = { generation: 'legacy' }) {
  const clock = { at: START };
  const shop = await startWalmart({ seed: 3, now: () => clock.at, ...options });
  t.after(shop.close);
  return { shop, clock };
}

function ownSku({ world }: Walmart): string {
  const product = world.products.find(({ keptByMarketplace }) => !keptByMarketplace);
  return product?.variants[0]?.sku ?? product?.sku ?? '';
}

function headersOf({ client_id, client_secret }: { client_id: string; client_secret: string }) {
  return {
    accept: 'application/json',
    authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
    'wm_svc.name': 'Walmart Marketplace',
    'wm_qos.correlation_id': randomUUID(),
    wm_market: 'mx',
  };
}

async function tokenOf(shop: Walmart): Promise<string> {
  const answer = await fetch(`${shop.url}/v3/token`, {
    method: 'POST',
    headers: headersOf(shop.credentials()),
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token, expires_in } = (await answer.json()) as {
    access_token: string;
    expires_in: number;
  };
  assert.equal(expires_in, 900);
  return access_token;
}

function get(
  shop: Walmart,
  path: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(shop.url + path, {
    headers: { ...headersOf(shop.credentials()), 'wm_sec.access_token': token, ...headers },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into as they come
async function read(shop: Walmart, path: string, token: string): Promise<any> {
  const answer = await get(shop, path, token);
  assert.equal(answer.status, 200, path);
  return answer.json();
}
