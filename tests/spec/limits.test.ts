import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { configOf } from '../../src/environment.ts';
import { beginConsent } from '../../src/exchange/connect/consent.ts';
import { createKey, revokeKey } from '../../src/features/keys/index.ts';
import type { Plan } from '../../src/features/plans/index.ts';
import { newApiKey } from '../../src/platform/api-key.ts';
import { anOrder, openApp } from '../support/app.ts';
import { shiftedClock, turnedClock } from '../support/clock.ts';
import { assertKeepsContract } from '../support/contract.ts';
import { addressOf, atServer, freshDatabase } from '../support/server.ts';
import { lockOrders, lockTable } from './support/lock.ts';
import { openProxy } from './support/proxy.ts';
import { errorOf, openShop, type Shop, WHOLE_FILE } from './support/shop.ts';
import { soon } from './support/soon.ts';
import { openWire, seen, sendOnce } from './support/wire.ts';

// Specification, section 8.
// Also runs on served PostgreSQL and Redis.

const instance = await openApp(WHOLE_FILE);

test('500 requests per minute per organization: exactly', { tags: ['slow'] }, async () => {
  const shop = await openShop(instance);

  const statuses: number[] = [];
  for (let batch = 0; batch < 11; batch++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => shop.get('/v1/none')));
    statuses.push(...answers.map(({ status }) => status));
  }

  assert.equal(statuses.filter((status) => status === 404).length, 500);
  assert.equal(statuses.filter((status) => status === 429).length, 50);
});

test('every plan has 500 a minute but Experto, which has 2,000', async () => {
  for (const [plan, limit] of [
    ['demo', '500'],
    ['basico', '500'],
    ['intermedio', '500'],
    ['avanzado', '500'],
    ['experto', '2000'],
  ] as const) {
    const { headers } = await (await openShop(instance, plan)).get('/v1/me');
    assert.equal(headers.get('x-ratelimit-limit'), limit, plan);
  }
});

test('the plan Experto has custom quotas: headers and /v1/me show the one agreed', async () => {
  await instance.setPlan('experto', 7_000);

  await soon(async () => {
    const { headers, body } = await instance.api('/v1/me');
    assert.equal(headers.get('x-ratelimit-limit'), '7000');
    assert.equal(body.data.limits.requests_per_minute, 7000);
  });
});

test('a quota agreed by the operator may be any figure from 1, and it holds', async () => {
  const shop = await withQuota(1, 'experto');

  assert.equal((await shop.get('/v1/me')).status, 200);
  errorOf(await shop.get('/v1/me'), '429 rate_limit_exceeded');
});

test('quota headers: limit, requests left, and epoch seconds at which the window resets', async () => {
  const shop = await openShop(instance);
  const resetsAt = Math.ceil(instance.clock.now().add({ seconds: 60 }).epochMilliseconds / 1000);

  for (const left of [499, 498, 497]) {
    const { headers } = await shop.get('/v1/me');
    assert.equal(headers.get('x-ratelimit-limit'), '500');
    assert.equal(headers.get('x-ratelimit-remaining'), String(left));
    assert.equal(headers.get('x-ratelimit-reset'), String(resetsAt));
    instance.clock.advance({ seconds: 13 });
  }
});

test('quota headers are on every response, whatever its status', async () => {
  const shop = await openShop(instance);
  await shop.record(
    anOrder({ id: 'A1' }),
    anOrder({ id: '1', marketplace: 'vtex' }),
    anOrder({ id: '1' }),
  );

  const left: (string | null)[] = [];
  for (const [path, method, status] of [
    ['/v1/orders', 'GET', 200],
    ['/v1/orders/A1', 'GET', 200],
    ['/v1/orders', 'HEAD', 200],
    ['/v1/orders?limit=0', 'GET', 400],
    ['/v1/orders/none', 'GET', 404],
    ['/v1/none', 'GET', 404],
    ['/v1/orders/1', 'GET', 409],
    ['/v1/me', 'POST', 405],
  ] as const) {
    const answer = await shop.get(path, {}, { method });
    assert.equal(answer.status, status, path);
    left.push(answer.headers.get('x-ratelimit-remaining'));
  }
  assert.deepEqual(left, ['499', '498', '497', '496', '495', '494', '493', '492']);
});

