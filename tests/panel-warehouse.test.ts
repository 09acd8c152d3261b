import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Paquetexpress } from '../simulators/paquetexpress/index.ts';
import { raiseAlert } from '../src/features/alerts/index.ts';
import {
  changeSettings,
  recordProducts,
  setDestination,
  setTracking,
} from '../src/features/warehouse/index.ts';
import { newId } from '../src/platform/ids.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, type TestApp } from './support/app.ts';
import { jobsDone } from './support/market.ts';
import { connectOwnFleet } from './support/own-fleet.ts';
import { openPanel } from './support/panel.ts';
import { connectCarrier, startCarrier } from './support/paquetexpress.ts';
import { type Known, openMailingInstance, openTeam } from './support/people.ts';
import { ADDRESS, CUP, OPERATOR, ORIGIN, stageLine } from './support/warehouse.ts';

// The warehouse as its screen works with it, through the operations of the panel.

const GUIDE = /POST .*\/v1\/guia$/;
/** As faults see it: with its query, be it empty. */
const MAKE = /rad\/v1\/guia\b/;
const LOOK_UP = /consulta/;

let instance: TestApp;
let organizacion: string;
let carrier: Paquetexpress;
let owner: Known;
let packer: Known;
let supervisor: Known;
/** An owner of another organisation. */
let stranger: Known;
const panel = openPanel(() => organizacion);
const { read } = panel;
const ask = (by: Known, name: string, input: object) => panel.ask(by, name, input, 'write');

before(async () => {
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  const team = await openTeam(instance, opened.folder);
  ({ owner, organizacion } = team);
  packer = await team.join('warehouse');
  supervisor = await team.join('supervisor');
  stranger = await team.join('member');
  carrier = await startCarrier(WHOLE_FILE, instance.clock);
  await connectCarrier(instance, organizacion, carrier);
  await instance.app.database.within(organizacion).write(async (scope) => {
    await recordProducts(scope, [CUP]);
    await changeSettings(scope, OPERATOR, { origin: ORIGIN });
  });
});

test('a scanned number finds its line in whatever state it is, and a line has its record', async () => {
  const lineId = await stagedLine('S-1');

  const { data } = await read(packer, 'lines.list', { number: 'S-1' });
  const whole = (await read(packer, 'lines.get', { line_id: lineId })).data;

  assert.deepEqual(
    data.map((line: { line_id: string }) => line.line_id),
    [lineId],
  );
  assert.deepEqual(whole.moves, ['edit', 'generate_guide']);
  assert.deepEqual(
    whole.actions.map(({ action, by }: { action: string; by: string }) => [action, by]),
    [
      ['stage', null],
      ['set_destination', 'Soporte de Tianguis'],
    ],
  );
  assert.deepEqual((await read(packer, 'lines.list', { number: 'S-0' })).data, []);
});

test('two people edit one line: the second gets a conflict, and nothing of theirs is stored', async () => {
  const lineId = await stagedLine('E-1');
  const { version } = (await read(packer, 'lines.get', { line_id: lineId })).data;
  const edit = (by: Known, seen: string, change: object) =>
    ask(by, 'lines.edit', { line_id: lineId, version: seen, ...change });

  const first = await edit(packer, version, { packages: 2 });
  const second = await edit(supervisor, version, { destination: { ...ADDRESS, city: 'León' } });

  assert.equal(first.status, 200, JSON.stringify(first.body));
  assert.deepEqual([second.status, second.body.error?.code], [409, 'line_changed']);
  assert.match(second.body.error.message, /La línea cambió mientras la editabas/);
  const { data } = await read(supervisor, 'lines.get', { line_id: lineId });
  assert.deepEqual([data.packages, data.destination.city], [2, 'Querétaro']);
  const again = await edit(supervisor, data.version, { destination: { ...ADDRESS, city: 'León' } });
  assert.deepEqual([again.status, again.body.data.destination.city], [200, 'León']);
});

test('an edit is taken whole or not at all, and names the field at fault', async () => {
  const lineId = await stagedLine('E-2');
  const { version } = (await read(packer, 'lines.get', { line_id: lineId })).data;

  const refused = await ask(packer, 'lines.edit', {
    line_id: lineId,
    version,
    packages: 3,
    destination: { ...ADDRESS, zipcode: '7600' },
  });

  assert.deepEqual(
    [refused.status, refused.body.error.param],
    [400, 'destination.zipcode'],
    JSON.stringify(refused.body),
  );
  assert.equal((await read(packer, 'lines.get', { line_id: lineId })).data.packages, 1);
});

