import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createKey } from '../../src/features/keys/index.ts';
import { FAILURES } from '../../src/platform/failures.ts';
import { type ApiAnswer, anOrder, openApp } from '../support/app.ts';
import { assertKeepsContract } from '../support/contract.ts';
import { known, openMailingInstance, withSecondFactor } from '../support/people.ts';
import { addressOf, freshDatabase, someoneWaits } from '../support/server.ts';
import { lockOrders } from './support/lock.ts';
import { openProxy } from './support/proxy.ts';
import { errorOf, openShop, type Shop, SPANISH, WHOLE_FILE } from './support/shop.ts';
import { soon } from './support/soon.ts';
import { openWire, seen, sendOnce } from './support/wire.ts';

// Specification, section 7.

const instance = await openApp(WHOLE_FILE);
const shop = await openShop(instance);
await shop.record(
  anOrder({ id: 'A1' }),
  anOrder({ id: '1', marketplace: 'vtex' }),
  anOrder({ id: '1' }),
);

test('400 invalid_request: limit above 100', async () => {
  errorOf(await shop.get('/v1/orders', { limit: 101 }), '400 invalid_request');
});

test('401: key without the prefix or incomplete', async () => {
  for (const key of [shop.key.slice(4), shop.key.slice(0, -1)])
    errorOf(await shop.get('/v1/orders', {}, { key }), '401 invalid_api_key');
});

test('403 plan_does_not_include_api: plan Demo or Básico', async () => {
  for (const plan of ['demo', 'basico'] as const)
    errorOf(await (await openShop(instance, plan)).get('/v1/me'), '403 plan_does_not_include_api');
});

test('429: quota exceeded; the response has Retry-After in seconds', async () => {
  const spent = await withQuota(1);
  await spent.get('/v1/me');

  const answer = await spent.get('/v1/me');
  errorOf(answer, '429 rate_limit_exceeded');
  assert.equal(answer.headers.get('retry-after'), '60');
});

test('on 429: after waiting Retry-After, the same request succeeds', async () => {
  const spent = await withQuota(1);
  await spent.get('/v1/me');
  instance.clock.advance({ milliseconds: 12_500 });
  const { headers } = await spent.get('/v1/me');

  instance.clock.advance({ seconds: Number(headers.get('retry-after')) });
  assert.equal((await spent.get('/v1/me')).status, 200);
});

