import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { MANAGE } from '../src/entrances/rest/manage/manage.ts';
import { type Api, methodOf, type Operation } from '../src/entrances/rest/operation.ts';
import { V1 } from '../src/entrances/rest/v1.ts';
import { createKey, KEY_SCOPES, type KeyScope } from '../src/features/keys/index.ts';
import { type Order, recordOrders } from '../src/features/orders/index.ts';
import { changePlan } from '../src/features/organizations/index.ts';
import type { Plan } from '../src/features/plans/index.ts';
import { actsBefore } from '../src/features/trail/index.ts';
import { emit } from '../src/features/webhooks-out/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { soon } from './spec/support/soon.ts';
import { type ApiAnswer, anOrder, callApi, openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { openEndpoint } from './support/endpoint.ts';
import { query, workOff } from './support/market.ts';

// `/manage/v1`: endpoints and the event log, by an API key.

const closers: (() => unknown)[] = [];
const whole = { after: (close: unknown) => void closers.push(close as () => unknown) };
const ENDPOINTS = '/manage/v1/webhook-endpoints';
const EVENTS = '/manage/v1/events';
let instance: TestApp;

before(async () => {
  const clock = turnedClock(systemClock.now().toString());
  instance = await openApp(whole, { plan: 'avanzado', clock });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

test('an endpoint is made, read, changed, disabled and deleted, and the trail names the key', async () => {
  const shop = await openShop();

  const made = await shop.call('POST', ENDPOINTS, {
    url: 'https://example.com/hooks',
    types: ['order.created'],
    rate: 60,
  });
  const { id, secret } = made.body.data;
  const changed = await shop.call('PATCH', `${ENDPOINTS}/${id}`, { rate: null, state: 'disabled' });
  const read = await shop.call('GET', `${ENDPOINTS}/${id}`);
  const rotated = await shop.call('POST', `${ENDPOINTS}/${id}/rotate-secret`);
  const listed = await shop.call('GET', ENDPOINTS);
  const deleted = await shop.call('DELETE', `${ENDPOINTS}/${id}`);
  const gone = await shop.call('GET', `${ENDPOINTS}/${id}`);

  assert.equal(made.status, 201);
  assert.match(secret, /^whsec_/);
  assert.deepEqual(
    [changed.status, changed.body.data.rate, changed.body.data.state, changed.body.data.types],
    [200, null, 'disabled', ['order.created']],
  );
  assert.deepEqual(read.body.data, changed.body.data);
  assert.equal(JSON.stringify([read.body, listed.body]).includes(secret), false);
  assert.match(rotated.body.data.secret, /^whsec_/);
  assert.notEqual(rotated.body.data.secret, secret);
  assert.deepEqual(listed.body.data, [read.body.data]);
  assert.deepEqual(deleted.body.data, { id, deleted: true });
  assert.deepEqual([gone.status, gone.body.error.code], [404, 'not_found']);
  assert.match(gone.body.meta.request_id, /^req_/);
  const acts = await instance.app.database
    .within(shop.organizationId)
    .read((scope) => actsBefore(scope, null, 10));
  assert.deepEqual(
    acts.filter(({ subject }) => subject === id).map(({ act, label }) => [act, label]),
    [
      ['webhook_endpoint_deleted', 'example.com'],
      ['webhook_secret_rotated', 'example.com'],
      ['webhook_endpoint_disabled', 'example.com'],
      ['webhook_endpoint_changed', 'example.com'],
      ['webhook_endpoint_made', 'example.com'],
    ],
  );
  assert.ok(acts.every(({ by }) => typeof by !== 'object' || 'keyId' in by));
});

test('the headers of an endpoint do not follow it to another server', async () => {
  const shop = await openShop();
  const url = 'https://example.com/hooks';
  const made = await shop.call('POST', ENDPOINTS, { url, headers: { authorization: 'Bearer s' } });
  const plain = await shop.call('POST', ENDPOINTS, { url });
  const to = (id: string, change: object) => shop.call('PATCH', `${ENDPOINTS}/${id}`, change);
  const { id } = made.body.data;

  const refused = await to(id, { url: 'https://example.org/hooks' });
  const former = await shop.call('GET', `${ENDPOINTS}/${id}`);
  const answers = [
    await to(id, { url: 'https://example.com/others' }),
    await to(id, { url: 'https://example.org/hooks', headers: { authorization: 'Bearer t' } }),
    await to(id, { url: 'https://example.net/hooks', headers: {} }),
    await to(id, { url: 'https://example.com/hooks' }),
    await to(plain.body.data.id, { url: 'https://example.org/hooks' }),
  ];

  assert.deepEqual([refused.status, refused.body.error?.param], [400, 'headers']);
  assert.match(refused.body.error.message, /otro servidor/);
  assert.equal(former.body.data.url, url);
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(5).fill(200),
  );
});

test('an organisation has 200 endpoints at most, whatever their state', async () => {
  const shop = await openShop();
  const url = 'https://example.com/hooks';
  const { id } = (await shop.call('POST', ENDPOINTS, { url })).body.data;
  const more = `insert into webhook_endpoints (organization_id, id, url, types, marketplaces,
      account_ids, is_operator_trusted, signature, secret_box, state, disabled_because, created_at)
    select organization_id, gen_random_uuid(), url, types, marketplaces, account_ids,
      is_operator_trusted, signature, secret_box, 'disabled', 'asked', created_at
      from webhook_endpoints, generate_series(1, 199) where id = $1`;
  await query(instance, more, [id]);

  const refused = await shop.call('POST', ENDPOINTS, { url });
  const listed = await shop.call('GET', ENDPOINTS);
  await shop.call('DELETE', `${ENDPOINTS}/${listed.body.data[0].id}`);
  const made = await shop.call('POST', ENDPOINTS, { url });

  assert.deepEqual(
    [refused.status, refused.body.error?.code],
    [409, 'webhook_endpoint_limit_reached'],
  );
  assert.match(refused.body.error.message, /Elimina alguno/);
  assert.deepEqual([listed.body.data.length, made.status], [200, 201]);
});

test('a test event goes to its endpoint alone, whatever types that one has, and its attempt is listed', async () => {
  const shop = await openShop();
  const [endpoint, other] = [await openEndpoint(whole), await openEndpoint(whole)];
  const { id, secret } = await byOperator(shop, endpoint.url, ['--types', 'guide.failed']);
  await byOperator(shop, other.url);

  const sent = await shop.call('POST', `${ENDPOINTS}/${id}/test`);
  await workOff(instance);
  const attempts = await shop.call('GET', `${ENDPOINTS}/${id}/attempts`);

  assert.equal(sent.status, 202);
  const [delivery] = endpoint.deliveries;
  assert.deepEqual([endpoint.deliveries.length, other.deliveries.length], [1, 0]);
  new Webhook(secret).verify(delivery?.text ?? '', delivery?.headers as Record<string, string>);
  assert.deepEqual(
    [delivery?.body.type, delivery?.body.id, delivery?.body.data],
    ['webhook.test', sent.body.data.event_id, { endpoint_id: id }],
  );
  assert.deepEqual(
    attempts.body.data.map(({ event_id, status, outcome }: Record<string, unknown>) => [
      ...[event_id, status, outcome],
    ]),
    [[sent.body.data.event_id, 204, 'delivered']],
  );
});

test('a disabled endpoint gets no test event and no resend; one failed event, or all of them, are sent again', async () => {
  const shop = await openShop();
  const endpoint = await openEndpoint(whole);
  const { id } = await byOperator(shop, endpoint.url);
  endpoint.answer = (response) => response.writeHead(500).end();
  const at = instance.clock.now().toString();
  await shop.change([anOrder()]);
  await workOff(instance);
  endpoint.answer = (response) => response.writeHead(204).end();

  const resent = await shop.call('POST', `${ENDPOINTS}/${id}/resend`, { since: at });
  await workOff(instance);
  const unknown = await shop.call('POST', `${ENDPOINTS}/${id}/resend`, { event_id: 'evt_x' });
  const both = await shop.call('POST', `${ENDPOINTS}/${id}/resend`, {});
  await shop.call('PATCH', `${ENDPOINTS}/${id}`, { state: 'disabled' });
  const refused = [
    await shop.call('POST', `${ENDPOINTS}/${id}/test`),
    await shop.call('POST', `${ENDPOINTS}/${id}/resend`, { since: at }),
  ];

  assert.deepEqual([resent.status, resent.body.data], [202, { resent: 1 }]);
  assert.equal(endpoint.deliveries.length, 2);
  assert.equal(endpoint.deliveries[0]?.id, endpoint.deliveries[1]?.id);
  assert.equal(unknown.status, 404);
  assert.deepEqual([both.status, both.body.error.code], [400, 'invalid_request']);
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.error?.code]),
    Array.from({ length: 2 }, () => [409, 'webhook_endpoint_disabled']),
  );
});