const CUPS = [{ title: 'Taza azul', quantity: 2 }];

test('a dry run says all that each line lacks and asks the carrier for nothing', async () => {
  const ready = await stagedLine('D-1');
  const lost = await stagedLine('D-2', { destination: null });
  const all = await stagedLine('D-3', { sku: 'SIN-PESO', destination: null });
  const asked = carrier.requests.length;

  const plan = await read(packer, 'guides.plan', { line_ids: [ready, lost, all].join(',') });

  const of = (id: string) => plan.lines.find(({ line_id }: { line_id: string }) => line_id === id);
  assert.deepEqual([plan.carrier, plan.ready, plan.service_type], ['Paquetexpress', 1, 'ST']);
  assert.deepEqual([of(ready).readiness, of(ready).weight_kg, of(ready).lacks], ['ready', 0.9, []]);
  assert.deepEqual(of(ready).destination, { ...ADDRESS, email: null });
  assert.deepEqual([of(ready).items, of(lost).items], [CUPS, CUPS]);
  const codesOf = (id: string) => of(id).lacks.map(({ code }: { code: string }) => code);
  assert.deepEqual([of(lost).readiness, codesOf(lost)], ['blocked', ['missing_address']]);
  assert.deepEqual(codesOf(all), ['missing_weight', 'missing_dimensions', 'missing_address']);
  assert.match(of(all).lacks[0].message, /Falta el peso de SIN-PESO/);
  assert.deepEqual(of(all).lacks[0].articles, [{ sku: 'SIN-PESO', name: 'SIN-PESO' }]);
  assert.equal(carrier.requests.length, asked);
});

test('a line says of which product the weight is missing, in the list and alone', async () => {
  const heavy = await stagedLine('L-1', { sku: 'SIN-PESO' });
  const ready = await stagedLine('L-2');

  const { data } = await read(packer, 'lines.list', { limit: '100' });
  const alone = await read(packer, 'lines.get', { line_id: heavy });

  const of = (id: string) => data.find(({ line_id }: { line_id: string }) => line_id === id).lacks;
  const articles = [{ sku: 'SIN-PESO', name: 'SIN-PESO' }];
  const lacks = ['missing_weight', 'missing_dimensions'].map((code) => ({ code, articles }));
  assert.deepEqual([of(heavy), of(ready), alone.data.lacks], [lacks, [], lacks]);
});

test('lines that are ready for their guide are told from those that lack something', async () => {
  const known = new Set(await idsOf({}));
  const line = {
    ready: await stagedLine('F-1'),
    lost: await stagedLine('F-2', { destination: null }),
    heavy: await stagedLine('F-3', { sku: 'SIN-PESO' }),
    asked: await stagedLine('F-4'),
    made: await stagedLine('F-5'),
  };
  const counted = await read(packer, 'warehouse.count', {});
  await generated([line.made]);
  carrier.faults.next({ kind: 'server_error', match: MAKE });
  carrier.faults.next({ kind: 'garbage', match: LOOK_UP, times: 20 });
  await generated([line.asked]);

  const fresh = async (input: object) => (await idsOf(input)).filter((id) => !known.has(id)).sort();
  const only = (readiness: string) => fresh({ readiness, limit: '1' });

  assert.deepEqual(await only('ready'), [line.ready]);
  assert.deepEqual(await only('lacking'), [line.lost, line.heavy, line.asked].sort());
  const waiting = { line_ids: Object.values(line).join(','), state: 'staged', has_guide: 'false' };
  const { made: _made, ...others } = line;
  assert.deepEqual(await fresh(waiting), Object.values(others).sort());
  const { without_guide, ready } = await read(packer, 'warehouse.count', {});
  assert.deepEqual([without_guide, ready], [counted.without_guide - 1, counted.ready - 2]);
  assert.equal((await panel.ask(packer, 'lines.list', { line_ids: 'no' }, 'read')).status, 404);
  const [{ attempt_id }] = (await read(packer, 'lines.get', { line_id: line.asked })).data.attempts;
  await ask(packer, 'guides.settle', { attempt_id });
  assert.deepEqual(await only('ready'), [line.ready, line.asked].sort());
});