test('410: a legacy host', async (t) => {
  const hosted = await openApp(t, {
    database: await freshDatabase(),
    env: { API_HOSTS: 'api.tianguis.mx, 127.0.0.1', LEGACY_HOSTS: 'old.tianguis.mx' },
  });
  const at = async (host: string, path = '/v1/me') => {
    const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${hosted.key}\r\n\r\n`;
    const answer = await sendOnce(hosted.url, request);
    assertKeepsContract(seen(answer, 'GET', new URL(path, hosted.url).href));
    return { ...answer, code: JSON.parse(answer.text).error?.code };
  };

  for (const host of ['old.tianguis.mx', 'OLD.tianguis.mx:443', 'old.tianguis.mx.:443']) {
    const answer = await at(host);
    assert.deepEqual([answer.status, answer.code], [410, 'legacy_host_gone']);
  }
  for (const host of ['tianguis.mx', 'evil.example', 'api.tianguis.mx.evil.example']) {
    const answer = await at(host, '/v1/me');
    assert.deepEqual([answer.status, answer.code], [421, 'misdirected_request']);
  }
  // Load balancers and containers check by address.
  for (const path of ['/healthz', '/readyz', '/readyz?x=1']) {
    assert.equal((await at('10.0.0.5:3000', path)).status, 200);
    assert.equal((await at('old.tianguis.mx', path)).status, 410);
  }
  assert.equal((await at('10.0.0.5:3000', '/healthz/v1/me')).status, 421);
  assert.equal((await sendOnce(hosted.url, 'GET /readyz HTTP/1.0\r\n\r\n')).status, 200);
  for (const host of ['api.tianguis.mx', 'API.Tianguis.mx:8443', 'api.tianguis.mx.', '127.0.0.1'])
    assert.equal((await at(host)).status, 200);
});

test('the errors that the document shows are those that are answered', async () => {
  const { body: document } = await shop.get('/v1/openapi.json');
  const [poor, narrow] = [await openShop(instance, 'basico'), await openShop(instance)];
  const { key } = await instance.app.database
    .within(narrow.organization.id)
    .write((scope) => createKey(scope, 'operator', { name: 'x', scopes: ['sales:read'] }));
  for (const [route, expected, asked] of [
    ['/v1/orders', '400 invalid_request', shop.get('/v1/orders?limit=500')],
    ['/v1/orders', '400 invalid_cursor', shop.get('/v1/orders?cursor=x')],
    ['/v1/orders', '401 missing_api_key', shop.get('/v1/orders', {}, { key: null })],
    ['/v1/orders', '401 invalid_api_key', shop.get('/v1/orders', {}, { key: 'x' })],
    ['/v1/orders', '403 plan_does_not_include_api', poor.get('/v1/orders')],
    ['/v1/orders', '403 insufficient_scope', shop.get('/v1/orders', {}, { key })],
    ['/v1/orders/{id}', '400 invalid_request', shop.get('/v1/orders/1?marketplace=ebay')],
    ['/v1/orders/{id}', '404 order_not_found', shop.get('/v1/orders/none')],
    ['/v1/orders/{id}', '409 ambiguous_order_id', shop.get('/v1/orders/1')],
    ['/v1/me', '400 invalid_request', shop.get('/v1/me?fields=key')],
  ] as const) {
    const answer = await asked;
    const { details, ...error } = errorOf(answer, expected);
    const [status = '', code = ''] = expected.split(' ');
    const response = document.paths[route].get.responses[status];
    const shown = response.content['application/json'].examples[code].value;

    const { details: shownDetails, ...shownError } = shown.error;
    assert.deepEqual(error, shownError, `${route} ${expected}`);
    assert.deepEqual(shapeOf(details), shapeOf(shownDetails), `${route} ${expected}`);
    for (const name of Object.keys(response.headers)) assert.ok(answer.headers.has(name), name);
    assert.equal(
      answer.headers.has('www-authenticate'),
      Object.hasOwn(response.headers, 'WWW-Authenticate'),
    );
  }
});

test('messages are in Spanish, codes in English: the whole table', () => {
  for (const [code, { message }] of Object.entries(FAILURES)) {
    assert.match(code, /^[a-z]+(_[a-z]+)+$/);
    assert.match(message, SPANISH, code);
  }
});

test('the pages that messages name exist: the whole table', async () => {
  const named = Object.values(FAILURES).flatMap(({ message }) => [
    ...message.matchAll(/\((\/[^)]+)\)/g),
  ]);

  assert.ok(named.length >= 4);
  for (const [, path = ''] of named) {
    const { status } = await fetch(instance.url + path, { redirect: 'manual' });
    assert.ok([200, 303].includes(status), `${path}: ${status}`);
  }
  for (const { message } of Object.values(FAILURES)) assert.doesNotMatch(message, /›/);
});

test('the codes and their statuses', () => {
  const byStatus = Object.groupBy(Object.entries(FAILURES), ([, { status }]) => status);
  assert.deepEqual(
    Object.fromEntries(
      Object.entries(byStatus).map(([status, rows]) => [status, rows?.map(([code]) => code)]),
    ),
    {
      400: ['invalid_request', 'invalid_cursor', 'invalid_payload'],
      401: [
        'missing_api_key',
        'invalid_api_key',
        'api_key_revoked',
        'api_key_expired',
        'invalid_token',
        'session_required',
        'invalid_webhook_secret',
      ],
      403: [
        'plan_does_not_include_api',
        'plan_does_not_include_webhooks',
        'insufficient_scope',
        'origin_not_allowed',
        'organization_suspended',
        'trial_ended',
        'insufficient_role',
        'second_factor_required',
        'confirmation_required',
      ],
      404: ['order_not_found', 'not_found'],
      405: ['method_not_allowed'],
      409: [
        'ambiguous_order_id',
        'api_key_limit_reached',
        'webhook_endpoint_limit_reached',
        'webhook_endpoint_disabled',
        'export_limit_reached',
        'export_not_ready',
        'cfdi_upload_limit_reached',
        'connection_paused',
        'relation_not_unique',
        'transition_not_allowed',
        'line_changed',
        'changed_meanwhile',
        'guide_required',
        'guide_outcome_unknown',
        'guide_not_cancellable',
        'attempt_already_settled',
        'tracking_number_in_use',
        'parcel_already_moved',
        'own_fleet_required',
        'shipment_past_in_transit',
        'carrier_not_connected',
        'carrier_account_ambiguous',
        'carrier_refused',
        'idempotency_key_reused',
        'too_many_views',
        'last_owner',
        'already_member',
      ],
      410: ['invitation_not_valid', 'legacy_host_gone', 'version_retired'],
      413: ['payload_too_large'],
      414: ['uri_too_long'],
      421: ['misdirected_request'],
      429: ['rate_limit_exceeded', 'too_many_requests'],
      431: ['headers_too_large'],
      500: ['internal_error'],
      502: ['upstream_error'],
      503: ['service_unavailable'],
      504: ['request_timeout'],
    },
  );
});

test('the error body mirrors the success envelope: error {code, message} and meta {request_id}', async () => {
  for (const answer of await everyKindOfFailure()) {
    const { error, meta } = answer.body;
    assert.deepEqual(Object.keys(answer.body), ['error', 'meta']);
    assert.deepEqual(Object.keys(meta), ['request_id']);
    assert.equal(meta.request_id, answer.headers.get('x-request-id'));
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    for (const field of Object.keys(error))
      assert.ok(['code', 'message', 'param', 'details', 'doc_url'].includes(field), field);
  }
});

test('param and details only appear when they apply', async () => {
  const fields = async (path: string) => Object.keys((await shop.get(path)).body.error);

  assert.deepEqual(await fields('/v1/orders?limit=0'), ['code', 'message', 'param', 'doc_url']);
  assert.deepEqual(await fields('/v1/orders/1'), ['code', 'message', 'details', 'doc_url']);
  assert.deepEqual(await fields('/v1/orders/none'), ['code', 'message', 'doc_url']);
  assert.deepEqual(await fields('/v1/none'), ['code', 'message', 'doc_url']);
  assert.deepEqual(await fields('/none'), ['code', 'message']);
});

test('doc_url leads to the place in the guide that explains the code: every code of both APIs', async () => {
  const guide = await (await fetch(`${instance.url}/docs/guia`)).text();
  const anchors = new Set([...guide.matchAll(/ id="(\w+)"/g)].map(([, id]) => id));
  const documents = await Promise.all(
    ['/v1', '/manage/v1'].map((path) => shop.get(`${path}/openapi.json`)),
  );
  const shown = documents.flatMap(({ body }) => exampleErrors(body.paths));

  const codes = new Set(shown.map(({ code }) => code));
  assert.ok(codes.size > 20);
  for (const { code, doc_url: url } of shown) {
    assert.equal(url, `${instance.app.exchange.publicUrl}/docs/guia#${code}`);
    assert.ok(anchors.has(code), code);
  }
  const ofTheFront = await shop.get(`/v1/me?${'a'.repeat(9_000)}`);
  assert.match(errorOf(ofTheFront, '414 uri_too_long').doc_url ?? '', /#uri_too_long$/);
});

test('a defect of ours: 500 internal_error without a word of its inside, and the next request works', async () => {
  const database = (text: string) => instance.app.database.write((handle) => handle.sql(text, []));
  await database('alter table orders rename to orders_away');
  const answers = await Promise.all(['/v1/orders', '/v1/orders/A1'].map((path) => shop.get(path)));
  await database('alter table orders_away rename to orders');

  for (const answer of answers) {
    const error = errorOf(answer, '500 internal_error');
    assert.deepEqual(Object.keys(error), ['code', 'message', 'doc_url']);
    assert.doesNotMatch(answer.text, /relation|orders|select|stack|\.ts|node/);
  }
  assert.equal((await shop.get('/v1/orders')).status, 200);
});

test('the database is down: 503 service_unavailable with Retry-After, and service again when it is back', async (t) => {
  const database = await freshDatabase();
  const proxy = await openProxy(addressOf(database));
  const shaken = await openApp(t, { database, env: { DATABASE_URL: proxy.url } });
  t.after(() => proxy.close());
  await shaken.record([anOrder({ id: 'A1' })]);
  assert.equal((await shaken.api('/v1/orders')).status, 200);

  proxy.cut();
  for (const path of ['/v1/orders', '/v1/orders/A1', '/v1/me', '/readyz']) {
    const answer = await shaken.api(path);
    errorOf(answer, '503 service_unavailable');
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  }
  assert.equal((await shaken.api('/healthz')).status, 200);

  proxy.flow();
  await soon(async () => assert.equal((await shaken.api('/v1/orders')).body.data?.length, 1));
  assert.equal((await shaken.api('/readyz')).status, 200);
});

test('the database is down: a person who is signed in gets 503, no wrong code, and is still signed in afterwards', {
  tags: ['slow'],
}, async (t) => {
  const proxy = await openProxy(addressOf(await freshDatabase()));
  const { instance: at, folder } = await openMailingInstance(t, undefined, {
    DATABASE_URL: proxy.url,
  });
  t.after(() => proxy.close());
  const { visitor } = await known(at, folder);
  await withSecondFactor(visitor);

  proxy.cut();
  const asked = [
    await visitor.get('/cuenta'),
    await visitor.get('/panel'),
    await visitor.get(`/panel/api/${crypto.randomUUID()}/frame.read`),
    await visitor.post('/cuenta/confirmar', { codigo: '000000', volver: '/cuenta' }),
  ];

  assert.deepEqual(
    asked.map(({ status, headers }) => [status, headers.get('retry-after')]),
    Array(asked.length).fill([503, '1']),
  );
  proxy.flow();
  await soon(async () => assert.equal((await visitor.get('/cuenta')).status, 200));
});

test('the database goes in the middle of a query: 503, and the service runs', async (t) => {
  const database = await freshDatabase();
  const proxy = await openProxy(addressOf(database));
  const shaken = await openApp(t, { database, env: { DATABASE_URL: proxy.url } });
  t.after(() => proxy.close());
  await shaken.record([anOrder({ id: 'A1' })]);
  await shaken.api('/v1/orders');

  proxy.stall();
  const asked = Promise.all(
    ['/v1/orders', '/v1/orders/A1', '/v1/me'].map((path) => shaken.api(path)),
  );
  await pause(100);
  proxy.cut();
  for (const answer of await asked) errorOf(answer, '503 service_unavailable');

  proxy.flow();
  await soon(async () => assert.equal((await shaken.api('/v1/orders')).status, 200));
});

test('while it stops: running requests finish, /readyz says 503, and no kept connection holds up the end', async (t) => {
  const leaving = await openApp(t, {
    database: await freshDatabase(),
    env: { DRAIN_SECONDS: '2' },
  });
  await leaving.record([anOrder({ id: 'A1' })]);
  const [running, slow, idle] = [
    openWire(leaving.url),
    openWire(leaving.url),
    openWire(leaving.url),
  ];
  t.after(() => [running, slow, idle].map((wire) => wire.close()));
  const ask = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${leaving.key}\r\n\r\n`;
  for (const wire of [running, slow, idle]) await wire.send(ask('/v1/me'));
  const release = await lockOrders(t, leaving);

  const asked = running.send(ask('/v1/orders'));
  const begun = slow.send(
    'POST /api/webhooks/mercado_libre HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n',
  );
  await someoneWaits(leaving.app.database);
  const closing = leaving.app.close();
  // No connection is refused before the port is closed.
  let ready = await idle.send(ask('/readyz'));
  while (ready && !ready.closed) ready = await idle.send(ask('/readyz'));
  await release();

  assert.equal((await asked)?.status, 200);
  assert.equal(ready?.status, 503);
  assert.match(ready?.headers.get('retry-after') ?? '', /^\d+$/);
  assert.ok(ready?.closed);
  slow.close();
  assert.equal(await begun, null);
  const startedAt = performance.now();
  await closing;
  assert.ok(performance.now() - startedAt < 30_000);
});

test('checks come in order: 401, 403 plan, 403 scope, 429, 400, 404', async () => {
  const wrong = '/v1/orders?limit=0&color=azul';
  const [poor, narrow, spent] = [
    await openShop(instance, 'basico'),
    await openShop(instance),
    await withQuota(1),
  ];
  const { key } = await instance.app.database
    .within(narrow.organization.id)
    .write((scope) => createKey(scope, 'operator', { name: 'x', scopes: ['sales:read'] }));
  await spent.get('/v1/me');

  errorOf(await shop.get(wrong, {}, { key: null }), '401 missing_api_key');
  errorOf(await poor.get(wrong), '403 plan_does_not_include_api');
  errorOf(await narrow.get(wrong, {}, { key }), '403 insufficient_scope');
  errorOf(await spent.get(wrong), '429 rate_limit_exceeded');
  errorOf(await shop.get('/v1/orders/none?limit=0'), '400 invalid_request');
  errorOf(await shop.get('/v1/orders/none'), '404 order_not_found');
});

test('the same order holds where Fastify itself would refuse: bad encoding, odd bodies, unknown methods', async () => {
  const poor = await openShop(instance, 'basico');
  const ask = async (first: string, key: string | null, rest = '') => {
    const bearer = key ? `Authorization: Bearer ${key}\r\n` : '';
    const answer = await sendOnce(
      instance.url,
      `${first} HTTP/1.1\r\nHost: a\r\n${bearer}${rest}\r\n`,
    );
    assertKeepsContract(seen(answer, first.split(' ')[0] ?? '', `${instance.url}/x`));
    return answer.status;
  };
  const body = 'Content-Type: ;;\r\nContent-Length: 0\r\n';

  for (const [first, withKey] of [
    ['GET /v1/orders/%zz', 400],
    ['GET /v1/%E0%A4%A', 400],
    ['POST /v1/orders', 405],
    ['QUERY /v1/orders', 405],
    ['DELETE /v1/orders/A1', 405],
    ['POST /v1/none', 404],
  ] as const) {
    const rest = first.startsWith('GET') ? '' : body;
    assert.equal(await ask(first, null, rest), 401, first);
    assert.equal(await ask(first, poor.key, rest), 403, first);
    assert.equal(await ask(first, shop.key, rest), withKey, first);
  }
});

test('an address that is too long: 414 uri_too_long, however long', async () => {
  for (const length of [8_200, 17_000, 60_000])
    errorOf(await shop.get(`/v1/orders?cursor=${'a'.repeat(length)}`), '414 uri_too_long');
});

test('half an escape in the path: 400 that names the reason, and the id where it is one', async () => {
  for (const [path, param] of [
    ['/v1/orders/%zz', 'id'],
    ['/v1/orders/A%', 'id'],
    ['/v1/orders/%ff', 'id'],
    ['/v1/%E0%A4%A', undefined],
  ] as const) {
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.key}\r\n\r\n`;
    const answer = await sendOnce(instance.url, request);
    assertKeepsContract(seen(answer, 'GET', instance.url + path));
    const { error } = JSON.parse(answer.text);
    assert.deepEqual(
      [answer.status, error.code, error.param],
      [400, 'invalid_request', param],
      path,
    );
    assert.match(error.message, /^La dirección tiene caracteres mal codificados: cada %/);
  }
});