test('the log gives every event once in the order of commits, as endpoints get it, and polling goes on', async () => {
  const shop = await openShop();
  const endpoint = await openEndpoint(whole);
  await byOperator(shop, endpoint.url);
  await shop.change(Array.from({ length: 30 }, (_, at) => anOrder({ id: `A${at}` })));
  await workOff(instance);

  const first = await shop.call('GET', `${EVENTS}?limit=20`);
  const rest = await shop.call('GET', `${EVENTS}?limit=20&cursor=${cursorOf(first)}`);
  const quiet = await shop.call('GET', `${EVENTS}?limit=20&cursor=${cursorOf(rest)}`);
  await shop.change([anOrder({ id: 'A0', status: 'cancelled', marketplaceStatus: 'cancelled' })]);
  const later = await shop.call('GET', `${EVENTS}?cursor=${cursorOf(quiet)}`);
  const moved = await shop.call('GET', `${EVENTS}?type=order.status_changed`);

  assert.deepEqual(
    [first, rest, quiet].map(({ body }) => [body.data.length, body.pagination.has_more]),
    [
      [20, true],
      [10, false],
      [0, false],
    ],
  );
  const all = [...first.body.data, ...rest.body.data];
  assert.equal(new Set(all.map(({ id }) => id)).size, 30);
  const delivered = new Map(endpoint.deliveries.map(({ body }) => [body.id, body]));
  for (const event of all) assert.deepEqual(event, delivered.get(event.id));
  assert.deepEqual(
    later.body.data.map(({ type, previous_status }: Record<string, unknown>) => [
      ...[type, previous_status],
    ]),
    [['order.status_changed', 'paid']],
  );
  assert.deepEqual(moved.body.data, later.body.data);
});