/** The lines of a list, walked page by page. */
async function idsOf(input: object): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await read(packer, 'lines.list', { ...input, ...(cursor && { cursor }) });
    ids.push(...page.data.map(({ line_id }: { line_id: string }) => line_id));
    cursor = page.next_cursor;
    if (cursor === null) return ids;
  }
}

test('what keeps every line from its guide is said once', async () => {
  const { obstacle: none } = await read(packer, 'warehouse.count', {});
  const set = (origin: object | null) =>
    instance.app.database
      .within(organizacion)
      .write((scope) => changeSettings(scope, OPERATOR, { origin }));
  await set(null);
  const { obstacle } = await read(packer, 'warehouse.count', {});
  await set(ORIGIN);

  assert.deepEqual([none, obstacle.code], [null, 'missing_origin']);
  assert.match(obstacle.message, /Falta el domicilio de recolección/);
});

test('a dry run says that the account of the guides is paused', async () => {
  const line_ids = await stagedLine('P-1');
  const { data } = await read(owner, 'connections.overview', {});
  const { id } = data.find(({ service }: { service: string }) => service === 'paquetexpress');
  const isPausedAfter = async (is_paused: boolean) => {
    await ask(owner, 'connections.pause', { connection_id: id, is_paused });
    const { account, accounts, ready } = await read(packer, 'guides.plan', { line_ids });
    return [account.is_paused, accounts[0].is_paused, ready];
  };
  assert.deepEqual(await isPausedAfter(true), [true, true, 1]);
  assert.deepEqual(await isPausedAfter(false), [false, false, 1]);
});

test('a batch has a result for each line; a double click asks for no second guide', async () => {
  const [one, two] = [await stagedLine('B-1'), await stagedLine('B-2', { destination: null })];
  const order = { line_ids: [one, two], idempotency_key: 'clic B' };
  const asked = guidesAsked();

  const [{ body }, again] = await Promise.all([
    ask(packer, 'guides.request', order),
    ask(packer, 'guides.request', order),
  ]);
  await jobsDone(instance);

  assert.deepEqual([again.status, again.body], [202, body]);
  const batch = await read(owner, 'guides.batch', { batch_id: body.batch_id });
  assert.deepEqual([batch.state, batch.total, batch.pending], ['done', 2, 0]);
  assert.equal(batch.account_id, null, 'that of the settings');
  type Result = { outcome: string; has_zpl: boolean; error: { code: string } | null };
  assert.deepEqual(
    batch.results.map(({ outcome, has_zpl, error }: Result) => [outcome, has_zpl, error?.code]),
    [
      ['generated', true, undefined],
      ['blocked', false, 'missing_address'],
    ],
  );
  assert.equal(guidesAsked(), asked + 1);
  const { data } = await read(packer, 'lines.get', { line_id: one });
  assert.deepEqual([data.state, data.tracking_source], ['staged', 'guide']);
  assert.deepEqual(data.moves, ['transfer']);
});

test('after the trial a line has no move', async () => {
  const line_id = await stagedLine('PRUEBA-1');
  const moves = async () => (await read(supervisor, 'lines.get', { line_id })).data.moves;
  const endTrialIn = (minutes: number) =>
    instance.app.database.write((handle) =>
      handle.sql('update organizations set trial_ends_at = $2 where id = $1', [
        organizacion,
        instance.clock.now().add({ minutes }).toString(),
      ]),
    );
  assert.deepEqual(await moves(), ['edit', 'generate_guide']);
  await endTrialIn(-1);
  assert.deepEqual(await moves(), []);
  await endTrialIn(60 * 24);
});

test('a batch says which account of the carrier it was asked of', async () => {
  const { accounts } = await read(packer, 'guides.plan', { line_ids: await stagedLine('B-3') });
  const order = { line_ids: [await stagedLine('B-4')], idempotency_key: 'cuenta B' };

  const { body } = await ask(packer, 'guides.request', { ...order, account_id: accounts[0].id });
  await jobsDone(instance);

  const { account_id } = await read(packer, 'guides.batch', { batch_id: body.batch_id });
  assert.equal(account_id, accounts[0].id);
});

interface ShownShipment {
  readonly tracking_number: string;
  readonly status: string;
  readonly order_ref: { readonly order_id: string | null };
}

