import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startZipnova, type Zipnova } from '../simulators/zipnova/index.ts';
import type { Relation } from '../simulators/zipnova/parcels.ts';
import { connect } from '../src/exchange/connect/connect.ts';
import { setInTransit } from '../src/exchange/guides/set-in-transit.ts';
import {
  type Actor,
  actionsOf,
  changeSettings,
  setTracking,
  transferLine,
} from '../src/features/warehouse/index.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { Failure } from '../src/platform/failure.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { query } from './support/market.ts';
import { lineOf, MEMBER, OPERATOR, PACKER, SUPERVISOR } from './support/warehouse.ts';

// Specification, section 3: «En camino», an internal supervisor's action on a line of our own fleet
// at Zipnova.

const shared = await openApp(WHOLE_FILE);

const SET = /^POST .*\/tracking$/;
const TRACKING = /\/tracking/;
const DETAIL = /\/shipments\/\d+/;
const ORDER = '2000000000000001';

interface Dock {
  readonly instance: TestApp;
  readonly zipnova: Zipnova;
  readonly lineId: string;
  /** The order's shipment at Zipnova. */
  readonly shipment: number;
}

test('a supervisor sets a line of our own fleet on its way: set, read back, reconciled, and not transferred', async (t) => {
  const dock = await openDock(t);

  const { line, wasSet } = await press(dock);

  assert.equal(wasSet, true);
  assert.equal(stateAt(dock), 'in_transit');
  const stored = await lineOf(dock.instance, ORDER);
  assert.deepEqual(
    [line.state, stored.state, stored.carrierShipmentId, stored.transferredAt],
    ['in_transit', 'in_transit', String(dock.shipment), null],
  );
  assert.deepEqual((await doneTo(dock)).slice(-2), [
    ['request_in_transit', 'person', SUPERVISOR.id, 'supervisor'],
    ['set_in_transit', 'person', SUPERVISOR.id, 'supervisor'],
  ]);
});

test('a line with a guide of any other carrier is set on its way too', async (t) => {
  const dock = await openDock(t);
  await act(dock, (scope) =>
    setTracking(scope, PACKER, dock.lineId, {
      trackingNumber: '21160000001',
      carrier: 'paquetexpress',
    }),
  );

  await press(dock);

  const line = await lineOf(dock.instance, ORDER);
  assert.deepEqual([line.state, line.carrier], ['in_transit', 'paquetexpress']);
  await act(dock, (scope) => transferLine(scope, PACKER, dock.lineId));
  assert.equal((await lineOf(dock.instance, ORDER)).state, 'transferred');
});

test('pressed again, it does nothing and calls nothing', async (t) => {
  const dock = await openDock(t);
  await press(dock);
  const asked = dock.zipnova.requests.length;

  const again = await press(dock);

  assert.deepEqual([again.wasSet, again.line.state], [false, 'in_transit']);
  assert.equal(dock.zipnova.requests.length, asked);
});

test('pressed by ten people at once, it is set once', async (t) => {
  const dock = await openDock(t);

  const pressed = await Promise.all(Array.from({ length: 10 }, () => press(dock)));

  assert.equal(pressed.filter(({ wasSet }) => wasSet).length, 1);
  assert.equal(timesSet(dock), 1);
});

for (const actor of [PACKER, MEMBER])
  test(`a person of the role ${actor.role} may not press it`, async (t) => {
    const dock = await openDock(t);

    await refused('insufficient_role', 403, () => press(dock, actor));

    assert.equal(dock.zipnova.requests.filter(({ path }) => DETAIL.test(path)).length, 0);
  });

for (const actor of [
  { kind: 'person', id: 'o', role: 'owner' },
  { kind: 'person', id: 'a', role: 'admin' },
  OPERATOR,
] as const)
  test(`the ${actor.kind} of the role ${actor.role} may press it`, async (t) => {
    const dock = await openDock(t);

    assert.equal((await press(dock, actor)).wasSet, true);
  });

test('an order that is not configured as own fleet is refused before any call', async (t) => {
  const dock = await openDock(t, { rules: [{ marketplace: 'amazon' }] });

  await refused('own_fleet_required', 409, () => press(dock));

  assert.equal((await lineOf(dock.instance, ORDER)).state, 'staged');
  assert.equal(timesSet(dock), 0);
});

test('a shipment that is not of our own fleet at Zipnova is refused', async (t) => {
  const dock = await openDock(t, { isOwnFleet: false });

  await refused('own_fleet_required', 409, () => press(dock));

  assert.equal(timesSet(dock), 0);
});