test('a poll without news is answered from memory, also where a filter leaves out what was logged', async () => {
  const shop = await openShop();
  await shop.change([anOrder({ id: 'A' }), anOrder({ id: 'B' })]);
  const paths = [EVENTS, `${EVENTS}?type=order.updated`].map((path) => new URL(path, instance.url));
  const cursors = [];
  for (const { pathname, search } of paths)
    cursors.push(cursorOf(await shop.call('GET', pathname + search)));

  const locked = await instance.app.database.connect();
  await locked.query('begin');
  await locked.query('lock table events in access exclusive mode');
  const polls = await Promise.all(
    cursors.map((cursor) => shop.call('GET', `${EVENTS}?cursor=${cursor}`)),
  );
  await locked.end();
  await shop.change([anOrder({ id: 'A', buyerName: 'Ana Díaz' })]);
  const later = [];
  for (const cursor of cursors) later.push(await shop.call('GET', `${EVENTS}?cursor=${cursor}`));

  assert.deepEqual(
    polls.map(({ status, body }) => [status, body.data]),
    [
      [200, []],
      [200, []],
    ],
    'a poll waited for the table',
  );
  assert.deepEqual(
    later.map(({ body }) => body.data.map(({ type }: { type: string }) => type)),
    [['order.updated'], ['order.updated']],
  );
});

test('a client that comes back after the days of its plan learns until when events are missing', async () => {
  const shop = await openShop();
  await shop.plan('intermedio');
  const poll = (cursor: string) => shop.call('GET', `${EVENTS}?cursor=${cursor}`);
  const gapOf = ({ body }: Awaited<ReturnType<typeof poll>>) => body.pagination.gap_until;
  const pass = (days: number) => instance.clock.advance({ seconds: 86_400 * days });
  await shop.change([anOrder({ id: 'A' })]);
  const first = await shop.call('GET', EVENTS);
  const orders = await shop.call('GET', `${EVENTS}?type=order.created`);
  const others = await shop.call('GET', `${EVENTS}?type=guide.failed`);

  await pass(8);
  await shop.change([anOrder({ id: 'B' })]);
  const quiet = await poll(cursorOf(first));
  await pass(8);
  await shop.change([anOrder({ id: 'C' })]);
  const oldest = instance.clock.now().subtract({ hours: 7 * 24 });
  const late = await poll(cursorOf(first));
  const next = await poll(cursorOf(late));
  const gaps = [late, await poll(cursorOf(orders)), await poll(cursorOf(others))].map(gapOf);
  await pass(20);
  const later = await poll(cursorOf(others));

  assert.deepEqual([first, quiet, next].map(gapOf), [null, null, null]);
  assert.deepEqual(
    late.body.data.map(({ data }: { data: { id: string } }) => data.id),
    ['C'],
  );
  const until = `${oldest.toString({ smallestUnit: 'millisecond' })}`;
  assert.deepEqual(gaps, [until, until, null]);
  assert.notEqual(gapOf(later), null);
});

