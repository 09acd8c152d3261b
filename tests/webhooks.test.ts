import assert from 'node:assert/strict';
import { verify as verifyEd25519 } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { Marketplace } from '../src/connectors/contract.ts';
import { recordCfdis, setFiscalProfile } from '../src/features/cfdi/index.ts';
import { type Order, recordOrders } from '../src/features/orders/index.ts';
import {
  claimDeliveries,
  createEndpoint,
  deleteEndpoint,
  emit,
  rotateSecret,
  takeEndpoint,
} from '../src/features/webhooks-out/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { soon } from './spec/support/soon.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { aCfdi, folioOf } from './support/cfdi-files.ts';
import { turnedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { openEndpoint, type TestEndpoint } from './support/endpoint.ts';
import { alertsOf, query, workOff } from './support/market.ts';
import { readCfdi } from './support/read-cfdi.ts';

// Events that are delivered to customers' endpoints.

const ONE = decimal('1.00');
const closers: (() => unknown)[] = [];
const whole = { after: (close: unknown) => void closers.push(close as () => unknown) };
let instance: TestApp;
let endpoint: TestEndpoint;

before(async () => {
  // The library that verifies compares with the time of the machine.
  const clock = turnedClock(systemClock.now().toString());
  instance = await openApp(whole, { plan: 'experto', clock });
});
beforeEach(async () => {
  endpoint = await openEndpoint(whole);
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

test('a thousand changes are exactly a thousand events, each verified by the standard library', {
  tags: ['slow'],
}, async () => {
  const { organizationId, secret } = await made();
  const changes = Array.from({ length: 1_000 }, (_, at) => anOrder({ id: String(1_000 + at) }));
  await change(organizationId, changes);
  await workOff(instance);

  const verifier = new Webhook(secret);
  const events = endpoint.deliveries.map(({ text, headers }) =>
    verifier.verify(text, headers as Record<string, string>),
  );
  assert.equal(events.length, 1_000);
  assert.equal(new Set(endpoint.deliveries.map(({ id }) => id)).size, 1_000);
  assert.equal(new Set(endpoint.deliveries.map(({ body }) => body.data.id)).size, 1_000);
  assert.deepEqual(Object.keys(endpoint.deliveries[0]?.body), [
    'id',
    'type',
    'api_version',
    'organization_id',
    'timestamp',
    'sequence',
    'changed',
    'data',
  ]);
  const { changed } = endpoint.deliveries[0]?.body ?? {};
  for (const name of ['status', 'total', 'buyer_name', 'items', 'cfdi'])
    assert.ok(changed.includes(name), name);
});

test('a change of the status is one event, with what changed and the former status', {
  tags: ['slow'],
}, async () => {
  const { organizationId } = await made();
  await change(organizationId, [anOrder({ status: 'paid' })]);
  await change(organizationId, [anOrder({ status: 'shipped', marketplaceStatus: 'shipped' })]);
  await workOff(instance);

  const { body } = endpoint.deliveries.find(({ body }) => body.type !== 'order.created') ?? {};
  assert.equal(endpoint.deliveries.length, 2);
  assert.equal(body.type, 'order.status_changed');
  assert.equal(body.previous_status, 'paid');
  assert.deepEqual(body.changed.toSorted(), ['marketplace_status', 'shipping', 'status']);
  assert.equal(body.sequence, body.data.last_updated);
});

test('an endpoint gets only the types, marketplaces and accounts that it requested', async () => {
  const organizationId = await organization();
  const wanted = await openEndpoint(whole);
  await made(organizationId, ['--types', 'order.updated']);
  await made(organizationId, ['--marketplaces', 'amazon']);
  await made(organizationId, ['--accounts', 'other']);
  await made(organizationId, ['--accounts', anOrder().accountId], wanted);
  await change(organizationId, [anOrder()]);
  await workOff(instance);

  assert.deepEqual(endpoint.deliveries, []);
  assert.equal(wanted.deliveries.length, 1);
});

test('filters of marketplace and account hold for shipments by their orders, and let news of endpoints pass', {
  tags: ['slow'],
}, async () => {
  const organizationId = await organization();
  const filters = [
    ['--marketplaces', 'mercado_libre'],
    ['--accounts', 'tienda'],
    ['--marketplaces', 'mercado_libre', '--accounts', 'tienda'],
    ['--marketplaces', 'amazon'],
  ];
  const endpoints: TestEndpoint[] = [];
  for (const words of filters) {
    const at = await openEndpoint(whole);
    await made(organizationId, words, at);
    endpoints.push(at);
  }
  const order = { marketplace: 'mercado_libre', account_id: 'tienda' };
  const events = [
    { type: 'order.created', data: { id: 'order', ...order } },
    { type: 'shipment.created', data: { id: 'parcel', account_id: '77', order_ref: order } },
    { type: 'shipment.created', data: { id: 'unrelated', account_id: '77', order_ref: {} } },
    { type: 'endpoint.disabled', data: { id: 'news', endpoint_id: newId() } },
  ] as const;
  await instance.app.database.within(organizationId).write((scope) =>
    emit(
      scope,
      events.map(({ type, data }) => ({ type, data: JSON.stringify(data) })),
    ),
  );
  await workOff(instance);

  const reported = endpoints.map(({ deliveries }) =>
    deliveries.map(({ body }) => body.data.id).toSorted(),
  );
  const all = ['news', 'order', 'parcel'];
  assert.deepEqual(reported, [all, all, all, ['news']]);
});

test('an endpoint of one account gets the global invoices with an order of it, however many orders come before', {
  tags: ['slow'],
}, async () => {
  const organizationId = await organization();
  const own = { person: null, regime: null, hasBorderVat: false, rfcs: ['AAA010101AAA'] };
  const { database, exchange } = instance.app;
  const { write } = database.within(organizationId);
  await write((scope) => setFiscalProfile(scope, 'operator', own));
  const some = (marketplace: Marketplace, count: number) =>
    Array.from({ length: count }, (_, at) =>
      anOrder({ marketplace, accountId: marketplace, id: `${marketplace}-${at}`, total: ONE }),
    );
  const orders = [...some('amazon', 60), ...some('mercado_libre', 10)];
  await change(organizationId, orders);
  const filters = [
    ['--marketplaces', 'mercado_libre'],
    ['--marketplaces', 'mercado_libre', '--accounts', 'mercado_libre'],
    ['--marketplaces', 'mercado_libre', '--accounts', 'amazon'],
    ['--marketplaces', 'walmart'],
  ];
  const endpoints: TestEndpoint[] = [];
  for (const words of filters) {
    const at = await openEndpoint(whole);
    await made(organizationId, words, at);
    endpoints.push(at);
  }

  const text = aCfdi({ uuid: folioOf(1), total: '1.00', sku: 'SKU' });
  const item = /<cfdi:Concepto .*?\/>/.exec(text)?.[0] as string;
  const items = orders.map(({ id }) => item.replace('SKU', id)).join('');
  const global = readCfdi(Buffer.from(text.replace(item, items)));
  await write((scope) => recordCfdis(scope, 'upload', [global], exchange.orderListeners));
  await workOff(instance);
  assert.deepEqual(
    endpoints.map(({ deliveries }) =>
      deliveries.flatMap(({ body }) => (body.type === 'cfdi.issued' ? body.data.uuid : [])),
    ),
    [[folioOf(1)], [folioOf(1)], [], []],
  );
});

test('a delivery that fails is tried eight times within its schedule, and then given up with an alert', {
  tags: ['slow'],
}, async () => {
  const { organizationId, id } = await made();
  const watcher = await openEndpoint(whole);
  await made(organizationId, ['--types', 'message.exhausted'], watcher);
  endpoint.answer = (response) => response.writeHead(500).end('no');
  await change(organizationId, [anOrder()]);
  const waits: number[] = [];
  for (let hours = 0; hours < 40 * 3_600; ) {
    const tries = endpoint.deliveries.length;
    await workOff(instance);
    if (endpoint.deliveries.length > tries) waits.push(hours);
    const step = hours < 60 ? 1 : hours < 3_600 ? 60 : 1_800;
    instance.clock.advance({ seconds: step });
    hours += step;
  }

  const expected = [0, 5, 305, 2_105, 9_305, 27_305, 63_305, 99_305];
  assert.equal(endpoint.deliveries.length, 8);
  for (const [at, seconds] of expected.entries())
    assert.ok(
      Math.abs((waits[at] ?? -1) - seconds) <= 1_800 * (at > 3 ? at : 0.04 * at),
      `${waits}`,
    );
  assert.equal(new Set(endpoint.deliveries.map(({ id }) => id)).size, 1, 'the id stays');
  assert.equal(new Set(endpoint.deliveries.map(({ text }) => text)).size, 1, 'the body stays');
  const [{ body } = { body: null }] = watcher.deliveries;
  assert.deepEqual(body.data, {
    endpoint_id: id,
    event_id: endpoint.deliveries[0]?.id,
    event_type: 'order.created',
  });
  const [alert] = await alertsOf(instance, organizationId);
  assert.equal(alert?.kind, 'webhook_event_exhausted');
});

test('a Retry-After puts the next try off, up to the step after it', async () => {
  const { organizationId } = await made();
  endpoint.answer = (response) => response.writeHead(503, { 'retry-after': '60' }).end();
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  instance.clock.advance({ seconds: 59 });
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 1);
  instance.clock.advance({ seconds: 2 });
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 2);
});

for (const [what, status, headers] of [
  ['410', 410, {}],
  ['the wish «disable»', 500, { 'webhook-delivery': 'disable' }],
] as const)
  test(`an endpoint that answers ${what} is disabled, and the other endpoints get an event`, async () => {
    const { organizationId, id } = await made();
    const watcher = await openEndpoint(whole);
    await made(organizationId, ['--types', 'endpoint.disabled'], watcher);
    endpoint.answer = (response) => response.writeHead(status, headers).end();
    await change(organizationId, [anOrder()]);
    await workOff(instance);
    await change(organizationId, [anOrder({ id: '2' })]);
    await workOff(instance);

    assert.equal(endpoint.deliveries.length, 1);
    assert.deepEqual(
      watcher.deliveries.map(({ body }) => body.data),
      [{ endpoint_id: id, reason: 'gone' }],
    );
    const [alert] = await alertsOf(instance, organizationId);
    assert.equal(alert?.kind, 'webhook_endpoint_disabled');
    await cli(['enable-webhook-endpoint', '--organization', organizationId, '--id', id]);
    assert.deepEqual(await alertsOf(instance, organizationId), [], 'it works again');
  });

test('an answer «abort-message» gives up that event alone', async () => {
  const { organizationId } = await made();
  endpoint.answer = (response, { body }) =>
    body.data.id === '1'
      ? response.writeHead(400, { 'webhook-delivery': 'abort-message' }).end()
      : response.writeHead(200).end();
  await change(organizationId, [anOrder({ id: '1' }), anOrder({ id: '2' })]);
  await workOff(instance);
  assert.deepEqual(await states(organizationId), ['aborted', 'delivered']);
});

test('a redirect is a failure, and the place that it names is not asked', async () => {
  const { organizationId } = await made();
  const other = await openEndpoint(whole);
  endpoint.answer = (response) => response.writeHead(307, { location: other.url }).end();
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  assert.deepEqual(await states(organizationId), ['pending']);
  assert.deepEqual(other.deliveries, []);
});

test('of a huge answer the beginning is kept, and the rest is not read', async () => {
  const { organizationId } = await made();
  let isCut = false;
  endpoint.answer = (response) => {
    response.on('close', () => {
      isCut = !response.writableFinished;
    });
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      response.once('drain', more);
    };
    more();
  };
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  const [attempt] = await attempts(organizationId);
  assert.deepEqual([attempt?.outcome, attempt?.length], ['delivered', 16_384]);
  assert.ok(isCut);
});