test('a path with a slash too many is no order: 404 not_found that names the address meant', async () => {
  for (const [path, meant] of [
    ['/v1/orders/', '/v1/orders'],
    ['/v1/orders/?limit=5', '/v1/orders'],
    ['/v1/orders/A1/', '/v1/orders/A1'],
    ['/v1/me/', '/v1/me'],
  ] as const) {
    const { message } = errorOf(await shop.get(path), '404 not_found');
    assert.equal(message, `No existe esa dirección. ¿Quisiste decir ${meant}?`);
  }
  errorOf(await shop.get('/v1/orders/', {}, { key: null }), '401 missing_api_key');
});

test('an absolute target is read as its path, and its host counts', async (t) => {
  const hosted = await openApp(t, {
    database: await freshDatabase(),
    env: { API_HOSTS: 'api.tianguis.mx' },
  });
  const ask = async (target: string) => {
    const request = `GET ${target} HTTP/1.1\r\nHost: other.example\r\nAuthorization: Bearer ${hosted.key}\r\n\r\n`;
    return (await sendOnce(hosted.url, request)).status;
  };

  for (const target of ['http://api.tianguis.mx/v1/me', 'HTTPS://api.tianguis.mx.:443/v1/me'])
    assert.equal(await ask(target), 200, target);
  for (const [target, status] of [
    ['/v1/me', 421],
    ['http://other.example/v1/me', 421],
    ['http://api.tianguis.mx', 404],
    ['http://api.tianguis.mx?x=1', 404],
    ['ftp://api.tianguis.mx/v1/me', 421],
  ] as const)
    assert.equal(await ask(target), status, target);
});