test('the log is read by the object that events are about, whatever its type calls its id', async () => {
  const shop = await openShop();
  await shop.change([anOrder({ id: 'A' }), anOrder({ id: 'B' })]);
  await shop.change([anOrder({ id: 'A', buyerName: 'Ana Díaz' })]);
  const { database } = instance.app;
  await database.within(shop.organizationId).write((scope) =>
    emit(scope, [
      { type: 'cfdi.issued', data: '{"uuid":"U","orders":[{"id":"A"}]}' },
      { type: 'inventory.updated', data: '{"item_id":"I","sku":"A"}' },
      { type: 'guide.failed', data: '{"line_id":"L"}' },
    ]),
  );

  const found = [];
  for (const words of ['A', 'A&type=order.updated', 'U', 'I', 'L', 'no']) {
    const { body } = await shop.call('GET', `${EVENTS}?object_id=${words}`);
    found.push(body.data.map(({ type }: { type: string }) => type));
  }
  const pages = await shop.call('GET', `${EVENTS}?object_id=A&limit=1`);
  const next = await shop.call('GET', `${EVENTS}?cursor=${cursorOf(pages)}`);

  assert.deepEqual(found, [
    ['order.created', 'order.updated'],
    ['order.updated'],
    ['cfdi.issued'],
    ['inventory.updated'],
    ['guide.failed'],
    [],
  ]);
  assert.deepEqual(
    [pages, next].map(({ body }) => [body.data[0].type, body.pagination.has_more]),
    [
      ['order.created', true],
      ['order.updated', false],
    ],
  );
});

test('of two writers at once none commits an event behind one that was already read', async () => {
  const shop = await openShop();
  const { database } = instance.app;
  const event = (name: string) =>
    ({ type: 'balance.updated', at: instance.clock.now(), data: `{"n":"${name}"}` }) as const;
  const slow = Promise.withResolvers<void>();
  const hasEmitted = Promise.withResolvers<void>();

  const first = database.within(shop.organizationId).write(async (scope) => {
    await emit(scope, [event('slow')]);
    hasEmitted.resolve();
    await slow.promise;
  });
  await hasEmitted.promise;
  const second = database
    .within(shop.organizationId)
    .write((scope) => emit(scope, [event('fast')]));
  // It waits for the first one; if it did not, it would have ended by then.
  await Promise.race([second, sleep(300)]);
  const read = await shop.call('GET', EVENTS);
  slow.resolve();
  await Promise.all([first, second]);
  const { next_cursor: cursor } = read.body.pagination;
  const rest = await shop.call(
    'GET',
    cursor === null ? EVENTS : `${EVENTS}?cursor=${cursorOf(read)}`,
  );

  assert.deepEqual(
    [...read.body.data, ...rest.body.data].map(({ data }: { data: { n: string } }) => data.n),
    ['slow', 'fast'],
  );
});

test('the plan decides: no log, a log of seven days without endpoints, or both for thirty days', async () => {
  const shop = await openShop();
  await shop.change([anOrder()]);
  instance.clock.advance({ seconds: 8 * 86_400 });
  await shop.change([anOrder({ id: 'B' })]);

  const full = await shop.call('GET', EVENTS);
  await shop.plan('intermedio');
  const read = await shop.call('GET', EVENTS);
  const endpoints = await shop.call('POST', ENDPOINTS, { url: 'https://example.com/' });
  const reader = await shop.keyWith(['orders:read']);
  const first = await callApi(instance.url, ENDPOINTS, {}, { key: reader });
  await shop.plan('basico');
  const none = await shop.call('GET', EVENTS);

  assert.deepEqual(
    [full, read].map(({ body }) => body.data.length),
    [2, 1],
  );
  for (const { status, body } of [endpoints, first])
    assert.deepEqual([status, body.error.code], [403, 'plan_does_not_include_webhooks']);
  assert.deepEqual([none.status, none.body.error.code], [403, 'plan_does_not_include_api']);
});

