import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Zipnova } from '../simulators/zipnova/index.ts';
import { disconnectAccount } from '../src/exchange/connect/disconnect.ts';
import { listBalances } from '../src/features/balances/index.ts';
import type { Failure } from '../src/platform/failure.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openApp, type TestApp } from './support/app.ts';
import { alertsOf, outcomesOf, query } from './support/market.ts';
import { openParcels, type Parcelled } from './support/parcels.ts';
import { unsealShipments } from './support/unsealed.ts';

// Zipnova: connected, walked once, then notified of every change; once a day the list is gone over
// again.

const shared = await openApp(WHOLE_FILE);

test('an account is connected with its token, and its shipments are there with their history', async (t) => {
  const { sim, connect, shipments, own } = await openParcels(t, { shared });
  const parcel = sim.parcels.make({ externalId: 'PED-1' });
  own.clock.advance({ hours: 1 });
  sim.parcels.move(parcel.id, 'in_transit');

  await connect();

  const [shipment, ...others] = await shipments();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [shipment?.id, shipment?.status, shipment?.carrier_status, shipment?.order_ref.reference],
    [String(parcel.id), 'EN_TRANSITO', 'in_transit', 'PED-1'],
  );
  assert.deepEqual(
    [String(shipment?.cost?.rawJSON), String(shipment?.weight_kg?.rawJSON), shipment?.contents],
    ['129.42', '10', 'Colchón individual'],
  );
  assert.deepEqual(
    shipment?.events.map(({ code, source }) => [code, source]),
    [
      ['new', 'tracking_history'],
      ['in_transit', 'tracking_history'],
    ],
  );
  assert.equal((await own.api('/v1/me')).body.data.marketplaces_connected, 0);
});

test('the receiver of a parcel is not kept, neither apart nor in the document', async (t) => {
  const { sim, own, connect } = await openParcels(t, { shared });
  sim.parcels.make();

  await connect();

  await unsealShipments(own);
  const [row] = await queryOwn(
    own,
    'select raw, destination from shipments where organization_id = $1',
  );
  assert.deepEqual(JSON.parse(String(row?.destination)), {
    city: 'Puebla',
    state: 'Puebla',
    zipcode: '72000',
  });
  assert.match(String(row?.raw), /Puebla/);
  assert.doesNotMatch(String(row?.raw), /María/);
});

test('a package without a SKU has none: its description is no SKU', async (t) => {
  const { sim, own, connect } = await openParcels(t, { shared });
  sim.parcels.make();

  await connect();

  const [row] = await queryOwn(own, 'select packages from shipments where organization_id = $1');
  const [first] = JSON.parse(String(row?.packages));
  assert.deepEqual([first.sku, first.content], [null, 'Colchón individual']);
});

test('fields that are empty, or of another shape than is known, do not cost their shipment', async (t) => {
  const { sim, own, connect, shipments } = await openParcels(t, { shared });
  const empty = sim.parcels.make({
    fields: {
      ...{ external_id: '', delivery_id: '', carrier_tracking_id: '', parent_shipment_id: '' },
      destination: { city: 'Puebla', state: '', zipcode: '' },
      origin: [],
      packages: [{ sku_id: '', description_1: 1_910_811_535, description_2: '', weight: 500 }],
      channel_relations: { channel: 'shopify', order_id: '', pack_id: 2_000_003, tags: null },
    },
  });

  await connect();

  const [shipment] = await shipments();
  assert.deepEqual(
    [shipment?.id, shipment?.order_ref.reference, shipment?.tracking_number, shipment?.parent_id],
    [String(empty.id), null, null, null],
  );
  const [row] = await queryOwn(
    own,
    'select packages, relations from shipments where organization_id = $1',
  );
  const [first] = JSON.parse(String(row?.packages));
  assert.deepEqual([first.sku, first.content], [null, '1910811535']);
  assert.deepEqual(JSON.parse(String(row?.relations)), [
    { channel: 'shopify', orderId: null, packId: '2000003', tags: [] },
  ]);
});

test('a token that reaches no account is refused, and so is a wrong one', async (t) => {
  const { sim, own } = await openParcels(t, { shared });
  const attempt = (credentials: object) => own.connect('zipnova', { url: sim.url, credentials });

  await assert.rejects(attempt({ ...sim.credentials(), api_secret: 'otro' }), {
    code: 'upstream_error',
  });
  sim.accounts.length = 0;

  await assert.rejects(attempt(sim.credentials()), (failure: Failure) => {
    assert.deepEqual([failure.code, failure.param], ['invalid_request', 'api_token']);
    assert.match(failure.message, /ninguna cuenta de Zipnova/);
    return true;
  });
});