test('an address of the own network is refused unless the operator named it', async () => {
  const organizationId = await organization();
  const { stdout, code } = await create(organizationId, 'http://127.0.0.1:9/', []);
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).error.param, 'url');
  const made = await create(organizationId, 'https://127.0.0.1/hook', ['--operator-trusted']);
  assert.equal(made.code, 0, made.stdout);
  await query(instance, 'update webhook_endpoints set is_operator_trusted = false');
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  const [attempt] = await attempts(organizationId);
  assert.equal(attempt?.outcome, 'refused_address');
});

test('after a rotation both secrets sign for a day, then the new one alone', async () => {
  const { organizationId, id, secret } = await made();
  const rotated = await instance.app.database
    .within(organizationId)
    .write((scope) => rotateSecret(scope, 'operator', id));
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  for (const one of [secret, rotated.secret]) verified(one, 0);

  instance.clock.advance({ hours: 25 });
  await change(organizationId, [anOrder({ id: '2' })]);
  await workOff(instance);
  const { headers } = endpoint.deliveries[1] ?? {};
  assert.doesNotMatch(String(headers?.['webhook-signature']), / /);
  verified(rotated.secret, 1);
});

test('an ed25519 endpoint is verified with its public key', async () => {
  const { organizationId, id, secret } = await made(undefined, ['--signature', 'ed25519']);
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  const headers = endpoint.deliveries[0]?.headers ?? {};
  const text = endpoint.deliveries[0]?.text ?? '';
  const x = Buffer.from(secret.replace('whpk_', ''), 'base64').toString('base64url');
  const [version, signature = ''] = String(headers['webhook-signature']).split(',');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  const key = { format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } } as const;
  assert.equal(version, 'v1a');
  const words = ['rotate-webhook-secret', '--organization', organizationId, '--id', id];
  assert.notEqual((await cli(words)).json.secret, secret);
  assert.ok(verifyEd25519(null, Buffer.from(content), key, Buffer.from(signature, 'base64')));
});