test('quota headers without a key describe the guard of the address: 60 a minute', async () => {
  instance.clock.advance({ seconds: 61 });
  for (const path of [
    '/healthz',
    '/readyz',
    '/v1/openapi.json',
    '/none',
    '/connect/mercado_libre',
  ]) {
    const { headers } = await fetch(instance.url + path);
    assert.equal(headers.get('x-ratelimit-limit'), '60', path);
    assert.equal(headers.get('x-ratelimit-remaining'), '60', path);
    assert.match(headers.get('x-request-id') ?? '', /^req_/, path);
  }
  const refused = await instance.api('/v1/me', {}, { key: null });
  assert.equal(refused.headers.get('x-ratelimit-remaining'), '59');
  assert.equal(
    Number(refused.headers.get('x-ratelimit-reset')),
    Math.ceil(instance.clock.now().epochMilliseconds / 1000) + 60,
  );
});

test('the window begins at the first request and lasts 60 seconds', async () => {
  const shop = await withQuota(2);
  await shop.get('/v1/me');
  instance.clock.advance({ seconds: 30 });
  await shop.get('/v1/me');
  errorOf(await shop.get('/v1/me'), '429 rate_limit_exceeded');

  instance.clock.advance({ milliseconds: 29_999 });
  errorOf(await shop.get('/v1/me'), '429 rate_limit_exceeded');
  instance.clock.advance({ milliseconds: 1 });
  const { status, headers } = await shop.get('/v1/me');
  assert.deepEqual([status, headers.get('x-ratelimit-remaining')], [200, '1']);
});

test('Retry-After is the rest of the window in whole seconds, from 1 to 60', async () => {
  const shop = await withQuota(1);
  await shop.get('/v1/me');

  for (const [milliseconds, expected] of [
    [0, '60'],
    [1, '60'],
    [999, '59'],
    [58_000, '1'],
    [999, '1'],
  ] as const) {
    instance.clock.advance({ milliseconds });
    const answer = await shop.get('/v1/me');
    errorOf(answer, '429 rate_limit_exceeded');
    assert.equal(answer.headers.get('retry-after'), expected);
    assert.equal(answer.headers.get('x-ratelimit-remaining'), '0');
  }
});

test('refused requests do not consume', async () => {
  const shop = await withQuota(1);
  await shop.get('/v1/me');
  for (let count = 0; count < 5; count++)
    errorOf(await shop.get('/v1/me'), '429 rate_limit_exceeded');

  instance.clock.advance({ seconds: 60 });
  assert.equal((await shop.get('/v1/me')).status, 200);
});

test('a jump of the wall clock ends no window early, and the next one reports the new time', async (t) => {
  const clock = turnedClock();
  let jump = Temporal.Duration.from({ seconds: 0 });
  const jumping = shiftedClock(clock, () => jump);
  const own = await openApp(t, { database: await freshDatabase(), clock: jumping });
  await own.setPlan('experto', 1);
  await soon(async () =>
    assert.equal((await own.api('/v1/none')).headers.get('x-ratelimit-limit'), '1'),
  );

  for (const hours of [2, -5]) {
    jump = Temporal.Duration.from({ hours });
    const answer = await own.api('/v1/me');
    errorOf(answer, '429 rate_limit_exceeded');
    assert.equal(answer.headers.get('retry-after'), '60');
    const reset = Number(answer.headers.get('x-ratelimit-reset'));
    assert.equal(reset, Math.ceil(jumping.now().epochMilliseconds / 1000) + 60);
  }
});