test('of several accounts the seller chooses one, and sees the shipments of that one alone', async (t) => {
  const { sim, own, connect, shipments } = await openParcels(t, { shared, accounts: [11, 22] });
  sim.parcels.make({ account: 11 });
  const chosen = sim.parcels.make({ account: 22 });

  await assert.rejects(connect(), (failure: Failure) => {
    assert.deepEqual([failure.code, failure.param], ['invalid_request', 'account_id']);
    assert.match(
      failure.message,
      /: 11 \(Cuenta 11\), 22 \(Cuenta 22\)\. Elige una con account_id/,
    );
    assert.deepEqual(failure.details?.accounts, [
      { id: '11', name: 'Cuenta 11' },
      { id: '22', name: 'Cuenta 22' },
    ]);
    return true;
  });
  await assert.rejects(connect(33), { param: 'account_id' });
  await connect(22);

  assert.deepEqual(
    (await shipments()).map(({ id, account_id }) => [id, account_id]),
    [[String(chosen.id), '22']],
  );
  assert.equal(
    (await queryOwn(own, 'select 1 from connections where organization_id = $1')).length,
    1,
  );
});

test('webhooks are registered with a token of the connection, once, and foreign ones are not touched', async (t) => {
  const { sim, own, connect, work } = await openParcels(t, { shared });
  const foreign = sim.webhooks.register(11_600, 'status', 'https://otro.example/aviso');

  const id = await connect();
  own.clock.advance({ hours: 25 });
  await work();

  const ours = sim.webhooks.registered.filter((hook) => hook !== foreign);
  assert.deepEqual(ours.map(({ topic }) => topic).toSorted(), ['shipment', 'status']);
  for (const { url } of ours)
    assert.match(url, new RegExp(`/api/webhooks/zipnova\\?token=${id}\\.[\\w-]{43}$`));
  assert.equal(foreign.url, 'https://otro.example/aviso');

  sim.webhooks.registered.length = 0;
  own.clock.advance({ hours: 25 });
  await work();
  assert.equal(sim.webhooks.registered.length, 2, 'what was dropped there is there again');
});

test('with the account its webhooks go from Zipnova, and no others', async (t) => {
  const { sim, own, connect } = await openParcels(t, { shared });
  const foreign = sim.webhooks.register(11_600, 'status', 'https://otro.example/aviso');
  const id = await connect();
  sim.webhooks.register(11_600, 'account_balance', sim.webhooks.registered[1]?.url ?? '');

  assert.equal(await disconnectAccount(own.app.exchange, own.organization.id, id), 'removed');

  assert.deepEqual(sim.webhooks.registered, [foreign]);
  const [row] = await queryOwn(
    own,
    'select state, credentials from connections where organization_id = $1',
  );
  assert.deepEqual(row, { state: 'disconnected', credentials: null });
});

for (const [what, spoil] of [
  [
    'does not answer',
    (sim: Zipnova) => sim.faults.next({ kind: 'server_error', match: /webhooks/, times: 9 }),
  ],
  ['does not know the token any more', (sim: Zipnova) => sim.revoke()],
] as const)
  test(`an account is disconnected though Zipnova ${what}`, async (t) => {
    const { sim, own, connect } = await openParcels(t, { shared });
    const id = await connect();
    spoil(sim);
    const asked = sim.requests.length;

    assert.equal(await disconnectAccount(own.app.exchange, own.organization.id, id), 'left');

    assert.equal(sim.requests.length, asked + 1, 'it is tried once');
    const [row] = await queryOwn(
      own,
      'select state, credentials from connections where organization_id = $1',
    );
    assert.deepEqual(row, { state: 'disconnected', credentials: null });
  });