const AT = { url: 'https://example.com' };
const RESEND = `${ENDPOINTS}/00000000-0000-4000-8000-000000000000/resend`;

test('a key needs the permission, which no key has by default; each fault is a Spanish sentence', async () => {
  const shop = await openShop();
  const reader = await shop.keyWith(['orders:read', 'events:read']);
  const refused = await callApi(instance.url, ENDPOINTS, {}, { key: reader });
  const allowed = await callApi(instance.url, EVENTS, {}, { key: reader });
  assert.deepEqual(
    [refused.status, refused.body.error.details],
    [403, { required_scope: 'webhooks:write' }],
  );
  assert.match(
    refused.body.error.message,
    /le falta el permiso webhooks:write\. .* en Claves de API \(\/cuenta\/claves\)/,
  );
  assert.equal(allowed.status, 200);

  for (const [method, path, body, says] of [
    ['POST', ENDPOINTS, {}, /^Falta el campo url\./],
    ['POST', ENDPOINTS, { url: 5 }, /^El campo url debe ser un texto\.$/],
    ['POST', ENDPOINTS, { url: null }, /^El campo url no puede ser null\.$/],
    ['POST', ENDPOINTS, { ...AT, headers: 'x' }, /^El campo headers debe ser un objeto JSON\.$/],
    ['POST', ENDPOINTS, { ...AT, types: 'order.created' }, /una lista: \["order\.created"\]\.$/],
    ['POST', ENDPOINTS, { ...AT, types: 'x'.repeat(5_000) }, /una lista, por ejemplo \["…"\]\.$/],
    ['POST', RESEND, { event_id: 'evt_1', since: '2026-11-20T00:00:00Z' }, /pero no los dos\.$/],
    ['POST', ENDPOINTS, { url: 'http://example.com' }, /debe ser una URL completa/],
    ['POST', ENDPOINTS, { url: 'https://example.com', urls: [] }, /¿Quisiste decir url\?/],
    [
      'POST',
      ENDPOINTS,
      { url: 'https://example.com', types: ['orders'] },
      /tipos de evento posibles/,
    ],
    ['POST', ENDPOINTS, '[1]', /^El cuerpo debe ser un objeto JSON\.$/],
    ['POST', ENDPOINTS, '{', /^El cuerpo no es un JSON válido\.$/],
    [
      'POST',
      ENDPOINTS,
      '{"url":"https://example.com/\\u0000"}',
      /^El campo url tiene caracteres que no son texto: quítalos\.$/,
    ],
    ['GET', `${EVENTS}?type=orders`, undefined, /^El parámetro type solo admite: /],
    ['GET', `${EVENTS}?typ=a`, undefined, /¿Quisiste decir type\?/],
    ['GET', `${ENDPOINTS}?limit=3`, undefined, /esta operación no recibe parámetros/],
  ] as const) {
    const answer = await shop.call(method, path, body);
    assert.equal(answer.status, 400, JSON.stringify([method, path, body, answer.body]));
    assert.match(answer.body.error.message, says);
  }
  const wrong = await shop.call('PUT', ENDPOINTS, {});
  assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD, POST']);
  const large = await shop.call('POST', ENDPOINTS, {
    url: `https://example.com/${'x'.repeat(70_000)}`,
  });
  assert.deepEqual([large.status, large.body.error.code], [413, 'payload_too_large']);
  for (const { headers } of [wrong, large])
    assert.ok(headers.get('x-ratelimit-remaining') && headers.get('x-request-id'));
});

