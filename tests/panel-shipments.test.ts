import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Paquetexpress } from '../simulators/paquetexpress/index.ts';
import { findCarrier } from '../src/carriers/registry.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { findOrganization } from '../src/features/organizations/index.ts';
import { nameGuide } from '../src/features/shipments/index.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, type TestApp } from './support/app.ts';
import { openPanel } from './support/panel.ts';
import { openSenderOf, push, settled } from './support/paquetexpress.ts';
import { type Known, openMailingInstance, openTeam } from './support/people.ts';

// Shipments as their screen shows them, through the operations of the panel.

const MONEY = ['declared_value', 'subtotal_amount', 'tax_amount', 'total_amount'];

let instance: TestApp;
let organizacion: string;
let carrier: Paquetexpress;
/** Where the carrier sends webhooks. */
let address: string;
let owner: Known;
let packer: Known;
const { read } = openPanel(() => organizacion);

before(async () => {
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  const team = await openTeam(instance, opened.folder);
  ({ owner, organizacion } = team);
  packer = await team.join('warehouse');
  const organization = await instance.app.database.read((handle) =>
    findOrganization(handle, organizacion),
  );
  assert.ok(organization);
  ({ carrier, address } = await openSenderOf(organization, instance, WHOLE_FILE));
});

test('a shipment shows its events with their source, and each field of its carrier’s own', async () => {
  const { tracking } = carrier.document();
  carrier.happen(tracking, 'SWB');
  await sync();
  instance.clock.advance({ minutes: 5 });
  await report(tracking, 'TRN');
  await settled(instance);

  const { data } = await read(owner, 'shipments.list', { tracking_number: tracking });
  const found = await read(owner, 'shipments.get', keyOf(data[0]));

  assert.deepEqual([data.length, data[0].status], [1, 'EN_TRANSITO']);
  type Event = { code: string; source: string };
  assert.deepEqual(
    found.data.events.map(({ code, source }: Event) => `${code} ${source}`).at(-1),
    'TRN webhook',
  );
  assert.ok(found.data.events.some(({ source }: Event) => source === 'tracking_history'));
  const columns = findCarrier('paquetexpress')?.facts.details?.columns ?? [];
  assert.equal(columns.length, 54);
  assert.deepEqual(Object.keys(found.details).sort(), ['tracking_number', ...columns].sort());
});

test('what a shipment cost is left out for roles that see no money', async () => {
  const { tracking } = carrier.document();
  await sync();
  for (const [by, sees] of [
    [owner, true],
    [packer, false],
  ] as const) {
    const { data } = await read(by, 'shipments.list', { tracking_number: tracking });
    const found = await read(by, 'shipments.get', keyOf(data[0]));
    assert.deepEqual(['cost' in data[0], 'cost' in found.data], [sees, sees]);
    for (const name of MONEY) assert.equal(name in found.details, sees, `${name} for ${by.email}`);
  }
});

test('an event without a shipment is shown until its shipment is read', async () => {
  await sync();
  const [first, second] = [carrier.document(), carrier.document()];
  await report(first.tracking, 'HCA');
  instance.clock.advance({ minutes: 1 });
  await report(first.tracking, 'TRN');
  await report(second.tracking, 'ZZZ');

  const pages = [await read(packer, 'shipments.orphans', { limit: '2' })];
  pages.push(await read(packer, 'shipments.orphans', { limit: '2', cursor: pages[0].next_cursor }));

  type Orphan = { tracking_number: string; code: string; status: string; source: string };
  const shown = pages.flatMap(({ data }) => data as Orphan[]);
  assert.deepEqual(
    shown.map(({ tracking_number, code, status, source }) => [
      tracking_number,
      code,
      status,
      source,
    ]),
    [
      [first.tracking, 'HCA', 'EN_TRANSITO', 'webhook'],
      [first.tracking, 'TRN', 'EN_TRANSITO', 'webhook'],
      [second.tracking, 'ZZZ', null, 'webhook'],
    ].sort(),
  );
  assert.equal(pages[1].next_cursor, null);
  instance.clock.advance({ hours: 1 });
  await sync();
  assert.deepEqual((await read(packer, 'shipments.orphans', {})).data, []);
});

test('an order has its own parcels: none of another store’s order, and those of a guide of its pack', async () => {
  const order = (id: string, accountId: string) =>
    ({ ...{ id, accountId }, marketplace: 'woocommerce' }) as const;
  const [first, second] = [order('1001', 'a.mx'), order('1001', 'b.mx')];
  const pack = [order('501', 'a.mx'), order('502', 'a.mx')];
  const alone = carrier.document();
  const shared = carrier.document();
  await instance.record([first, second, ...pack].map(anOrder), organizacion);
  await instance.app.database.within(organizacion).write(async (scope) => {
    await nameGuide(scope, alone.reference, [first]);
    await nameGuide(scope, shared.reference, pack);
  });
  await sync();

  const parcelsOf = async ({ marketplace, accountId: account_id, id: order_id }: typeof first) => {
    const { data } = await read(packer, 'shipments.of-order', {
      marketplace,
      account_id,
      order_id,
    });
    return data.map((one: { tracking_number: string }) => one.tracking_number);
  };
  assert.deepEqual(await parcelsOf(first), [alone.tracking]);
  assert.deepEqual(await parcelsOf(second), []);
  for (const one of pack) assert.deepEqual(await parcelsOf(one), [shared.tracking]);
});

test('an unknown shipment, and one of another organisation, is not found', async () => {
  const which = { carrier: 'paquetexpress', account_id: 'TIENDA01', id: 'no-existe' };
  const path = `/panel/api/${organizacion}/shipments.get?${new URLSearchParams(which)}`;
  const { status, text } = await owner.visitor.get(path);
  assert.deepEqual([status, JSON.parse(text).error.code], [404, 'not_found']);
});

function keyOf({ carrier: of, account_id, id }: Record<'carrier' | 'account_id' | 'id', string>) {
  return { carrier: of, account_id, id };
}

async function report(tracking: string, code: string): Promise<void> {
  const fechahora = instance.clock.now().epochMilliseconds;
  const { status } = await push(address, { rastreo: tracking, eventoId: code, fechahora });
  assert.equal(status, 200);
}

function sync() {
  const what = { organizationId: organizacion, service: null, stream: 'shipments' } as const;
  return syncOrganization(instance.app.exchange, what);
}