test('a webhook says only which shipment moved: what it says of it is not believed', async (t) => {
  const { sim, connect, deliver, shipments, own } = await openParcels(t, { shared });
  await connect();
  const parcel = sim.parcels.make();
  const made = await deliver();
  assert.deepEqual(
    made.map(({ status }) => status),
    [200, 200],
  );
  assert.equal((await shipments())[0]?.status, 'PREPARACION');

  sim.webhooks.push(11_600, 'status', {
    account_id: 11_600,
    shipment_id: parcel.id,
    status: 'Entregado',
    status_code: 'delivered',
  });
  await deliver();
  assert.equal((await shipments())[0]?.status, 'PREPARACION', 'nothing was delivered');

  own.clock.advance({ hours: 2 });
  sim.parcels.move(parcel.id, 'out_for_delivery');
  await deliver();
  const [shipment] = await shipments();
  assert.deepEqual(
    [shipment?.status, shipment?.carrier_status],
    ['EN_TRANSITO', 'out_for_delivery'],
  );
  assert.equal(shipment?.events.length, 2);
});

test('without the token nothing is taken, and the answer is the same until its address is held off', {
  tags: ['slow'],
}, async (t) => {
  const { sim, own, connect } = await openParcels(t);
  const id = await connect();
  const { url } = sim.webhooks.registered[0] as { url: string };
  const token = new URL(url).searchParams.get('token') ?? '';
  const body = JSON.stringify({ topic: 'status', data: { account_id: 11_600, shipment_id: 1 } });
  const push = (query: Record<string, string>, text = body) =>
    own.api('/api/webhooks/zipnova', query, { method: 'POST', body: text, key: null });

  const refused = [
    await push({}),
    await push({ token: '' }),
    await push({ token: `${id}.x` }),
    await push({ token: token.replace(id, '019a0000-0000-7000-8000-000000000001') }),
    await push({ token: `${token}x` }, 'no es json'),
  ];
  for (const { status, body: answer } of refused)
    assert.deepEqual([status, answer.error?.code], [401, 'invalid_webhook_secret']);
  assert.equal(new Set(refused.map(({ body: { error } }) => error?.message)).size, 1);

  assert.equal((await push({ token }, 'no es json')).body.error.code, 'invalid_payload');

  for (let time = refused.length; time < 60; time++) await push({});
  const held = await push({});
  assert.deepEqual([held.status, held.body.error.code], [429, 'too_many_requests']);
  assert.match(held.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await push({ token }, 'x'.repeat(257 * 1024))).status, 413);
  assert.equal((await push({ token })).status, 200);
});

test('of a webhook only its topic and identifiers are kept', async (t) => {
  const { sim, connect, deliver, own } = await openParcels(t, { shared });
  await connect();
  const { id } = sim.parcels.make();
  await deliver();
  sim.webhooks.push(11_600, 'shipment', {
    account_id: 11_600,
    shipment_id: id,
    destination: { name: 'Marta Núñez', phone: '5512345678', street: 'Calle del Pozo' },
  });
  await deliver();

  const rows = await query(own, 'select body from receipts where organization_id = $1', [
    own.organization.id,
  ]);
  const kept = rows.map(({ body }) => JSON.parse(String(body)));
  assert.ok(kept.length >= 3);
  for (const { topic, data, ...more } of kept) {
    assert.match(topic, /^(status|shipment)$/);
    assert.deepEqual([data, more], [{ account_id: '11600', shipment_id: String(id) }, {}]);
  }
});

test('webhooks of another account and of unknown topics are answered 200 and change nothing', async (t) => {
  const { sim, own, connect, shipments } = await openParcels(t, { shared });
  await connect();
  const parcel = sim.parcels.make();
  const token = new URL(sim.webhooks.registered[0]?.url ?? '').searchParams.get('token') ?? '';
  const push = (body: object) =>
    own.api(
      '/api/webhooks/zipnova',
      { token },
      { method: 'POST', body: JSON.stringify(body), key: null },
    );

  const answers = [
    await push({ topic: 'status', data: { account_id: 999, shipment_id: parcel.id } }),
    await push({ topic: 'stock', data: { account_id: 11_600, shipment_id: parcel.id } }),
    await push({ topic: 'algo nuevo' }),
  ];

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.deepEqual(await shipments(), []);
  assert.deepEqual(await outcomesOf(own, own.organization.id), { ignored: 1 });
});