test('a body whose type is no type is refused after the key, in a sentence that names the header', async () => {
  const shop = await openShop();
  const reader = await shop.keyWith(['orders:read']);
  const ask = async (path: string, type: string, key: string | null) => {
    const headers = { 'content-type': type };
    const options = { key, method: 'POST', headers, body: '{}' };
    const { status, headers: sent, body } = await callApi(instance.url, path, {}, options);
    return { status, limit: sent.get('x-ratelimit-limit'), says: body.error.message };
  };
  const limit = (await shop.call('GET', EVENTS)).headers.get('x-ratelimit-limit');

  for (const path of [ENDPOINTS, '/manage/v1/exports', '/manage/v1/cfdis'])
    for (const type of [';', 'json', 'application/json, text/plain']) {
      assert.equal((await ask(path, type, null)).status, 401, `${path} ${type}`);
      assert.equal((await ask(path, type, reader)).status, 403, `${path} ${type}`);
    }
  for (const type of [';', 'json', 'application/json, text/plain', 'application/json-patch+json']) {
    const refused = await ask(ENDPOINTS, type, await shop.keyWith(['webhooks:write']));
    assert.deepEqual([refused.status, refused.limit], [400, limit], type);
    assert.match(refused.says, /con el encabezado Content-Type: application\/json\.$/, type);
  }
});

test('a body that is no text of UTF-8, or has half a character, is refused: nothing of it is altered', async () => {
  const shop = await openShop();
  const given = (account: string) => `{"url":"https://example.com","accounts":["${account}"]}`;

  for (const half of ['\\ud83d', '\\udfff', 'a\\uDC00b', '\\u0000']) {
    const refused = await shop.call('POST', ENDPOINTS, given(half));
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'accounts'], half);
    assert.match(refused.body.error.message, /tiene caracteres que no son texto: quítalos\.$/);
  }
  const latin = await shop.call('POST', ENDPOINTS, Buffer.from(given('Ñandú'), 'latin1'));
  assert.deepEqual([latin.status, latin.body.error.message], [400, 'Envía el cuerpo en UTF-8.']);
  const odd = ['Ñandú 😀', '\\\\u0000 \\\\ud800'];
  for (const account of odd)
    assert.equal((await shop.call('POST', ENDPOINTS, given(account))).status, 201, account);

  const listed = (await shop.call('GET', ENDPOINTS)).body.data;
  assert.deepEqual(
    listed.map(({ accounts }: { accounts: string[] }) => accounts.join()).toSorted(),
    ['\\u0000 \\ud800', 'Ñandú 😀'],
  );
});

test('the attempts of a deleted endpoint are still listed, to its organisation alone', async () => {
  const shop = await openShop();
  const { id } = (await shop.call('POST', ENDPOINTS, { url: 'https://tienda.invalid/' })).body.data;
  const sent = await shop.call('POST', `${ENDPOINTS}/${id}/test`);
  await workOff(instance);
  const before = await shop.call('GET', `${ENDPOINTS}/${id}/attempts`);
  await shop.call('DELETE', `${ENDPOINTS}/${id}`);

  const after = await shop.call('GET', `${ENDPOINTS}/${id}/attempts`);
  const foreign = await (await openShop()).call('GET', `${ENDPOINTS}/${id}/attempts`);

  assert.deepEqual(
    before.body.data.map((one: { event_id: string }) => one.event_id),
    [sent.body.data.event_id],
  );
  assert.deepEqual([after.status, after.body.data], [200, before.body.data]);
  assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'not_found']);
});

test('an endpoint at an address of an own network is not made, however that is written', async () => {
  const shop = await openShop();
  const url = 'https://example.com/hooks';
  const { id } = (await shop.call('POST', ENDPOINTS, { url })).body.data;

  for (const host of [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '10.0.0.7',
    '169.254.169.254',
    '[::1]',
    '[::ffff:10.0.0.7]',
    '[fd00::1]',
    'localhost',
    'tienda.localhost',
    'localhost.',
  ]) {
    const inward = { url: `https://${host}/hooks` };
    const made = await shop.call('POST', ENDPOINTS, inward);
    const changed = await shop.call('PATCH', `${ENDPOINTS}/${id}`, inward);
    for (const { status, body } of [made, changed]) {
      assert.deepEqual([status, body.error?.param], [400, 'url'], host);
      assert.match(body.error.message, /debe ser pública/);
    }
  }
  const listed = await shop.call('GET', ENDPOINTS);
  assert.deepEqual(
    listed.body.data.map((one: { url: string }) => one.url),
    [url],
  );
});