test('a 403 spends one request if one is left, and never becomes a 429', async () => {
  const poor = await withQuota(2, 'basico');
  const left: (string | null)[] = [];
  for (let count = 0; count < 4; count++) {
    const answer = await poor.get('/v1/me');
    errorOf(answer, '403 plan_does_not_include_api');
    left.push(answer.headers.get('x-ratelimit-remaining'));
  }

  assert.deepEqual(left, ['1', '0', '0', '0']);
});

test('the same for a missing scope', async () => {
  const shop = await withQuota(1);
  const { key } = await instance.app.database
    .within(shop.organization.id)
    .write((scope) => createKey(scope, 'operator', { name: 'x', scopes: ['sales:read'] }));

  for (let count = 0; count < 2; count++)
    errorOf(await shop.get('/v1/orders', {}, { key }), '403 insufficient_scope');
  errorOf(await shop.get('/v1/me'), '429 rate_limit_exceeded');
});

test('failed authentications, health checks and the documentation spend no quota', async () => {
  const shop = await openShop(instance);
  await shop.get('/v1/me');
  await instance.api('/v1/me', {}, { key: `${shop.key.slice(0, -1)}!` });
  await shop.get('/healthz');
  await shop.get('/v1/openapi.json');

  assert.equal((await shop.get('/v1/me')).headers.get('x-ratelimit-remaining'), '498');
});

test('a valid key counts where no operation answers too, and the answer shows its organisation’s window', async () => {
  const shop = await openShop(instance);
  const bearer = `Authorization: Bearer ${shop.key}\r\n`;
  const host = 'Host: a\r\n';
  const left: (string | null)[] = [];
  for (const [request, expected] of [
    [`GET / HTTP/1.1\r\n${host}${bearer}`, '404 not_found'],
    [`GET /v2/orders HTTP/1.1\r\n${host}${bearer}`, '404 not_found'],
    [`POST /v10/orders HTTP/1.1\r\n${host}${bearer}Content-Length: 0\r\n`, '404 not_found'],
    [`GET /v1/orders/ HTTP/1.1\r\n${host}${bearer}`, '404 not_found'],
    [`GET /v1/orders/%zz HTTP/1.1\r\n${host}${bearer}`, '400 invalid_request'],
    [`GET /${'a'.repeat(9_000)} HTTP/1.1\r\n${host}${bearer}`, '414 uri_too_long'],
    [
      `GET /v1/me HTTP/1.1\r\n${host}${bearer}X: ${'a'.repeat(17_000)}\r\n`,
      '431 headers_too_large',
    ],
    [`GET /v1/me HTTP/1.1\r\n${host}${host}${bearer}`, '400 invalid_request'],
    [`GET /v1/me HTTP/1.1\r\n${bearer}`, '400 invalid_request'],
    [`CONNECT a:443 HTTP/1.1\r\n${host}${bearer}`, '405 method_not_allowed'],
    [`OPTIONS * HTTP/1.1\r\n${host}${bearer}`, '404 not_found'],
  ] as const) {
    const answer = await sendOnce(instance.url, `${request}\r\n`);
    assertKeepsContract(seen(answer, 'OTHER', instance.url));
    assert.equal(`${answer.status} ${JSON.parse(answer.text).error.code}`, expected);
    assert.equal(answer.headers.get('x-ratelimit-limit'), '500', expected);
    left.push(answer.headers.get('x-ratelimit-remaining'));
  }
  assert.deepEqual(
    left,
    left.map((_, index) => String(499 - index)),
  );
});

test('where no operation answers, an exhausted quota leaves the status, and other credentials count nothing', async () => {
  const shop = await withQuota(1);
  const { keyId, ...revoked } = await openShop(instance);
  await instance.app.database.write((handle) => revokeKey(handle, 'operator', keyId));
  const ask = (key: string | null) => instance.api('/v2/orders', {}, { key });

  for (const left of ['0', '0']) {
    const answer = await ask(shop.key);
    errorOf(answer, '404 not_found');
    assert.deepEqual(
      [answer.headers.get('x-ratelimit-limit'), answer.headers.get('x-ratelimit-remaining')],
      ['1', left],
    );
  }
  for (const key of [null, 'rubbish', newApiKey(), revoked.key]) {
    const answer = await ask(key);
    errorOf(answer, '404 not_found');
    assert.equal(answer.headers.get('x-ratelimit-limit'), '60');
  }
});