test('batches are found again, the newest first, each with how many guides it made', async () => {
  const [one, two] = [await stagedLine('H-1'), await stagedLine('H-2', { destination: null })];
  instance.clock.advance({ seconds: 1 });
  const former = await generated([one]);
  instance.clock.advance({ seconds: 1 });
  const newest = await generated([one, two]);

  const { data } = await read(packer, 'guides.batches', {});

  type Recent = { batch_id: string; state: string; total: number; made: number; had: number };
  assert.deepEqual(
    data
      .slice(0, 2)
      .map(({ batch_id, state, total, made, had }: Recent) => [batch_id, state, total, made, had]),
    [
      [newest, 'done', 2, 0, 1],
      [former, 'done', 1, 1, 0],
    ],
  );
  const whole = await read(owner, 'guides.batch', { batch_id: newest });
  assert.deepEqual([data[0].by, whole.by], ['Ana Robles', 'Ana Robles']);
  assert.equal(whole.requested_at, data[0].requested_at);
  const others = await panel.ask(stranger, 'guides.batches', {}, 'read');
  assert.equal(others.status, 403);
});

test('a new guide is among the shipments at once, with its order', async () => {
  const lineId = await stagedLine('E-1');
  await generated([lineId]);
  const [{ tracking }] = (await read(packer, 'lines.get', { line_id: lineId })).data.attempts;

  const { data } = await read(packer, 'shipments.list', { tracking_number: tracking });

  assert.deepEqual(
    data.map(({ tracking_number, status, order_ref }: ShownShipment) => [
      tracking_number,
      status,
      order_ref.order_id,
    ]),
    [[tracking, 'PREPARACION', 'E-1']],
  );
});

test('a shipment says when its parcel left the warehouse, and its carrier’s status stays', async () => {
  const lineId = await stagedLine('E-2');
  await generated([lineId]);
  const [{ tracking }] = (await read(packer, 'lines.get', { line_id: lineId })).data.attempts;
  const [{ id, carrier: of, account_id }] = (
    await read(packer, 'shipments.list', { tracking_number: tracking })
  ).data;
  const shipment = () => read(owner, 'shipments.get', { carrier: of, account_id, id });
  const listed = async () =>
    (await read(owner, 'shipments.list', { order_id: 'E-2' })).data[0].handed_over_at;

  const before = await shipment();
  assert.equal(await listed(), undefined);
  await ask(packer, 'lines.transfer-all', { line_ids: [lineId] });
  const after = await shipment();
  const inList = await listed();
  const { transferred_at } = (await read(packer, 'lines.get', { line_id: lineId })).data;
  await ask(supervisor, 'lines.undo-transfer', { line_id: lineId });

  assert.equal(before.handed_over, null);
  assert.deepEqual(after.handed_over, { at: transferred_at, by: 'Ana Robles' });
  assert.equal(inList, transferred_at);
  assert.deepEqual(
    [after.data.status, after.data.events],
    [before.data.status, before.data.events],
  );
  assert.equal((await shipment()).handed_over, null, 'it came back');
});

test('a shipment of a pack has no one order, and shows those that its guide was made for', async () => {
  const pack = ['PQ-1', 'PQ-2'].map((id) => anOrder({ id, packId: 'PAQUETE-1' }));
  await instance.record(pack, organizacion);
  const [line] = (await read(packer, 'lines.list', { number: 'PQ-1' })).data;
  const inOrganization = instance.app.database.within(organizacion);
  await inOrganization.write((scope) => setDestination(scope, OPERATOR, line.line_id, ADDRESS));
  await generated([line.line_id]);
  const [{ tracking }] = (await read(packer, 'lines.get', { line_id: line.line_id })).data.attempts;
  const [{ id, carrier: of, account_id, order_ref }] = (
    await read(packer, 'shipments.list', { tracking_number: tracking })
  ).data;

  const { guide_orders } = await read(packer, 'shipments.get', { carrier: of, account_id, id });

  assert.equal(order_ref.order_id, null);
  for (const order_id of ['PQ-1', 'PQ-2'])
    for (const filters of [{}, { tracking_number: tracking }]) {
      const { data } = await read(packer, 'shipments.list', { order_id, ...filters });
      assert.deepEqual(
        data.map((found: { id: string }) => found.id),
        [id],
        order_id,
      );
    }
  assert.deepEqual(
    guide_orders.map(({ order_id, marketplace }: { order_id: string; marketplace: string }) => [
      order_id,
      marketplace,
    ]),
    [
      ['PQ-1', 'mercado_libre'],
      ['PQ-2', 'mercado_libre'],
    ],
  );
});