test('what was given up is sent again by hand, and once where the schedule does so at the same time', async () => {
  const { organizationId, id } = await made();
  endpoint.answer = (response) => response.writeHead(500).end();
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  endpoint.answer = (response) => response.writeHead(200).end();
  instance.clock.advance({ seconds: 6 });
  const since = instance.clock.now().subtract({ hours: 1 }).toString();
  const words = ['resend-events', '--organization', organizationId, '--endpoint', id];
  const [resent] = await Promise.all([cli([...words, '--since', since]), workOff(instance)]);
  assert.equal(resent.code, 0, resent.stdout);
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 2);
  assert.deepEqual(await states(organizationId), ['delivered']);
});

test('the alert about what was given up ends when that is sent again, or its endpoint deleted', async () => {
  const { organizationId, id } = await made();
  const giveUp = async (order: string) => {
    endpoint.answer = (response) => response.writeHead(500).end();
    await change(organizationId, [anOrder({ id: order })]);
    await query(
      instance,
      'update webhook_deliveries set tries = 7 where organization_id = $1 and state = $2',
      [organizationId, 'pending'],
    );
    await workOff(instance);
    return (await alertsOf(instance, organizationId)).map(({ kind }) => kind);
  };
  const since = instance.clock.now().subtract({ hours: 1 }).toString();
  const words = ['--organization', organizationId];

  assert.deepEqual(await giveUp('1'), ['webhook_event_exhausted']);
  endpoint.answer = (response) => response.writeHead(200).end();
  await cli(['resend-events', ...words, '--endpoint', id, '--since', since]);
  assert.deepEqual(await alertsOf(instance, organizationId), []);
  await workOff(instance);

  assert.deepEqual(await giveUp('2'), ['webhook_event_exhausted']);
  await instance.app.database
    .within(organizationId)
    .write((scope) => deleteEndpoint(scope, 'operator', id));
  assert.deepEqual(await alertsOf(instance, organizationId), []);
});