test('what cannot be parsed has the numbers of its address', async () => {
  const shop = await openShop(instance);
  for (const request of [
    `GET /v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.key}\r\nBad Name: x\r\n\r\n`,
    `GET /v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.key}\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`,
  ]) {
    const answer = await sendOnce(instance.url, request);
    assert.ok([400, 431].includes(answer.status), `${answer.status}`);
    assert.equal(answer.headers.get('x-ratelimit-limit'), '60');
  }
  assert.equal((await shop.get('/v1/me')).headers.get('x-ratelimit-remaining'), '499');
});

test('a quota that is raised in the middle of a window counts from what is spent', async () => {
  const shop = await withQuota(2, 'experto');
  await shop.get('/v1/me');
  await shop.get('/v1/me');
  errorOf(await shop.get('/v1/me'), '429 rate_limit_exceeded');

  await agree(shop, 5);
  await soon(async () => assert.equal((await shop.get('/v1/me')).status, 200));
  await agree(shop, 2);
  await soon(async () => void errorOf(await shop.get('/v1/me'), '429 rate_limit_exceeded'));
});

test('rows per orders list: 100 at most, never 200', async () => {
  const shop = await openShop(instance);
  await shop.record(...Array.from({ length: 201 }, (_, index) => anOrder({ id: `${index}` })));

  assert.equal((await shop.orders({ limit: 100 })).length, 100);
  for (const limit of [101, 200, 201])
    errorOf(await shop.get('/v1/orders', { limit }), '400 invalid_request');
});

test('the window is 60 seconds unless a test says less', () => {
  assert.equal(configOf({}).settings.quotaWindowSeconds, 60);
  for (const text of ['0', '61', '1.5', 'x'])
    assert.throws(() => configOf({ QUOTA_WINDOW_SECONDS: text }), /QUOTA_WINDOW_SECONDS/);
});

test('several processes count together or do not start: ROLE=api and ROLE=worker need REDIS_URL', () => {
  for (const ROLE of ['api', 'worker'])
    assert.throws(() => configOf({ ROLE, DATABASE_URL: 'postgres://x/y' }), /REDIS_URL/);
});

test('request timeout: 15 seconds unless a test says less', () => {
  assert.equal(configOf({}).settings.requestTimeoutSeconds, 15);
  for (const text of ['0', '16', '60', '1.5', '-1', 'ten'])
    assert.throws(() => configOf({ REQUEST_TIMEOUT_SECONDS: text }), /REQUEST_TIMEOUT_SECONDS/);
});

test('a query that takes too long: 504 request_timeout, and the database no longer works on it', async (t) => {
  const own = await openApp(t, {
    database: await freshDatabase(),
    env: { REQUEST_TIMEOUT_SECONDS: '1' },
  });
  await own.record([anOrder({ id: 'A1' })]);
  const database = own.app.database.address;
  const release = await lockOrders(t, own);

  const startedAt = performance.now();
  const answers = await Promise.all(['/v1/orders', '/v1/orders/A1'].map((path) => own.api(path)));
  const took = performance.now() - startedAt;
  for (const answer of answers) {
    errorOf(answer, '504 request_timeout');
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  }
  // Cancelled 600 ms before the limit at most, so the answer is there when the limit is reached; a
  // busy machine is later.
  assert.ok(took >= 400 && took <= 10_000, `${took} ms`);
  await soon(async () => assert.deepEqual(await waitingQueries(database), []));

  await release();
  assert.equal((await own.api('/v1/orders')).status, 200);
});