test('changes without a webhook are found once a day, and only shipments that may have changed are fetched', {
  tags: ['slow'],
}, async (t) => {
  const { sim, own, connect, work, shipments } = await openParcels(t, { shared });
  const old = Array.from({ length: 45 }, (_, day) =>
    sim.parcels.make({
      at: own.clock.now().epochMilliseconds - (60 + day) * 86_400_000,
      code: 'delivered',
    }),
  );
  const late = sim.parcels.make({
    at: own.clock.now().epochMilliseconds - 200 * 86_400_000,
    code: 'in_transit',
  });
  await connect();
  assert.equal((await shipments()).length, old.length + 1);
  sim.webhooks.registered.length = 0;
  const fresh = sim.parcels.make();
  sim.parcels.move(late.id, 'delivered');
  own.clock.advance({ hours: 23 });
  await work();
  assert.equal((await shipments()).length, old.length + 1, 'a day has not passed');
  const asked = sim.requests.length;

  own.clock.advance({ hours: 2 });
  await work();

  const shown = await shipments();
  assert.equal(shown.find(({ id }) => id === String(fresh.id))?.status, 'PREPARACION');
  assert.equal(shown.find(({ id }) => id === String(late.id))?.status, 'ENTREGADO');
  const calls = sim.requests.slice(asked).map(({ path }) => path);
  const named = calls.flatMap((path) => /shipments\/(\d+)$/.exec(path)?.[1] ?? []);
  assert.deepEqual(new Set(named), new Set([String(fresh.id), String(late.id)]));
  assert.ok(
    !calls.some((path) => path.includes('page=3')),
    'the walk ended where all was old news',
  );
});

test('rows that a removal moved up while the list was walked are not missed', async (t) => {
  const { sim, own, connect, shipments } = await openParcels(t, { shared });
  const made = Array.from({ length: 45 }, (_, at) =>
    sim.parcels.make({ at: own.clock.now().epochMilliseconds - (at + 1) * 60_000 }),
  );
  let pages = 0;
  const all = sim.parcels.all;
  Object.assign(sim.parcels, {
    all: (account?: number) => {
      if (account !== undefined && ++pages === 2) sim.parcels.remove(made[3]?.id as number);
      return all(account);
    },
  });

  await connect();

  const wanted = made.map(({ id }) => String(id));
  const shown = new Set((await shipments()).map(({ id }) => id));
  assert.deepEqual(
    wanted.filter((id) => !shown.has(id)),
    [],
  );
});

test('an undocumented state keeps the category, is kept raw, and an alert is raised', async (t) => {
  const { sim, own, connect, deliver, shipments } = await openParcels(t, { shared });
  const parcel = sim.parcels.make({ code: 'in_transit' });
  await connect();
  own.clock.advance({ hours: 1 });
  sim.parcels.move(parcel.id, 'teleported');

  await deliver();

  const [shipment] = await shipments();
  assert.deepEqual([shipment?.status, shipment?.carrier_status], ['EN_TRANSITO', 'teleported']);
  const [alert] = await alertsOf(own, own.organization.id);
  assert.equal(alert?.kind, 'unknown_shipment_status');
  assert.match(String(alert?.message), /^Zipnova usa .*«teleported»/);
});

test('the way to the crossdock after a failed delivery is the way back', async (t) => {
  const { sim, own, connect, deliver, shipments } = await openParcels(t, { shared });
  const [out, back] = [sim.parcels.make(), sim.parcels.make()];
  await connect();
  for (const code of ['shipped', 'not_delivered', 'in_transit_to_crossdock']) {
    own.clock.advance({ hours: 1 });
    sim.parcels.move(back.id, code, code === 'not_delivered' ? 'bad_address' : undefined);
  }
  sim.parcels.move(out.id, 'in_transit_to_crossdock');

  await deliver();

  const shown = new Map((await shipments()).map((shipment) => [shipment.id, shipment.status]));
  assert.deepEqual(
    [shown.get(String(out.id)), shown.get(String(back.id))],
    ['EN_TRANSITO', 'DEVOLUCION'],
  );
});

test('a parcel that was lost and comes after all is delivered', async (t) => {
  const { sim, own, connect, deliver, shipments } = await openParcels(t);
  const parcel = sim.parcels.make({ code: 'lost' });
  await connect();
  own.clock.advance({ hours: 1 });
  sim.parcels.move(parcel.id, 'delivered');

  await deliver();

  const [shipment] = await shipments();
  assert.deepEqual(
    [shipment?.status, shipment?.events.map(({ status }) => status)],
    ['ENTREGADO', ['SINIESTRADO', 'ENTREGADO']],
  );
  assert.equal(shipment?.delivered_at, own.clock.now().toString({ smallestUnit: 'millisecond' }));
});