test('an event that was delivered is sent again by hand, as often as it is asked', async () => {
  const { organizationId, id } = await made();
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  const words = ['resend-events', '--organization', organizationId, '--endpoint', id];
  for (let again = 0; again < 2; again++) {
    const { json } = await cli([...words, '--event', endpoint.deliveries[0]?.id ?? '']);
    assert.equal(json.resent, 1);
    await workOff(instance);
  }
  assert.equal(endpoint.deliveries.length, 3);
  assert.equal(new Set(endpoint.deliveries.map(({ text }) => text)).size, 1);
});

test('an event that is being sent is not sent once more by hand', async () => {
  const { organizationId, id } = await made();
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  endpoint.answer = async (response) => {
    arrive();
    await answered;
    response.writeHead(200).end();
  };
  await change(organizationId, [anOrder()]);
  await instance.app.worker?.tick();
  await arrived;
  const event = endpoint.deliveries[0]?.id ?? '';
  const words = ['resend-events', '--organization', organizationId, '--endpoint', id];
  const { json } = await cli([...words, '--event', event]);
  answer();
  await workOff(instance);
  await workOff(instance);
  assert.equal(json.resent, 0);
  assert.equal(endpoint.deliveries.length, 1);
});

test('what a killed process was sending is sent again half a minute later', async () => {
  const { organizationId, id } = await made();
  await change(organizationId, [anOrder()]);
  await instance.app.database.within(organizationId).write(async (scope) => {
    const taken = await takeEndpoint(scope, { endpointId: id, lease: newId() });
    assert.equal(taken && (await claimDeliveries(scope, taken)).length, 1);
  });
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 0);
  await passLeases(organizationId, 20);
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 0);
  await passLeases(organizationId, 11);
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 1);
});