test('more requests than the database can take at once wait their turn; one that waits too long gets 503', {
  tags: ['slow'],
}, async (t) => {
  const shop = await openShop(instance);
  await shop.record(anOrder({ id: 'A1' }));
  await shop.get('/v1/orders/A1');
  const release = await lockOrders(t, instance);

  const asked = Array.from({ length: 20 }, () => shop.get('/v1/orders/A1'));
  const refused = await Promise.race(asked);
  errorOf(refused, '503 service_unavailable');
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  await release();

  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([200, 503]));
  assert.ok(statuses.filter((status) => status === 200).length >= 10);
});

test('a caller that leaves takes its query along', async (t) => {
  const shop = await openShop(instance);
  const release = await lockOrders(t, instance);
  const wire = openWire(instance.url);
  const asked = wire.send(
    `GET /v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.key}\r\n\r\n`,
  );
  const { address } = instance.app.database;
  await soon(async () => assert.equal((await waitingQueries(address)).length, 1));

  wire.close();
  await soon(async () => assert.deepEqual(await waitingQueries(address), []));

  await release();
  assert.equal(await asked, null);
});

test('a database that hangs: 504 all the same, and the late answer has no effect', {
  tags: ['slow'],
}, async (t) => {
  const database = await freshDatabase();
  const proxy = await openProxy(addressOf(database));
  const own = await openApp(t, {
    database,
    env: { DATABASE_URL: proxy.url, REQUEST_TIMEOUT_SECONDS: '1' },
  });
  t.after(() => proxy.close());
  await own.record([anOrder({ id: 'A1' })]);
  await own.api('/v1/orders');

  proxy.stall();
  const startedAt = performance.now();
  const answers = await Promise.all(
    ['/v1/orders', '/v1/orders/A1', '/readyz'].map((path) => own.api(path)),
  );
  const took = performance.now() - startedAt;
  for (const answer of answers) {
    errorOf(answer, '504 request_timeout');
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  }
  assert.ok(took < 30_000, `${took} ms`);

  proxy.flow();
  await soon(async () => assert.equal((await own.api('/v1/orders')).body.data?.length, 1));
});

test('a marketplace that is slow while a seller connects: 504 as a page, and its late answer connects nothing', {
  tags: ['slow'],
}, async (t) => {
  const { own, comeBack } = await openConsent(t, 1_800);

  const answer = await comeBack();
  assert.ok(answer.status >= 500, `${answer.status}`);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
  await pause(2_500);
  assert.equal((await own.api('/v1/me')).body.data?.marketplaces_connected, 0);
});

test('a database that is slow while a seller connects: 504 as a page, and nothing is connected later', {
  tags: ['slow'],
}, async (t) => {
  const { own, comeBack } = await openConsent(t, 0);
  const release = await lockTable(t, own, 'connections in exclusive mode');

  const answer = await comeBack();
  assert.equal(answer.status, 504);
  assert.match(await answer.text(), /tardó más de lo permitido y se canceló/);
  await release();
  await pause(500);
  assert.equal((await own.api('/v1/me')).body.data?.marketplaces_connected, 0);
});

test('a body that does not come to its end: 504, also if it comes later', {
  tags: ['slow'],
}, async (t) => {
  const own = await openApp(t, {
    database: await freshDatabase(),
    env: { REQUEST_TIMEOUT_SECONDS: '1' },
  });
  const wire = openWire(own.url);
  t.after(wire.close);
  const body = '{"resource":"/orders/1","topic":"orders_v2","user_id":1}';
  const head = `POST /api/webhooks/mercado_libre HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`;

  const answer = await wire.send(head + body.slice(0, 10));
  assert.ok(answer);
  assertKeepsContract(seen(answer, 'POST', own.url));
  assert.equal(JSON.parse(answer.text).error.code, 'request_timeout');
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);

  const next = await wire.send(`${body.slice(10)}GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n`);
  assert.equal(next?.status, 200, 'the rest is read and the connection goes on');
});