for (const [what, more] of [
  ['no shipment', 'none'],
  ['two shipments', 'two'],
] as const)
  test(`the relation must be unique: ${what} of the order is refused`, async (t) => {
    const dock = await openDock(t);
    if (more === 'none') dock.zipnova.parcels.remove(dock.shipment);
    else dock.zipnova.parcels.make({ isOwnFleet: true, relations: [{ order_id: ORDER }] });

    const error = await refused('relation_not_unique', 409, () => press(dock));

    const { shipments } = error.details as { shipments: string[] };
    assert.equal(shipments.length, more === 'none' ? 0 : 2);
    assert.equal((await lineOf(dock.instance, ORDER)).state, 'staged');
    assert.equal(timesSet(dock), 0);
  });

for (const [what, relation] of [
  ['pack', { order_id: null, pack_id: 'P9001' }],
  ['tags', { order_id: null, tags: [`venta-${ORDER}`, ORDER] }],
] as const)
  test(`a shipment that names its order by its ${what} alone is set on its way`, async (t) => {
    const dock = await openDock(t, { packId: 'P9001', relation });
    await dock.instance.sync();

    await press(dock);

    assert.equal(stateAt(dock), 'in_transit');
  });

test('a shipment of a whole pack is set on its way, and none that takes an order of another line', async (t) => {
  const dock = await openDock(t, {
    packId: 'P9001',
    relation: { order_id: null, pack_id: 'P9001' },
  });
  await dock.instance.record([anOrder({ id: '2', packId: 'P9001' })]);
  await dock.instance.sync();

  await press(dock);

  assert.equal(stateAt(dock), 'in_transit');
  const apart = await openDock(t, {
    packId: 'P9001',
    relation: { order_id: null, pack_id: 'P9001' },
  });
  await act(apart, (scope) =>
    setTracking(scope, PACKER, apart.lineId, { trackingNumber: '9', carrier: 'x' }),
  );
  await apart.instance.record([anOrder({ id: '2', packId: 'P9001' })]);
  await apart.instance.sync();
  await refused('relation_not_unique', 409, () => press(apart));
});

test('a shipment that was made anew counts, the cancelled one does not; one of another channel is not ours', async (t) => {
  const dock = await openDock(t);
  const { parcels } = dock.zipnova;
  parcels.move(
    parcels.make({ isOwnFleet: true, relations: [{ order_id: ORDER }] }).id,
    'reshipped',
  );
  parcels.make({ isOwnFleet: true, relations: [{ order_id: ORDER, channel: 'WooCommerce' }] });

  await press(dock);

  assert.equal(stateAt(dock), 'in_transit');
});

for (const state of [
  'delivered',
  'not_delivered',
  'out_for_delivery',
  'cancelled',
  'lost',
  'returned_to_seller',
])
  test(`a shipment that is ${state} is past it, and is not set back`, async (t) => {
    const dock = await openDock(t);
    dock.zipnova.parcels.move(dock.shipment, state);

    const code = state === 'cancelled' ? 'relation_not_unique' : 'shipment_past_in_transit';
    await refused(code, 409, () => press(dock));

    assert.equal(stateAt(dock), state);
    assert.equal((await lineOf(dock.instance, ORDER)).state, 'staged');
  });

test('a shipment that is on its way there already is only reconciled here', async (t) => {
  const dock = await openDock(t);
  dock.zipnova.parcels.move(dock.shipment, 'in_transit');

  const { wasSet, line } = await press(dock);

  assert.deepEqual([wasSet, line.state, timesSet(dock)], [false, 'in_transit', 0]);
});

test('a carrier that cannot be called is an upstream error, and nothing changes', async (t) => {
  const dock = await openDock(t);
  await dock.zipnova.close();

  const error = await refused('upstream_error', 502, () => press(dock));

  assert.equal(error.details?.source, 'zipnova');
  assert.equal((await lineOf(dock.instance, ORDER)).state, 'staged');
});

test('a lost answer is looked at before anything else: it was done, so the line is on its way', async (t) => {
  const dock = await openDock(t);
  dock.zipnova.faults.next({ kind: 'reset', match: TRACKING });

  const { wasSet, line } = await press(dock);

  assert.deepEqual([wasSet, line.state, timesSet(dock)], [true, 'in_transit', 1]);
});