test('of a pack with one cancelled order the shipment is that of the order that is left', async () => {
  const pack = ['PC-1', 'PC-2'].map((id) => anOrder({ id, packId: 'PAQUETE-C' }));
  await instance.record(pack, organizacion);
  const later = instance.clock.now().add({ minutes: 1 });
  const [cancelled = anOrder()] = pack;
  const change = { status: 'cancelled', changedAt: later, fetchedAt: later } as const;
  await instance.record([{ ...cancelled, ...change }], organizacion);
  const [line] = (await read(packer, 'lines.list', { number: 'PC-2' })).data;
  const inOrganization = instance.app.database.within(organizacion);
  await inOrganization.write((scope) => setDestination(scope, OPERATOR, line.line_id, ADDRESS));

  await generated([line.line_id]);

  const [{ tracking }] = (await read(packer, 'lines.get', { line_id: line.line_id })).data.attempts;
  const { data } = await read(packer, 'shipments.list', { tracking_number: tracking });
  assert.deepEqual(
    data.map(({ order_ref }: { order_ref: { order_id: string } }) => order_ref.order_id),
    ['PC-2'],
  );
});

test('what a guide cost is left out for roles that see no money', async () => {
  const lineId = await stagedLine('M-1');
  const batchId = await generated([lineId]);

  for (const [by, sees] of [
    [owner, true],
    [packer, false],
    [supervisor, false],
  ] as const) {
    const { results, costs } = await read(by, 'guides.batch', { batch_id: batchId });
    const [{ amount, currency }] = results;
    const whole = { made: 1, known: 1, sums: [{ currency, amount }] };
    assert.deepEqual(costs, sees ? whole : null, by.email);
    const { data } = await read(by, 'lines.get', { line_id: lineId });
    for (const guide of [results[0], data.attempts[0]])
      for (const field of ['amount', 'available_balance', 'currency'])
        assert.equal(field in guide, sees, `${field} for ${by.email}`);
  }
});

test('the balance that the carrier tells with a guide is among the balances, with its time', async () => {
  const lineId = await stagedLine('T-1');
  instance.clock.advance({ seconds: 1 });
  const at = instance.clock.now().round({ smallestUnit: 'millisecond', roundingMode: 'floor' });
  const batchId = await generated([lineId]);
  const [{ available_balance }] = (await read(owner, 'guides.batch', { batch_id: batchId }))
    .results;

  const { data } = await read(owner, 'balances.list', {});

  const [told] = data.filter(({ service }: { service: string }) => service === 'paquetexpress');
  assert.deepEqual(
    [told.available, told.balance, told.is_carrier, told.is_told_with_guides],
    [available_balance, null, true, true],
  );
  assert.ok(Temporal.Instant.compare(told.taken_at, at) >= 0, told.taken_at);
  const next = await stagedLine('T-2');
  const { available, currency, taken_at } = told;
  for (const [by, seen] of [
    [owner, { available, currency, taken_at }],
    [packer, null],
  ] as const)
    assert.deepEqual((await read(by, 'guides.plan', { line_ids: next })).balance, seen);
});

test('lines with a guide leave together; one that cannot leave stops no other', async () => {
  const [one, other, without] = [
    await stagedLine('TR-1'),
    await stagedLine('TR-2'),
    await stagedLine('TR-3'),
  ];
  await instance.app.database.within(organizacion).write(async (scope) => {
    for (const id of [one, other])
      await setTracking(scope, OPERATOR, id, { trackingNumber: `1Z${id}`, carrier: 'Estafeta' });
  });
  const unknown = newId();

  const { body } = await ask(packer, 'lines.transfer-all', {
    line_ids: [one, without, unknown, other],
  });

  assert.deepEqual(body.transferred, [one, other]);
  assert.deepEqual(
    body.refused.map(({ line_id, code }: { line_id: string; code: string }) => [line_id, code]),
    [
      [without, 'guide_required'],
      [unknown, 'not_found'],
    ],
  );
  assert.equal((await read(packer, 'lines.get', { line_id: one })).data.state, 'transferred');
  assert.equal((await read(packer, 'lines.get', { line_id: without })).data.state, 'staged');
});