test('a body that never comes to its end, or turns into rubbish, gets no second answer', {
  tags: ['slow'],
}, async (t) => {
  const own = await openApp(t, {
    database: await freshDatabase(),
    env: { REQUEST_TIMEOUT_SECONDS: '1' },
  });
  const head = 'POST /api/webhooks/mercado_libre HTTP/1.1\r\nHost: a\r\n';
  for (const [rest, then] of [
    ['Content-Length: 100\r\n\r\n{', ''],
    ['Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n', 'no size\r\n'],
  ] as const) {
    const text = await everything(own.url, head + rest, then);

    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 504'], JSON.stringify(rest));
  }
});

test('headers that do not come to their end are refused within 15 seconds too', {
  tags: ['slow'],
}, async () => {
  const startedAt = performance.now();
  const answer = await sendOnce(instance.url, 'GET /v1/me HTTP/1.1\r\nHost: a\r\nX-Slow: ');

  const took = performance.now() - startedAt;
  assertKeepsContract(seen(answer, 'GET', instance.url));
  assert.equal(`${answer.status} ${JSON.parse(answer.text).error.code}`, '504 request_timeout');
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  assert.ok(took < 15_000, `${took} ms`);
});

/** All that the server says until it hangs up; `then` is sent after its first words. */
async function everything(url: string, bytes: string, then: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  socket.once('data', () => void socket.write(then));
  return (await socket.setEncoding('utf8').toArray()).join('');
}

async function withQuota(quota: number, plan: Plan = 'intermedio'): Promise<Shop> {
  const shop = await openShop(instance, plan);
  await agree(shop, quota);
  return shop;
}

/** As an operator does, sent to every process. */
async function agree(shop: Shop, quota: number): Promise<void> {
  await instance.app.database.write((handle) =>
    handle.sql(
      "with changed as (update organizations set quota_override = $2 where id = $1) select pg_notify('access', $1::text)",
      [shop.organization.id, quota],
    ),
  );
}

async function waitingQueries(address: unknown): Promise<string[]> {
  const name = (address as { url?: string; database?: string }).url
    ? new URL((address as { url: string }).url).pathname.slice(1)
    : (address as { database: string }).database;
  return atServer(async (client) => {
    const { rows } = await client.query<{ query: string }>(
      "select query from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'",
      [name],
    );
    return rows.map(({ query }) => query);
  });
}

/** A seller who returns with a permission, to a marketplace that says after so long whose it is. */
async function openConsent(t: TestContext, milliseconds: number) {
  const marketplace = createServer((request, response) => {
    const isToken = request.url?.startsWith('/oauth/token') ?? false;
    const answer = isToken
      ? { access_token: 'APP_USR-1', refresh_token: 'TG-1', expires_in: 21_600, user_id: 1 }
      : { id: 1, nickname: 'TIENDA', site_id: 'MLM' };
    setTimeout(
      () => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)),
      isToken ? 0 : milliseconds,
    );
  }).listen(0, '127.0.0.1');
  t.after(() => marketplace.close());
  await once(marketplace, 'listening');
  const { port } = marketplace.address() as { port: number };
  const own = await openApp(t, {
    database: await freshDatabase(),
    env: {
      REQUEST_TIMEOUT_SECONDS: '1',
      MERCADO_LIBRE_BASE_URL: `http://127.0.0.1:${port}`,
      MERCADO_LIBRE_CLIENT_ID: '1',
      MERCADO_LIBRE_CLIENT_SECRET: 'x',
    },
  });
  const begun = await beginConsent(own.app.exchange, own.organization.id, 'mercado_libre');
  const state = new URL(begun).searchParams.get('state');
  const comeBack = () =>
    fetch(`${own.url}/connect/mercado_libre?code=1&state=${state}`, {
      headers: { accept: 'text/html' },
    });
  return { own, comeBack };
}