test('a healthy endpoint does not wait for a hundred that hang at the same host', {
  tags: ['slow'],
}, async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  t.after(() => release());
  const healthy = Promise.withResolvers<void>();
  let hanging = 0;
  endpoint.answer = async (response, { headers }) => {
    if (headers['x-tienda'] === 'sana') healthy.resolve();
    else {
      hanging += 1;
      response.once('close', () => (hanging -= 1));
      await released;
    }
    response.writeHead(200).end();
  };
  const make = (organizationId: string, headers: Record<string, string>) =>
    instance.app.database
      .within(organizationId)
      .write((scope) =>
        createEndpoint(
          scope,
          'operator',
          { url: endpoint.url, headers, isOperatorTrusted: true },
          20,
        ),
      );
  for (let organizations = 0; organizations < 5; organizations++) {
    const organizationId = await organization();
    for (let count = 0; count < 20; count++) await make(organizationId, {});
    await change(organizationId, [anOrder()]);
  }
  await instance.app.worker?.tick();
  await soon(() => assert.equal(hanging, 100), 60_000);
  const organizationId = await organization();
  await make(organizationId, { 'X-Tienda': 'sana' });
  await change(organizationId, [anOrder()]);
  await instance.app.worker?.tick();
  await healthy.promise;
  release();
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 101);
});

test('an endpoint whose secret does not open pauses with an alert and a mail, until it has another one', async () => {
  const { organizationId, id } = await made();
  await query(instance, `update webhook_endpoints set secret_box = 'rubbish' where id = '${id}'`);
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 0);
  const [alert] = (await cli(['alerts', '--organization', organizationId])).json.alerts;
  assert.equal(alert.kind, 'webhook_secret_unreadable');
  assert.match(alert.message, /Rota su secreto/);
  assert.equal(alert.count, 1, 'it is not tried each second');

  const rotated = await cli([
    'rotate-webhook-secret',
    '--organization',
    organizationId,
    '--id',
    id,
  ]);
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 1);
  verified(rotated.json.secret, 0);
  assert.deepEqual((await cli(['alerts', '--organization', organizationId])).json.alerts, []);
});

test('an endpoint with a rate gets no more in a minute', async () => {
  const { organizationId } = await made(undefined, ['--rate', '3']);
  await change(
    organizationId,
    ['1', '2', '3', '4', '5'].map((id) => anOrder({ id })),
  );
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 3);
  instance.clock.advance({ seconds: 61 });
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 5);
});

test('an endpoint that answers 429 is left alone for a while, also with other events', async () => {
  const { organizationId } = await made();
  endpoint.answer = (response) => response.writeHead(429).end();
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  await change(organizationId, [anOrder({ id: '2' })]);
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 1);
  endpoint.answer = (response) => response.writeHead(200).end();
  instance.clock.advance({ seconds: 10 });
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 3);
});