test('a change that the carrier did not take leaves the line as it was, and may be requested again', async (t) => {
  const dock = await openDock(t);
  dock.zipnova.faults.next({ kind: 'server_error', match: TRACKING });

  const error = await refused('upstream_error', 502, () => press(dock));
  const before = await lineOf(dock.instance, ORDER);
  const again = await press(dock);

  assert.match(error.message, /aquí tampoco se cambió/);
  assert.deepEqual([before.state, again.wasSet, timesSet(dock)], ['staged', true, 2]);
  assert.deepEqual(
    (await doneTo(dock)).map(([action]) => action),
    ['stage', 'request_in_transit', 'request_in_transit', 'set_in_transit'],
  );
});

test('a change whose outcome cannot be read either is read first at the next press', async (t) => {
  const dock = await openDock(t);
  dock.zipnova.faults.next({ kind: 'reset', match: TRACKING });
  const { network } = dock.instance.app.exchange;
  const cut = {
    ...dock.instance.app.exchange,
    network: {
      ...network,
      send: (...[outgoing, reach]: Parameters<typeof network.send>) =>
        timesSet(dock) > 0
          ? network.send({ ...outgoing, url: 'http://127.0.0.1:9/' }, reach)
          : network.send(outgoing, reach),
    },
  };
  await refused('upstream_error', 502, () => setInTransit(cut, jobOf(dock, SUPERVISOR)));
  assert.equal((await lineOf(dock.instance, ORDER)).state, 'staged');
  dock.instance.clock.advance({ minutes: 1 });

  const { wasSet, line } = await press(dock);

  assert.deepEqual([wasSet, line.state, timesSet(dock)], [false, 'in_transit', 1]);
});

test('a cancelled line is not set on its way', async (t) => {
  const dock = await openDock(t);
  const at = Temporal.Instant.from('2026-11-16T12:00:00Z');
  await dock.instance.record([anOrder({ status: 'cancelled', changedAt: at, fetchedAt: at })]);

  await refused('transition_not_allowed', 409, () => press(dock));

  assert.equal(timesSet(dock), 0);
});

test('the stored shipment says at once what Zipnova says', async (t) => {
  const dock = await openDock(t);
  await dock.instance.sync();
  const stored = () =>
    query(
      dock.instance,
      'select carrier_status, category from shipments where organization_id = $1',
      [dock.instance.organization.id],
    );
  assert.deepEqual(await stored(), [{ carrier_status: 'ready_to_ship', category: 'PREPARACION' }]);

  await press(dock);

  assert.deepEqual(await stored(), [{ carrier_status: 'in_transit', category: 'EN_TRANSITO' }]);
});

test('a stored shipment that cannot be read anew changes nothing about the line', async (t) => {
  const dock = await openDock(t);
  dock.zipnova.faults.next({ kind: 'server_error', match: /tracking\?sort/, times: 10 });

  const { line } = await press(dock);

  assert.equal(line.state, 'in_transit');
});

test('Zipnova’s sentence about a refused change is shown in its own words, cleaned and cut', async (t) => {
  const refusals = [
    'La cuenta está <b>suspendida</b>.\n',
    `Motivo ${'largo '.repeat(60)}`,
    'a',
    'b',
  ];
  const dock = await openDock(t, { refusals });

  const error = await refused('carrier_refused', 409, () => press(dock));

  assert.match(
    error.message,
    /^Zipnova no aceptó el cambio a «En camino»: «La cuenta está suspendida», «Motivo (largo )+l…», «a»\. Aquí no cambió nada\.$/,
  );
  const { reasons } = error.details as { reasons: string[] };
  assert.deepEqual([reasons[0], reasons.length], ['La cuenta está suspendida', 3]);
  assert.equal((await lineOf(dock.instance, ORDER)).state, 'staged');
});

test('a parcel that brings the order back is not the one to be set on its way', async (t) => {
  const dock = await openDock(t);
  dock.zipnova.parcels.make({ isOwnFleet: true, isReturn: true, relations: [{ order_id: ORDER }] });

  await press(dock);

  assert.equal(stateAt(dock), 'in_transit');
});

test('of several accounts at Zipnova the one that has the order’s shipment is called', async (t) => {
  const dock = await openDock(t);
  const other = await openSecondAccount(t, dock);
  await dock.instance.sync();

  await press(dock);

  assert.equal(stateAt(dock), 'in_transit');
  assert.equal(other.requests.filter(({ path }) => /order_id/.test(path)).length, 0);
});

