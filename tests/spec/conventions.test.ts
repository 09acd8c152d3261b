import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOrder } from '../../src/features/orders/index.ts';
import { decimal } from '../../src/platform/money.ts';
import { anOrder, openApp, type TestApp } from '../support/app.ts';
import { freshDatabase } from '../support/server.ts';
import { errorOf, openShop, SPANISH, WHOLE_FILE } from './support/shop.ts';
import { sendOnce } from './support/wire.ts';

// Specification, sections 1 (global conventions), 2 (response envelope), 4 (what is exposed) and 9
// (versioning).

const instance = await openApp(WHOLE_FILE);
const shop = await openShop(instance);
await shop.record(anOrder({ id: 'A1' }), anOrder({ id: 'A2' }));
const OPERATIONS = ['/v1/orders', '/v1/orders/A1', '/v1/me'];

test('error messages are in Spanish; error codes are in English', async () => {
  const failures = await Promise.all([
    shop.get('/v1/orders', { limit: 101 }),
    shop.get('/v1/orders', { cursor: 'rubbish' }),
    shop.get('/v1/orders', { color: 'azul' }),
    shop.get('/v1/orders/none'),
    shop.get('/v1/none'),
    shop.get('/v1/me', {}, { method: 'POST' }),
    shop.get('/v1/me', {}, { key: null }),
    shop.get('/v1/me', {}, { key: 'tgs_short' }),
  ]);

  for (const { body } of failures) {
    assert.match(body.error.code, /^[a-z]+(_[a-z]+)+$/);
    assert.match(body.error.message, SPANISH);
  }
});

test('all timestamps are ISO 8601 in UTC with the suffix Z', async () => {
  const offset = Temporal.Instant.from('2026-11-15T06:00:00-06:00');
  await shop.record(
    anOrder({
      id: 'times',
      dateCreated: offset,
      dateClosed: offset,
      shipping: {
        carrier: 'estafeta',
        trackingNumber: '1',
        method: null,
        status: 'shipped',
        shippedAt: offset,
        deliveredAt: offset,
      },
      refunds: [{ amount: decimal('1'), at: offset }],
    }),
  );

  const answers = await Promise.all(
    ['/v1/orders', '/v1/orders/times', '/v1/me'].map((path) => shop.get(path)),
  );
  const times = answers.flatMap(({ body }) => timesOf(body));

  assert.ok(times.length > 12);
  for (const time of times)
    assert.match(time, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}(\d{3})?Z$/);
  assert.equal(answers[1]?.body.data.date_created, '2026-11-15T12:00:00.000Z');
});

test('last_updated and as_of have six decimals, other times three', async () => {
  const { body: list } = await shop.get('/v1/orders');
  const { body: one } = await shop.get('/v1/orders/A1');

  const six = [list.meta.as_of, list.data[0].last_updated, one.data.last_updated];
  const three = [list.data[0].date_created, one.data.date_closed, one.data.status_history[0].at];
  for (const time of six) assert.match(time, /:\d{2}\.\d{6}Z$/);
  for (const time of three) assert.match(time, /:\d{2}\.\d{3}Z$/);
});

test('the default currency is MXN', async () => {
  const { currency: _, ...line } = A_LINE;

  await shop.record(readOrder(JSON.stringify(line), instance.clock.now()));

  const { body } = await shop.get(`/v1/orders/${A_LINE.id}`);
  assert.equal(body.data.currency, 'MXN');
  assert.equal(body.data.items[0].currency, 'MXN');
});

test('when a marketplace returns another currency, the currency fields carry it', async () => {
  const items = anOrder().items.map((item) => ({ ...item, currency: 'USD' }));
  await shop.record(anOrder({ id: 'dollars', currency: 'USD', items }));

  const { body: list } = await shop.get('/v1/orders');
  const { body: one } = await shop.get('/v1/orders/dollars');
  assert.equal(list.data.find(({ id }: { id: string }) => id === 'dollars').currency, 'USD');
  assert.equal(one.data.currency, 'USD');
  assert.equal(one.data.items[0].currency, 'USD');
});

test('every successful response carries a meta object with request_id', async () => {
  for (const path of [...OPERATIONS, '/healthz', '/readyz']) {
    const { status, body, headers } = await shop.get(path);
    assert.equal(status, 200, path);
    assert.match(body.meta.request_id, /^req_\w{20,}$/);
    assert.equal(body.meta.request_id, headers.get('x-request-id'));
  }
});