for (const [what, bytes, expected] of [
  [
    'headers that are too large',
    `GET /v1/me HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`,
    '431 headers_too_large',
  ],
  [
    'many small headers',
    `GET /v1/me HTTP/1.1\r\nHost: a\r\n${'X: a\r\n'.repeat(1_000)}\r\n`,
    '431 headers_too_large',
  ],
  [
    'more than the parser reads',
    `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    '431 headers_too_large',
  ],
  ['two Host headers', 'GET /v1/me HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n', '400 invalid_request'],
  ['no Host header', 'GET /v1/me HTTP/1.1\r\n\r\n', '400 invalid_request'],
  [
    'a method that HTTP does not know',
    'FOO /v1/me HTTP/1.1\r\nHost: a\r\n\r\n',
    '400 invalid_request',
  ],
  ['a method in lower case', 'get /v1/me HTTP/1.1\r\nHost: a\r\n\r\n', '400 invalid_request'],
  ['line ends without carriage return', 'GET /v1/me HTTP/1.1\nHost: a\n\n', '400 invalid_request'],
  [
    'Content-Length and Transfer-Encoding',
    'POST /v1/me HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    '400 invalid_request',
  ],
  [
    'two lengths',
    'POST /v1/me HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n',
    '400 invalid_request',
  ],
  [
    'a negative length',
    'POST /v1/me HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
    '400 invalid_request',
  ],
  [
    'a folded header',
    'GET /v1/me HTTP/1.1\r\nHost: a\r\nX: a\r\n\tb: c\r\nY\r\n\r\n',
    '400 invalid_request',
  ],
  ['a NUL in a header', 'GET /v1/me HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n', '400 invalid_request'],
  ['a blank in the address', 'GET /v1/ me HTTP/1.1\r\nHost: a\r\n\r\n', '400 invalid_request'],
  ['no HTTP at all', 'hello\r\n\r\n', '400 invalid_request'],
  ['the beginning of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400 invalid_request'],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n', '405 method_not_allowed'],
  ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n', '404 not_found'],
  [
    'an unknown expectation',
    'GET /none HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n',
    '404 not_found',
  ],
] as const) {
  test(`${what}: ${expected} with envelope, headers and request id`, async () => {
    const answer = await sendOnce(instance.url, bytes);

    assertKeepsContract(seen(answer, 'OTHER', `${instance.url}/`));
    assert.equal(`${answer.status} ${JSON.parse(answer.text).error.code}`, expected);
    if (answer.status === 405) assert.equal(answer.headers.get('allow'), 'GET, HEAD');
  });
}

test('a body that is too large for a receiver: 413 payload_too_large, also while it is still being sent', async () => {
  const head = 'POST /api/webhooks/mercado_libre HTTP/1.1\r\nHost: a\r\n';
  for (const request of [
    `${head}Content-Length: 300000\r\n\r\n${'a'.repeat(300_000)}`,
    `${head}Content-Length: 20000000\r\n\r\n${'a'.repeat(19_999_999)}`,
    `${head}Transfer-Encoding: chunked\r\n\r\n${`10000\r\n${'a'.repeat(65_536)}\r\n`.repeat(8)}`,
  ]) {
    const answer = await sendOnce(instance.url, request);
    assertKeepsContract(seen(answer, 'POST', instance.url));
    assert.equal(`${answer.status} ${JSON.parse(answer.text).error.code}`, '413 payload_too_large');
  }
});

async function everyKindOfFailure(): Promise<ApiAnswer[]> {
  const [poor, spent] = [await openShop(instance, 'basico'), await withQuota(1)];
  await spent.get('/v1/me');
  return Promise.all([
    shop.get('/v1/orders', { limit: 0 }),
    shop.get('/v1/orders', { cursor: 'x' }),
    shop.get('/v1/me', {}, { key: null }),
    poor.get('/v1/me'),
    shop.get('/v1/orders/none'),
    shop.get('/v1/none'),
    shop.get('/none'),
    shop.get('/v1/me', {}, { method: 'PUT' }),
    shop.get('/v1/orders/1'),
    spent.get('/v1/me'),
    shop.get(`/v1/me?${'a'.repeat(9_000)}`),
    shop.get('/api/webhooks/mercado_libre', {}, { method: 'POST', body: 'x' }),
  ]);
}

/** The names in a value, at any depth. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}

async function withQuota(quota: number): Promise<Shop> {
  const own = await openShop(instance);
  await instance.app.database.write((handle) =>
    handle.sql('update organizations set quota_override = $2 where id = $1', [
      own.organization.id,
      quota,
    ]),
  );
  return own;
}

interface Shown {
  readonly code: string;
  readonly doc_url?: string;
}

/** The examples of errors in an OpenAPI document. */
function exampleErrors(node: unknown): Shown[] {
  if (typeof node !== 'object' || node === null) return [];
  const { error, meta } = node as { error?: Shown; meta?: object };
  if (meta && typeof error?.code === 'string') return [error];
  return Object.values(node).flatMap(exampleErrors);
}