test('customers are notified of new shipments and of new categories, but not during the first import', async (t) => {
  const { sim, own, connect, deliver } = await openParcels(t, { shared });
  sim.parcels.make();
  await connect();
  assert.deepEqual(await eventsOf(own), []);

  const parcel = sim.parcels.make();
  await deliver();
  for (const code of ['documentation_ready', 'in_transit']) {
    own.clock.advance({ hours: 1 });
    sim.parcels.move(parcel.id, code);
    await deliver();
  }

  assert.deepEqual(
    (await eventsOf(own)).map(({ type, data }) => [
      type,
      data.status,
      data.previous_status ?? null,
    ]),
    [
      ['shipment.created', 'PREPARACION', null],
      ['shipment.status_changed', 'EN_TRANSITO', 'PREPARACION'],
    ],
  );
});

test('the prepaid balance has its three figures and its past; an account without one has none', async (t) => {
  const { sim, own, connect, work } = await openParcels(t, { shared });
  const account = sim.accounts[0] as (typeof sim.accounts)[number];
  await connect();
  assert.deepEqual(await balanceOf(own), ['1250.75', '3250.75', '2000', false]);

  account.balance = { balance: -500.5, available: null, credit_limit: 2_000 };
  sim.webhooks.register(11_600, 'account_balance', sim.webhooks.registered[0]?.url ?? '');
  sim.webhooks.push(11_600, 'account_balance', { account_id: 11_600 });
  own.clock.advance({ minutes: 1 });
  await sim.webhooks.send();
  await work();
  assert.deepEqual(await balanceOf(own), ['-500.5', '1499.5', '2000', true]);
  const past = await queryOwn(
    own,
    'select balance::text from balance_history where organization_id = $1 order by as_of',
  );
  assert.deepEqual(
    past.map(({ balance }) => balance),
    ['1250.75', '-500.5'],
  );

  account.balance = null;
  own.clock.advance({ hours: 25 });
  await work();
  assert.deepEqual(
    await balanceOf(own),
    ['-500.5', '1499.5', '2000', true],
    'the last that was reported',
  );
});

test('a first import through every kind of failure ends with all shipments, each once', {
  tags: ['slow'],
}, async (t) => {
  const { sim, own, connect, shipments } = await openParcels(t, { shared });
  const made = Array.from({ length: 65 }, (_, at) =>
    sim.parcels.make({ at: own.clock.now().epochMilliseconds - at * 60_000 }),
  );
  sim.faults.random({
    probability: 0.1,
    kinds: [
      'too_many_retry_after',
      'server_error',
      'bad_gateway',
      'reset',
      'truncated',
      'garbage',
      'wrong_type',
    ],
    match: /\/shipments/,
  });
  await connect();
  for (let tries = 0; tries < 10; tries++) await own.sync().catch(() => {});
  sim.faults.stop();

  await own.sync();

  assert.deepEqual(
    (await shipments()).map(({ id }) => id),
    made.map(({ id }) => String(id)),
  );
  const [connection] = await queryOwn(
    own,
    'select state from connections where organization_id = $1',
  );
  assert.equal(connection?.state, 'ok');
});

test('a cancellation that is refused as 401 is no bad credential', async (t) => {
  const { sim, own, connect } = await openParcels(t, { shared });
  const parcel = sim.parcels.make({ code: 'in_transit' });
  const id = await connect();
  const { openConnection } = await import('../src/exchange/wire/open-connection.ts');
  const { connectionById } = await import('../src/features/connections/index.ts');
  const connection = await own.app.database
    .within(own.organization.id)
    .read((scope) => connectionById(scope, id));
  assert.ok(connection);
  const { call } = openConnection(own.app.exchange, connection);

  await assert.rejects(call.request({ method: 'POST', path: `/shipments/${parcel.id}/cancel` }), {
    kind: 'refused',
  });
});

async function eventsOf(own: TestApp) {
  const rows = await queryOwn(
    own,
    "select type, data from events where organization_id = $1 and type like 'shipment.%' order by created_at, id",
  );
  return rows.map(({ type, data }) => ({ type, data: JSON.parse(String(data)) }));
}

async function balanceOf({ app: instance, organization }: Parcelled['own']) {
  const { balances } = await instance.database
    .within(organization.id)
    .read((scope) => listBalances(scope, ['zipnova']));
  return balances.flatMap(({ balance, available, creditLimit, isDerived }) => [
    balance,
    available,
    creditLimit,
    isDerived,
  ]);
}

/** @param text `$1` is the organisation */
function queryOwn(own: TestApp, text: string) {
  return query(own, text, [own.organization.id]);
}