test('an endpoint at a name that DNS cannot have is refused, when it is made and when it is changed', async () => {
  const shop = await openShop();
  const label = 'a'.repeat(63);
  const longest = [label, label, label, 'a'.repeat(57), 'mx'].join('.');
  assert.equal(longest.length, 252);
  const url = `https://${longest}a/hooks`;
  const { status, body } = await shop.call('POST', ENDPOINTS, { url });
  assert.equal(status, 201, JSON.stringify(body));
  const { id } = body.data;

  for (const host of [
    `${label}a.mx`,
    `${longest}ab`,
    `ñ${'n'.repeat(60)}.mx`,
    'tienda..mx',
    '.tienda.mx',
  ]) {
    const named = { url: `https://${host}/hooks` };
    const made = await shop.call('POST', ENDPOINTS, named);
    const changed = await shop.call('PATCH', `${ENDPOINTS}/${id}`, named);
    for (const { status, body } of [made, changed]) {
      assert.deepEqual([status, body.error?.param], [400, 'url'], host);
      assert.match(
        body.error.message,
        /^El dominio de la dirección no es válido|URL completa/,
        host,
      );
    }
  }
});

test('an id of characters that are no text is unknown, whatever is asked of it', async () => {
  const shop = await openShop();
  const key = await shop.keyWith(KEY_SCOPES);
  const named = [...V1.operations, ...MANAGE.operations].filter(({ path }) =>
    path.includes('{id}'),
  );
  assert.ok(named.length > 10);
  for (const operation of named) {
    const path = operation.path.replace('{id}', 'a%00b');
    const method = methodOf(operation);
    const { status, body } = await callApi(instance.url, path, {}, { key, method });
    // What a body lacks is said first.
    const expected = method === 'POST' ? /^4/ : /^404/;
    assert.match(`${status} ${body.error?.code}`, expected, `${method} ${path}`);
  }
});

test('every example of a body in the documents is accepted as it stands', async () => {
  const shop = await openShop();
  const key = await shop.keyWith(KEY_SCOPES);
  const { id } = (await shop.call('POST', ENDPOINTS, { url: 'https://example.com' })).body.data;
  const documented = [V1, MANAGE].flatMap(({ operations }) =>
    operations.flatMap((operation) => {
      const body = operation.write?.body;
      return body && 'example' in body ? [{ operation, example: body.example }] : [];
    }),
  );

  const refused: string[] = [];
  for (const { operation, example } of documented) {
    const path = pathOf(operation, id);
    const method = methodOf(operation);
    const headers = { 'content-type': 'application/json' };
    const sent = { key, method, headers, body: JSON.stringify(example) };
    const { status, body } = await callApi(instance.url, path, {}, sent);
    if (status === 400) refused.push(`${method} ${path}: ${body.error.message}`);
  }

  assert.ok(documented.length >= 5, `${documented.length}`);
  assert.deepEqual(refused, []);
});

test('every operation accepts what the documents publish of each of its query parameters', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop();
  const key = await shop.keyWith(KEY_SCOPES);
  const { id } = (await shop.call('POST', ENDPOINTS, { url: 'https://example.com' })).body.data;
  const published = (await Promise.all([V1, MANAGE].map(publishedValues))).flat();

  const refused: string[] = [];
  for (const { operation, name, value } of published) {
    const path = pathOf(operation, id);
    const method = methodOf(operation);
    const sent = { key, method, ...bodyFor(operation) };
    const { status, body } = await callApi(instance.url, path, { [name]: value }, sent);
    const code = body.error?.code;
    // No page, message or order has the identifier of an example.
    if (status >= 400 && !/^(invalid_cursor|not_found|order_not_found)$/.test(code))
      refused.push(`${method} ${path}?${name}=${value}: ${body.error.message}`);
  }

  assert.ok(published.length >= 100, `${published.length}`);
  assert.deepEqual(refused, [], `src/entrances/query.ts cannot read it: ${refused.join('\n')}`);
});

/** Each value that the OpenAPI document of an API names for a query parameter. */
async function publishedValues({ path, operations }: Api) {
  const document = (await callApi(instance.url, `${path}/openapi.json`, {}, { key: null })).body;
  return operations.flatMap((operation) => {
    const { parameters } = document.paths[operation.path][methodOf(operation).toLowerCase()];
    return (parameters as PublishedParameter[])
      .filter((parameter) => parameter.in === 'query')
      .flatMap((parameter) =>
        valuesOf(parameter).map((value) => ({ operation, name: parameter.name, value })),
      );
  });
}