test('a receiver’s success carries meta.request_id too', async () => {
  const body = JSON.stringify({ topic: 'orders_v2', resource: '/orders/1', user_id: 1 });
  const answer = await instance.api(
    '/api/webhooks/mercado_libre',
    {},
    { key: null, method: 'POST', body },
  );

  assert.deepEqual(answer.body, {
    received: true,
    meta: { request_id: answer.headers.get('x-request-id') },
  });
});

test('data is an object for a single resource and an array for a list', async () => {
  const [list, one, me] = await Promise.all(OPERATIONS.map((path) => shop.get(path)));

  assert.ok(Array.isArray(list?.body.data));
  assert.equal(one?.body.data.constructor, Object);
  assert.equal(me?.body.data.constructor, Object);
});

test('pagination is only on list responses', async () => {
  const [list, one, me] = await Promise.all(OPERATIONS.map((path) => shop.get(path)));

  assert.deepEqual(Object.keys(list?.body), ['data', 'pagination', 'meta']);
  assert.deepEqual(Object.keys(one?.body), ['data', 'meta']);
  assert.deepEqual(Object.keys(me?.body), ['data', 'meta']);
});

test('meta.request_id identifies the request: no two are equal, and later ones sort later', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) {
    ids.push(
      (await shop.get('/v1/me', {}, { headers: { 'x-request-id': 'mine' } })).body.meta.request_id,
    );
    instance.clock.advance({ milliseconds: 1 });
  }

  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids.toSorted(), ids);
});

test('the REST API v1 exposes only three operations', async () => {
  const { body } = await shop.get('/v1/openapi.json');

  const operations = Object.entries(body.paths).flatMap(([path, item]) =>
    Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(operations, ['GET /v1/orders', 'GET /v1/orders/{id}', 'GET /v1/me']);
});

test('REST operations are read-only (GET): other methods get 405 with Allow', async () => {
  for (const path of [...OPERATIONS, '/v1/openapi.json']) {
    for (const method of [
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'PROPFIND',
      'QUERY',
      'TRACE',
    ]) {
      const request = `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.key}\r\n`;
      const answer = await sendOnce(
        instance.url,
        `${request}Content-Type: odd\r\nContent-Length: 2\r\n\r\n{}`,
      );
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.equal(JSON.parse(answer.text).error.code, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), 'GET, HEAD');
    }
  }
});

test('HEAD mirrors GET without a body, compressed or not', async () => {
  await shop.record(...Array.from({ length: 10 }, (_, index) => anOrder({ id: `H${index}` })));
  for (const path of [
    ...OPERATIONS,
    '/v1/openapi.json',
    '/healthz',
    '/v1/orders/none',
    '/v1/orders?limit=0',
  ])
    for (const accepted of ['identity', 'br', 'gzip']) {
      const request = `${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.key}\r\nAccept-Encoding: ${accepted}\r\n\r\n`;
      const [got, head] = [
        await sendOnce(instance.url, `GET ${request}`),
        await sendOnce(instance.url, `HEAD ${request}`),
      ];

      assert.equal(head.text, '');
      assert.equal(head.status, got.status, path);
      for (const name of ['content-type', 'content-encoding', 'vary'])
        assert.equal(head.headers.get(name), got.headers.get(name), `${path} ${accepted} ${name}`);
      // Compressed, another request_id is a few bytes longer or shorter.
      const [of, by] = [got, head].map(({ headers }) => Number(headers.get('content-length')));
      const most = got.headers.has('content-encoding') ? 20 : 0;
      assert.ok(
        of && by && Math.abs(of - by) <= most,
        `${path} ${accepted}: ${of} and ${by} bytes`,
      );
    }
});

test('versioning is by path: only /v1/ is served', async () => {
  for (const path of [
    '/orders',
    '/me',
    '/v2/orders',
    '/v2/me',
    '/V1/orders',
    '/v1x/orders',
    '/v10/me',
    '/',
  ])
    errorOf(await shop.get(path), '404 not_found');
});

test('endpoints that are missing answer 404 in the envelope, so that adding them breaks no client', async () => {
  for (const path of [
    '/v1',
    '/v1/',
    '/v1/shipments',
    '/v1/orders/A1/items',
    '/v1//orders',
    '/v1/openapi.yaml',
  ])
    errorOf(await shop.get(path), '404 not_found');
});