test('labels are printed again, and what no guide was made for has none', async () => {
  const lineId = await stagedLine('L-1');
  await generated([lineId]);
  const [attempt] = (await read(packer, 'lines.get', { line_id: lineId })).data.attempts;

  const labels = await ask(packer, 'guides.labels', { attempt_id: attempt.attempt_id });

  assert.match(labels.body.zpl, /^\^XA/);
  assert.match(Buffer.from(labels.body.pdf, 'base64').toString('latin1'), /^%PDF-/);
});

test('an attempt without an answer waits for a person, who says what the carrier has', async () => {
  const [known, none] = [await stagedLine('U-1'), await stagedLine('U-2')];
  for (const lineId of [known, none]) {
    carrier.faults.next({ kind: 'server_error', match: MAKE });
    carrier.faults.next({ kind: 'garbage', match: LOOK_UP, times: 20 });
    await generated([lineId]);
  }
  const attemptOf = async (id: string) =>
    (await read(packer, 'lines.get', { line_id: id })).data.attempts[0];
  const plan = await read(packer, 'guides.plan', { line_ids: known });
  assert.equal(plan.lines[0].readiness, 'waiting');

  const unsettled = async () => {
    const { data } = await read(packer, 'lines.list', { is_unsettled: 'true' });
    return data.map(({ line_id }: { line_id: string }) => line_id).sort();
  };
  assert.deepEqual(await unsettled(), [known, none].sort());
  const stream = { kind: 'stream', subject: known, message: 'Sin acceso.' };
  await instance.app.database.within(organizacion).write((scope) => raiseAlert(scope, stream));
  const alertsFor = async (by: Known) =>
    (await read(by, 'alerts.list', {})).data.map(({ kind }: { kind: string }) => kind).sort();
  assert.deepEqual(await alertsFor(packer), ['guide_unknown', 'guide_unknown']);
  assert.deepEqual(await alertsFor(owner), ['guide_unknown', 'guide_unknown', 'stream']);

  const { attempt_id: found } = await attemptOf(known);
  const settled = await ask(packer, 'guides.settle', {
    attempt_id: found,
    tracking_number: '9001',
  });
  const { attempt_id: absent } = await attemptOf(none);
  const denied = await ask(packer, 'guides.settle', { attempt_id: absent });

  assert.deepEqual([settled.body.data.state, settled.body.data.tracking], ['ok', '9001']);
  assert.deepEqual(
    [denied.body.data.state, denied.body.data.error.code],
    ['failed', 'confirmed_absent'],
  );
  assert.deepEqual(await unsettled(), []);
  const twice = await ask(packer, 'guides.settle', { attempt_id: absent });
  assert.deepEqual([twice.status, twice.body.error.code], [409, 'attempt_already_settled']);
});

test('«En camino» is pressed by supervisors, read back at the carrier, and is nobody else’s to follow', async (t) => {
  const lineId = await stagedLine('2000000000000900');
  await connectOwnFleet(t, instance, {
    organizationId: organizacion,
    orderId: '2000000000000900',
  });
  await instance.app.database
    .within(organizacion)
    .write((scope) =>
      changeSettings(scope, OPERATOR, { own_fleet: [{ marketplace: 'mercado_libre' }] }),
    );

  assert.equal((await ask(packer, 'lines.set-in-transit', { line_id: lineId })).status, 403);
  const pressed = await ask(supervisor, 'lines.set-in-transit', { line_id: lineId });
  await jobsDone(instance);

  const job = { kind: 'in_transit', job_id: pressed.body.job_id };
  const done = await read(supervisor, 'warehouse.job', job);
  assert.deepEqual(done, { state: 'done', error: null, carrier_status: 'in_transit' });
  const { data } = await read(supervisor, 'lines.get', { line_id: lineId });
  assert.equal(data.state, 'in_transit');
  const own = await organizationOf(stranger);
  const path = `/panel/api/${own}/warehouse.job?${new URLSearchParams(job)}`;
  assert.equal((await stranger.visitor.get(path)).status, 404);

  const other = await stagedLine('2000000000000901');
  const refused = await ask(supervisor, 'lines.set-in-transit', { line_id: other });
  await jobsDone(instance);
  const failed = await read(supervisor, 'warehouse.job', {
    kind: 'in_transit',
    job_id: refused.body.job_id,
  });
  assert.deepEqual([failed.state, failed.error.code], ['failed', 'relation_not_unique']);
});