test('a pause that one delivery asked for stays when others of the same ten succeed after it', async () => {
  const { organizationId } = await made();
  const isPaused = 'select 1 from webhook_endpoints where organization_id = $1 and slow_downs > 0';
  endpoint.answer = async (response) => {
    if (endpoint.deliveries.length === 1) return response.writeHead(429).end();
    await soon(async () =>
      assert.equal((await query(instance, isPaused, [organizationId])).length, 1),
    );
    return response.writeHead(200).end();
  };
  const ids = Array.from({ length: 12 }, (_, at) => `${at + 1}`);
  await change(
    organizationId,
    ids.map((id) => anOrder({ id })),
  );
  await workOff(instance);
  await workOff(instance);
  const paused = endpoint.deliveries.length;
  endpoint.answer = (response) => response.writeHead(200).end();
  instance.clock.advance({ seconds: 10 });
  await workOff(instance);

  assert.equal(paused, 10);
  assert.equal(endpoint.deliveries.length, 13);
});

test('five days of failures alone disable an endpoint', { tags: ['slow'] }, async () => {
  const { organizationId } = await made();
  endpoint.answer = (response) => response.writeHead(500).end();
  for (let half = 0; half < 11; half++) {
    assert.equal((await endpointsOf(organizationId))[0].state, 'enabled');
    await change(organizationId, [anOrder({ id: `${half}` })]);
    await workOff(instance);
    instance.clock.advance({ hours: 12, seconds: 1 });
  }
  const { json } = await cli(['webhook-endpoints', '--organization', organizationId]);
  assert.equal(json.endpoints[0].state, 'disabled');
  assert.equal(json.endpoints[0].disabled_because, 'failing');
});

test('a success between failures starts the five days anew', { tags: ['slow'] }, async () => {
  const { organizationId } = await made();
  for (let half = 0; half < 16; half++) {
    endpoint.answer = (response) => response.writeHead(half === 6 ? 200 : 500).end();
    await change(organizationId, [anOrder({ id: `${half}` })]);
    await workOff(instance);
    instance.clock.advance({ hours: 12, seconds: 1 });
  }
  const { json } = await cli(['webhook-endpoints', '--organization', organizationId]);
  assert.equal(json.endpoints[0].state, 'enabled');
});

test('a day without a try starts the five days anew', { tags: ['slow'] }, async () => {
  const { organizationId } = await made();
  const fail = async (id: string) => {
    endpoint.answer = (response) => response.writeHead(503).end();
    await change(organizationId, [anOrder({ id })]);
    await workOff(instance);
  };
  // An event is given up after its eight tries. Then nothing happens for days.
  await fail('1');
  for (let hours = 0; hours < 60; hours += 4) {
    instance.clock.advance({ hours: 4 });
    await workOff(instance);
  }
  assert.deepEqual(await states(organizationId), ['exhausted']);
  instance.clock.advance({ hours: 5 * 24 });
  await fail('2');

  const [one] = await endpointsOf(organizationId);
  assert.equal(one.state, 'enabled');
  assert.ok(instance.clock.now().since(one.failing_since).total('minutes') < 1);
});

test('days in which a plan or a suspension sends nothing are no failures', {
  tags: ['slow'],
}, async () => {
  const { organizationId } = await made();
  const fail = async (id: string) => {
    endpoint.answer = (response) => response.writeHead(500).end();
    await change(organizationId, [anOrder({ id })]);
    await workOff(instance);
  };
  const setPlan = (plan: string) =>
    cli(['set-plan', '--organization', organizationId, '--plan', plan]);

  await fail('1');
  await setPlan('intermedio');
  instance.clock.advance({ hours: 6 * 24 });
  await setPlan('experto');
  await fail('2');
  assert.deepEqual(await states(organizationId), ['pending', 'pending']);

  await cli(['suspend', '--organization', organizationId]);
  instance.clock.advance({ hours: 6 * 24 });
  await workOff(instance);
  await cli(['resume', '--organization', organizationId]);
  instance.clock.advance({ minutes: 2 });
  await fail('3');
  const { json } = await cli(['webhook-endpoints', '--organization', organizationId]);
  assert.equal(json.endpoints[0].state, 'enabled');
});