test('an unknown address under /v1 needs a key like a known one', async () => {
  errorOf(await shop.get('/v1/shipments', {}, { key: null }), '401 missing_api_key');
});

test('/healthz and /readyz answer without a key', async () => {
  for (const path of ['/healthz', '/readyz', '/healthz?x=1']) {
    const { status, body } = await instance.api(path, {}, { key: null });
    assert.equal(status, 200);
    assert.deepEqual(body.data, { status: 'ok' });
  }
  errorOf(await instance.api('/healthz/more', {}, { key: null }), '404 not_found');
  const post = await instance.api('/healthz', {}, { key: null, method: 'POST' });
  errorOf(post, '405 method_not_allowed');
  assert.equal(post.headers.get('allow'), 'GET, HEAD');
});

test('the OpenAPI document takes no parameters', async () => {
  const answer = await instance.api('/v1/openapi.json', { x: 1 }, { key: null });
  assert.equal(errorOf(answer, '400 invalid_request').param, 'x');
});

test('the OpenAPI 3.1 document is at /v1/openapi.json without a key', async () => {
  const { status, body } = await instance.api('/v1/openapi.json', {}, { key: null });

  assert.equal(status, 200);
  assert.equal(body.openapi, '3.1.0');
  assert.deepEqual(body.security, [{ clave: [] }]);
});

test('it names the address that is really listened on, or the one of PUBLIC_URL', async (t) => {
  const { port } = new URL(instance.url);
  const named = await openApp(t, {
    database: await freshDatabase(),
    env: { PUBLIC_URL: 'https://api.example.com' },
  });
  const addresses = async (at: TestApp) => [
    (await at.api('/v1/openapi.json')).body.servers[0].url,
    at.app.exchange.publicUrl,
  ];

  const chosenBySystem = `http://localhost:${port}`;
  assert.deepEqual(await addresses(instance), [chosenBySystem, chosenBySystem]);
  assert.deepEqual(await addresses(named), ['https://api.example.com', 'https://api.example.com']);
});

test('gzip and br are accepted', async () => {
  const tenOrders = Array.from({ length: 10 }, (_, index) => anOrder({ id: `Z${index}` }));
  const busy = await openShop(instance);
  await busy.record(...tenOrders);
  const plain = await busy.get('/v1/orders', {}, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  assert.equal(plain.headers.get('vary'), 'accept-encoding', 'a cache must know, for any caller');

  for (const [accepted, chosen] of [
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, br', 'br'],
    ['gzip;q=1, br;q=0.2', 'gzip'],
    ['br;q=0, *', 'gzip'],
  ] as const) {
    const request = `GET /v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${busy.key}\r\nAccept-Encoding: ${accepted}\r\n\r\n`;
    const answer = await sendOnce(instance.url, request);
    assert.equal(answer.headers.get('content-encoding'), chosen, accepted);
    assert.equal(answer.headers.get('vary'), 'accept-encoding');
    assert.deepEqual(JSON.parse(answer.text).data, plain.body.data);
  }
});

test('there is no CORS on /v1: keys do not belong in browsers', async () => {
  const { headers } = await shop.get('/v1/me', {}, { headers: { origin: 'https://example.com' } });

  assert.deepEqual(
    [...headers.keys()].filter((name) => name.startsWith('access-control')),
    [],
  );
});

test('answers are JSON that nothing may sniff, frame or keep', async () => {
  for (const path of ['/v1/me', '/v1/none', '/healthz', '/none']) {
    const { headers } = await shop.get(path);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  }
});

const A_LINE = {
  id: 'imported-1',
  marketplace: 'amazon',
  status: 'paid',
  total: 10,
  currency: 'MXN',
  buyer_name: 'Juan Pérez',
  date_created: '2026-11-01T00:00:00Z',
  date_closed: null,
  items: [{ title: 'Taza', quantity: 1, unit_price: 10 }],
};

/** Every text below a key that names a time. */
function timesOf(value: unknown, key = ''): string[] {
  if (typeof value === 'string')
    return /(_at|^at|^date_\w+|last_updated|as_of)$/.test(key) ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    timesOf(inner, Array.isArray(value) ? key : name),
  );
}