test('of several accounts none is guessed at: the refusal names them, and one may be chosen', async (t) => {
  const dock = await openDock(t);
  await openSecondAccount(t, dock);

  const ambiguous = await refused('carrier_account_ambiguous', 409, () => press(dock));
  const unknown = await refused('carrier_not_connected', 409, () => press(dock, SUPERVISOR, '99'));

  const accounts = [
    { id: '11600', name: 'Cuenta 11600' },
    { id: '22', name: 'Cuenta 22' },
  ];
  for (const { details } of [ambiguous, unknown]) assert.deepEqual(details?.accounts, accounts);
  assert.match(
    ambiguous.message,
    /varias cuentas de Zipnova conectadas: 11600 \(Cuenta 11600\), 22 \(Cuenta 22\)/,
  );
  assert.match(unknown.message, /La cuenta 99 de Zipnova no está conectada/);
  assert.equal((await press(dock, SUPERVISOR, '11600')).wasSet, true);
});

test('an order with shipments at several accounts is refused as ambiguous', async (t) => {
  const dock = await openDock(t);
  const other = await openSecondAccount(t, dock);
  other.parcels.make({
    isOwnFleet: true,
    relations: [{ channel: 'MercadoLibre', order_id: ORDER }],
  });
  await dock.instance.sync();

  await refused('carrier_account_ambiguous', 409, () => press(dock));
});

test('without an account at Zipnova no call is possible', async (t) => {
  const dock = await openDock(t, { isConnected: false });

  await refused('carrier_not_connected', 409, () => press(dock));
});

interface DockOptions {
  readonly rules?: readonly object[];
  readonly isOwnFleet?: boolean;
  readonly isConnected?: boolean;
  /** What Zipnova says to a change of the shipment. */
  readonly refusals?: readonly string[];
  /** Of the order. */
  readonly packId?: string | null;
  /** How the shipment names the order. */
  readonly relation?: Relation;
}

async function openDock(
  t: TestContext,
  {
    rules = [{ marketplace: 'mercado_libre' }],
    isOwnFleet = true,
    isConnected = true,
    refusals = [],
    packId = null,
    relation = { order_id: ORDER },
  }: DockOptions = {},
): Promise<Dock> {
  const instance = await shared.another();
  const zipnova = await startZipnova({ now: () => instance.clock.now().epochMilliseconds });
  t.after(() => zipnova.close().catch(() => {}));
  await instance.record([anOrder({ packId })]);
  const { id: lineId } = await lineOf(instance, ORDER);
  const { id: shipment } = zipnova.parcels.make({
    isOwnFleet,
    refusals,
    code: 'ready_to_ship',
    relations: [{ channel: 'MercadoLibre', ...relation }],
  });
  const dock = { instance, zipnova, lineId, shipment };
  await act(dock, (scope) => changeSettings(scope, OPERATOR, { own_fleet: rules }));
  if (isConnected) await connectTo(instance, zipnova);
  return dock;
}

function connectTo(instance: TestApp, zipnova: Zipnova) {
  return connect(instance.app.exchange, {
    organizationId: instance.organization.id,
    service: 'zipnova',
    credentials: zipnova.credentials(),
    baseUrl: zipnova.url,
  });
}

/** Another account of the organisation, which has no shipment of the order. */
async function openSecondAccount(t: TestContext, { instance }: Dock): Promise<Zipnova> {
  const other = await startZipnova({
    accounts: [22],
    now: () => instance.clock.now().epochMilliseconds,
  });
  t.after(() => other.close());
  await connectTo(instance, other);
  return other;
}

function press(dock: Dock, actor: Actor = SUPERVISOR, accountId: string | null = null) {
  return setInTransit(dock.instance.app.exchange, { ...jobOf(dock, actor), accountId });
}

function jobOf({ instance, lineId }: Dock, actor: Actor) {
  return { organizationId: instance.organization.id, lineId, actor };
}

function stateAt({ zipnova, shipment }: Dock): string | undefined {
  return zipnova.parcels.find(shipment)?.moments.at(-1)?.code;
}

function timesSet({ zipnova }: Dock): number {
  return zipnova.requests.filter(({ method, path }) => SET.test(`${method} ${path}`)).length;
}

async function doneTo(dock: Dock): Promise<string[][]> {
  const actions = await act(dock, (scope) => actionsOf(scope, dock.lineId));
  return actions.map(({ action, actor }) => [action, actor.kind, actor.id, actor.role]);
}

function act<T>(
  { instance }: Pick<Dock, 'instance'>,
  work: (scope: WriteScope) => Promise<T>,
): Promise<T> {
  return instance.app.database.within(instance.organization.id).write(work);
}

async function refused(
  code: string,
  status: number,
  work: () => Promise<unknown>,
): Promise<Failure> {
  const error = await work().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Failure, `no failure: ${error}`);
  assert.deepEqual([error.code, error.status], [code, status]);
  return error;
}