test('a supervisor cancels a guide, and the line may have another one', async () => {
  const lineId = await stagedLine('C-1');
  await generated([lineId]);
  const [attempt] = (await read(packer, 'lines.get', { line_id: lineId })).data.attempts;
  const id = { attempt_id: attempt.attempt_id };
  assert.equal((await ask(packer, 'guides.cancel', id)).status, 403);

  const asked = await ask(supervisor, 'guides.cancel', id);
  await jobsDone(instance);
  assert.equal(asked.status, 202);

  const job = { kind: 'cancel_guide', job_id: asked.body.job_id };
  const done = await read(supervisor, 'warehouse.job', job);
  assert.deepEqual([done.state, done.error], ['done', null]);
  const { data } = await read(packer, 'lines.get', { line_id: lineId });
  assert.ok(data.moves.includes('generate_guide'), String(data.moves));
});

test('guides that were requested, settled and cancelled are in the trail, with their person', async () => {
  const lineIds = [await stagedLine('A-1'), await stagedLine('A-2')];
  await generated(lineIds);
  const lost = await stagedLine('A-3');
  carrier.faults.next({ kind: 'server_error', match: MAKE });
  carrier.faults.next({ kind: 'garbage', match: LOOK_UP, times: 20 });
  await generated([lost]);
  const attemptOf = async (id: string) =>
    (await read(packer, 'lines.get', { line_id: id })).data.attempts[0];
  const { attempt_id } = await attemptOf(lost);
  await ask(packer, 'guides.settle', { attempt_id, tracking_number: '9002' });
  const { attempt_id: unwanted, tracking } = await attemptOf(lineIds[0] as string);
  await ask(supervisor, 'guides.cancel', { attempt_id: unwanted });
  await jobsDone(instance);

  const { text } = await owner.visitor.get('/cuenta/actividad');
  const [last, second, third, fourth] = text.split('<li><p><strong>').slice(1);
  assert.match(last ?? '', new RegExp(`Canceló la guía ${tracking}`));
  assert.match(second ?? '', /Anotó la guía 9002, que quedó sin respuesta/);
  assert.match(second ?? '', /, desde \d/);
  assert.match(third ?? '', /Pidió 1 guía/);
  assert.match(fourth ?? '', /Pidió 2 guías/);
});

test('lines with a guide take no place of those without one when both are counted', async () => {
  const lineId = await stagedLine('C-1');
  const former = await read(packer, 'warehouse.count', {});
  await instance.app.database.write((handle) =>
    handle.sql(
      `insert into warehouse_lines (organization_id, id, marketplace, account_id, parcel, state,
         packages, staged_at, updated_at, tracking_number, carrier, tracking_source)
       select organization_id, gen_random_uuid(), marketplace, account_id, 'parcel ' || number, state,
         packages, '2020-01-01', updated_at, '1Z' || number, 'Estafeta', 'manual'
       from warehouse_lines, generate_series(1, 501) number
       where organization_id = $1 and id = $2`,
      [organizacion, lineId],
    ),
  );

  const counted = await read(packer, 'warehouse.count', {});

  assert.deepEqual(
    [counted.without_guide, counted.ready, counted.has_more],
    [former.without_guide, former.ready, false],
  );
  assert.deepEqual([counted.with_guide, counted.with_guide_has_more], [500, true]);
});

function stagedLine(orderId: string, given: Parameters<typeof stageLine>[3] = {}): Promise<string> {
  return stageLine(instance, organizacion, orderId, given);
}

let keys = 0;

/** @returns the batch, when it is done */
async function generated(lineIds: readonly string[]): Promise<string> {
  const order = { line_ids: lineIds, idempotency_key: `clic ${++keys}` };
  const { status, body } = await ask(packer, 'guides.request', order);
  assert.equal(status, 202, JSON.stringify(body));
  await jobsDone(instance);
  return body.batch_id;
}

function guidesAsked(): number {
  return carrier.requests.filter(({ method, path }) => GUIDE.test(`${method} ${path}`)).length;
}

/** The organisation that a person registered with. */
async function organizationOf({ personId }: Known): Promise<string> {
  const [row] = await instance.app.database.write((handle) =>
    handle.sql("select organization_id from members where person_id = $1 and role = 'owner'", [
      personId,
    ]),
  );
  return (row as { organization_id: string }).organization_id;
}