interface PublishedParameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: PublishedSchema;
}
interface PublishedSchema {
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly type?: string;
  readonly items?: PublishedSchema;
}

/** The example, which the description ends with, and all values that the schema names. */
function valuesOf({ name, description, schema }: PublishedParameter): string[] {
  const [, example = ''] = /Ejemplo: `([^`]+)`\.$/.exec(description) ?? [];
  assert.notEqual(example, '', `${name} is published without an example: ${description}`);
  const named = [schema.default, schema.minimum, schema.maximum, ...(schema.enum ?? [])];
  const more = schema.type === 'boolean' ? [true, false] : named;
  const several = schema.items?.enum?.join();
  const values = [example, ...more, several].filter((value) => value !== undefined).map(String);
  return [...new Set(values)];
}

/** Of an endpoint its own id, else the id of the example. */
function pathOf({ path, idMeans }: Operation, endpointId: string): string {
  const id = path.startsWith(ENDPOINTS) ? endpointId : idMeans?.example;
  return path.replace('{id}', id ?? '');
}

/** A body that the operation takes, so that nothing but the parameter can be at fault. */
function bodyFor({ write }: Operation) {
  const body = write?.body;
  if (!body) return {};
  const isFile = 'types' in body;
  const type = isFile ? String(body.types[0]) : 'application/json';
  const sent = isFile ? '<a/>' : JSON.stringify(body.example);
  return { headers: { 'content-type': type }, body: sent };
}

test('its OpenAPI document names every operation with its permission', async () => {
  const { status, body } = await callApi(
    instance.url,
    '/manage/v1/openapi.json',
    {},
    { key: null },
  );
  assert.equal(status, 200);
  const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method} ${path}`),
  );
  assert.deepEqual(
    operations.toSorted(),
    MANAGE.operations.map((one) => `${methodOf(one).toLowerCase()} ${one.path}`).toSorted(),
  );
  assert.ok(operations.includes(`post ${ENDPOINTS}/{id}/rotate-secret`));
  assert.ok(body.paths[ENDPOINTS].post.requestBody);
});

async function openShop() {
  const { organization } = await instance.tenant('avanzado');
  const organizationId = organization.id;
  const keyWith = async (scopes: readonly KeyScope[]) =>
    (
      await instance.app.database
        .within(organizationId)
        .write((scope) => createKey(scope, 'operator', { name: 'administra', scopes }))
    ).key;
  const key = await keyWith(['events:read', 'webhooks:write']);
  return {
    organizationId,
    keyWith,
    async call(method: string, path: string, body?: Body): Promise<ApiAnswer> {
      if (body === undefined) return callApi(instance.url, path, {}, { key, method });
      const isMade = typeof body === 'string' || body instanceof Uint8Array;
      const sent = isMade ? body : JSON.stringify(body);
      const headers = { 'content-type': 'application/json' };
      return callApi(instance.url, path, {}, { key, method, headers, body: sent });
    },
    change(orders: readonly Order[]) {
      const { orderListeners, announce, database } = instance.app.exchange;
      return database
        .within(organizationId)
        .write((scope) => recordOrders(scope, orders, [...orderListeners, announce]));
    },
    async plan(plan: Plan) {
      await instance.app.database.write((handle) =>
        changePlan(handle, instance.clock, { organizationId, plan, quota: null }),
      );
      await soon(async () => {
        const { body } = await callApi(instance.url, '/v1/me', {}, { key });
        assert.equal(body.data?.plan ?? 'basico', plan);
      });
    },
  };
}
type Body = object | string | Uint8Array<ArrayBuffer>;
type Shop = Awaited<ReturnType<typeof openShop>>;

/** An endpoint at a test server, which only an operator may name. */
async function byOperator({ organizationId }: Shop, url: string, more: string[] = []) {
  const words = ['create-webhook-endpoint', '--organization', organizationId, '--url', url];
  const made = await runHere([...words, '--operator-trusted', '--json', ...more], instance.env);
  return made.json as { id: string; secret: string };
}

function cursorOf({ body }: ApiAnswer): string {
  return encodeURIComponent(body.pagination.next_cursor);
}