test('a plan without webhooks has no endpoints, and a lower one disables what is beyond its limit', async () => {
  const organizationId = await organization();
  for (let count = 0; count < 6; count++) await made(organizationId);
  const statesNow = async () =>
    (await cli(['webhook-endpoints', '--organization', organizationId])).json.endpoints.map(
      ({ state }: { state: string }) => state,
    );
  const setPlan = (plan: string) =>
    cli(['set-plan', '--organization', organizationId, '--plan', plan]);

  await setPlan('avanzado');
  assert.deepEqual(await statesNow(), [...Array(5).fill('enabled'), 'disabled_by_plan']);
  const more = await create(organizationId, endpoint.url, ['--operator-trusted']);
  assert.equal(JSON.parse(more.stdout).error.code, 'webhook_endpoint_limit_reached');
  await setPlan('intermedio');
  assert.deepEqual(await statesNow(), Array(6).fill('disabled_by_plan'));
  const none = await create(organizationId, endpoint.url, ['--operator-trusted']);
  assert.equal(JSON.parse(none.stdout).error.code, 'plan_does_not_include_webhooks');
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  assert.deepEqual(endpoint.deliveries, []);
  await setPlan('experto');
  assert.deepEqual(await statesNow(), Array(6).fill('enabled'));
});

test('a disabled endpoint gets nothing more, until it is enabled again', async () => {
  const { organizationId, id } = await made();
  await cli(['disable-webhook-endpoint', '--organization', organizationId, '--id', id]);
  await change(organizationId, [anOrder()]);
  await workOff(instance);
  assert.deepEqual(endpoint.deliveries, []);

  endpoint.answer = (response) => response.writeHead(500).end();
  await cli(['enable-webhook-endpoint', '--organization', organizationId, '--id', id]);
  await change(organizationId, [anOrder({ id: '2' })]);
  await workOff(instance);
  await cli(['disable-webhook-endpoint', '--organization', organizationId, '--id', id]);
  instance.clock.advance({ seconds: 10 });
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 1);

  endpoint.answer = (response) => response.writeHead(200).end();
  await cli(['enable-webhook-endpoint', '--organization', organizationId, '--id', id]);
  await workOff(instance);
  assert.equal(endpoint.deliveries.length, 2);
});

async function endpointsOf(organizationId: string) {
  return (await cli(['webhook-endpoints', '--organization', organizationId])).json.endpoints;
}

async function organization(): Promise<string> {
  return (await instance.tenant('experto')).organization.id;
}

async function made(given?: string, words: readonly string[] = [], at = endpoint) {
  const organizationId = given ?? (await organization());
  const { code, stdout } = await create(organizationId, at.url, ['--operator-trusted', ...words]);
  assert.equal(code, 0, stdout);
  const { id, secret, ...others } = JSON.parse(stdout) as { id: string; secret: string };
  assert.deepEqual(others, {});
  return { organizationId, id, secret };
}

function create(organizationId: string, url: string, words: readonly string[]) {
  return cli(['create-webhook-endpoint', '--organization', organizationId, '--url', url, ...words]);
}

function cli(words: readonly string[]) {
  return runHere([...words, '--json'], instance.env);
}

function change(organizationId: string, orders: readonly Order[]) {
  const { orderListeners, announce, database } = instance.app.exchange;
  return database
    .within(organizationId)
    .write((scope) => recordOrders(scope, orders, [...orderListeners, announce]));
}

function verified(secret: string, index: number) {
  const { text = '', headers = {} } = endpoint.deliveries[index] ?? {};
  const at = new globalThis.Date(Number(headers['webhook-timestamp']) * 1_000);
  const signed = new Webhook(secret).sign(String(headers['webhook-id']), at, text);
  assert.ok(String(headers['webhook-signature']).split(' ').includes(signed));
}

async function states(organizationId: string): Promise<unknown[]> {
  const text = 'select state from webhook_deliveries where organization_id = $1 order by state';
  return (await query(instance, text, [organizationId])).map(({ state }) => state);
}

/** The database's clock counts leases. */
async function passLeases(organizationId: string, seconds: number): Promise<void> {
  for (const table of ['webhook_endpoints', 'webhook_deliveries']) {
    const text = `update ${table} set leased_until = leased_until - $2 * interval '1 second'
                   where organization_id = $1`;
    await query(instance, text, [organizationId, seconds]);
  }
}

function attempts(organizationId: string) {
  const text = `select outcome, status, length(answer) as length from webhook_attempts
                 where organization_id = $1 order by at`;
  return query(instance, text, [organizationId]);
}
