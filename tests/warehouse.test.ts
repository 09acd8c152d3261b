import assert from 'node:assert/strict';
import { test } from 'node:test';
import { honourPrivacy } from '../src/exchange/webhooks/privacy.ts';
import { resolveAlert } from '../src/features/alerts/index.ts';
import type { Order } from '../src/features/orders/index.ts';
import {
  type Action,
  actionsOf,
  changeSettings,
  isOwnFleet,
  listLines,
  logisticsSettings,
  markInTransit,
  recordEquivalences,
  recordProducts,
  setDestination,
  setPackages,
  setTracking,
  transferLine,
  undoTransfer,
} from '../src/features/warehouse/index.ts';
import { contentsOf } from '../src/features/warehouse/products/products.ts';
import { cursorMaker } from '../src/platform/cursor.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { Failure } from '../src/platform/failure.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { alertsOf, query } from './support/market.ts';
import { someoneWaits } from './support/server.ts';
import {
  ADDRESS,
  CUP,
  lineOf,
  linesOf,
  MEMBER,
  OPERATOR,
  ORIGIN,
  PACKER,
  SUPERVISOR,
} from './support/warehouse.ts';

// Also runs on served PostgreSQL and Redis.

const shared = await openApp(WHOLE_FILE);

const LATER = Temporal.Instant.from('2026-11-16T12:00:00Z');
/** As a person types it. */
const TRACKING = { trackingNumber: '21160000001', carrier: 'Paquete Express' };

// Staging

test('a paid order waits in preparation as one parcel, with what it sold and without an address', async () => {
  const instance = await shared.another();

  await instance.record([anOrder()]);

  const [line, ...others] = await linesOf(instance);
  assert.equal(others.length, 0);
  assert.deepEqual(
    [line?.state, line?.packages, line?.destination, line?.trackingNumber],
    ['staged', 1, null, null],
  );
  assert.deepEqual(line?.orders, [
    {
      id: '2000000000000001',
      status: 'paid',
      items: [{ id: 'MLM1', sku: 'TAZA-AZUL', title: 'Taza azul', quantity: 2 }],
      tags: [],
    },
  ]);
});

test('orders that are not paid, were shipped, are tests, copies or the marketplace’s own to ship do not wait', async () => {
  const instance = await shared.another();

  await instance.record([
    anOrder({ id: '1', status: 'pending' }),
    anOrder({ id: '2', status: 'delivered' }),
    anOrder({ id: '3', status: 'cancelled' }),
    anOrder({ id: '4', tags: ['test_order'] }),
    anOrder({ id: '5', marketplace: 'tiendanube', tags: ['storefront:meli'] }),
    anOrder({ id: '6', marketplace: 'amazon', tags: ['PRIME', 'fulfilled_by_marketplace'] }),
  ]);

  assert.deepEqual(await linesOf(instance), []);
});

test('the orders of one pack are one parcel, whenever they come', async () => {
  const instance = await shared.another();

  await instance.record([anOrder({ id: '1', packId: 'P' }), anOrder({ id: '2', packId: 'P' })]);
  await instance.record([anOrder({ id: '3', packId: 'P' }), anOrder({ id: '4', packId: 'Q' })]);
  await instance.record([anOrder({ id: '5', packId: 'P', accountId: 'another' })]);

  assert.deepEqual(await parcels(instance), [['1', '2', '3'], ['4'], ['5']]);
});

test('a purchase that shops pack apart is a parcel for each order', async () => {
  const instance = await shared.another();

  await instance.record([
    anOrder({ id: '1', marketplace: 'walmart', packId: 'C' }),
    anOrder({ id: '2', marketplace: 'walmart', packId: 'C' }),
  ]);

  assert.deepEqual(await parcels(instance), [['1'], ['2']]);
});

test('an order that comes after its pack was documented travels by itself', async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ id: '1', packId: 'P' })]);
  const { id } = await lineOf(instance, '1');
  await act(instance, (scope) => setTracking(scope, PACKER, id, TRACKING));

  await instance.record([anOrder({ id: '2', packId: 'P' })]);

  assert.deepEqual(await parcels(instance), [['1'], ['2']]);
});

test('orders that their marketplace packs together later become one parcel, with the address that was typed', async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ id: '1' }), anOrder({ id: '2' }), anOrder({ id: '3' })]);
  const { id } = await lineOf(instance, '3');
  await act(instance, (scope) => setDestination(scope, PACKER, id, ADDRESS));

  await instance.record([changed({ id: '1', packId: 'P' })]);
  await instance.record(['2', '3'].map((order) => changed({ id: order, packId: 'P' })));

  const [line, ...others] = await linesOf(instance);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [line?.packId, line?.state, line?.destination?.name, line?.orders.map((one) => one.id)],
    ['P', 'staged', ADDRESS.name, ['1', '2', '3']],
  );
  assert.equal((await linesOf(instance, { number: 'P' })).length, 1);
});

test('an order that its marketplace takes out of a pack is a parcel of its own, and the rest stays', async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ id: '1', packId: 'P' }), anOrder({ id: '2', packId: 'P' })]);
  const { id } = await lineOf(instance, '1');
  await act(instance, (scope) => setDestination(scope, PACKER, id, ADDRESS));

  await instance.record([changed({ id: '2', packId: null })]);

  assert.deepEqual(await parcels(instance), [['1'], ['2']]);
  const [one, two] = [await lineOf(instance, '1'), await lineOf(instance, '2')];
  assert.deepEqual([one.id, one.packId, two.packId], [id, 'P', null]);
  assert.equal(two.destination?.name, ADDRESS.name);
});

test('what is documented keeps its orders, and takes none that is packed with it later', async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ id: '1', packId: 'P' }), anOrder({ id: '2' })]);
  const { id } = await lineOf(instance, '1');
  await act(instance, (scope) => setTracking(scope, PACKER, id, TRACKING));

  await instance.record([changed({ id: '1', packId: 'Q' }), changed({ id: '2', packId: 'P' })]);

  assert.deepEqual(await parcels(instance), [['1'], ['2']]);
  assert.equal((await lineOf(instance, '1')).trackingNumber, TRACKING.trackingNumber);
  assert.deepEqual(await ids(instance, { number: 'Q' }), ['1'], 'found by its pack of now');
  assert.deepEqual(await ids(instance, { number: 'P' }), ['2']);
});

test('an order that loses its pack by its cancellation stays in the line of its pack', async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ id: '1', packId: 'P' }), anOrder({ id: '2', packId: 'P' })]);

  await instance.record([changed({ id: '2', packId: null, status: 'cancelled' })]);

  assert.deepEqual(await parcels(instance), [['1', '2']]);
});

test('an order that is received again makes no second line', async () => {
  const instance = await shared.another();
  await instance.record([anOrder()]);

  await instance.record([
    anOrder({ buyerName: 'Otra Persona', changedAt: LATER, fetchedAt: LATER }),
  ]);

  assert.equal((await linesOf(instance)).length, 1);
});

// What becomes of the orders

for (const [status, state] of [
  ['cancelled', 'cancelled'],
  ['refunded', 'cancelled'],
  ['shipped', 'shipped_elsewhere'],
  ['delivered', 'shipped_elsewhere'],
  ['partially_shipped', 'held'],
  ['pending', 'held'],
] as const)
  test(`an order that becomes ${status} makes its line ${state}, and it cannot be shipped`, async () => {
    const instance = await shared.another();
    await instance.record([anOrder()]);

    await instance.record([changed({ status })]);

    const line = await lineOf(instance, '2000000000000001');
    assert.equal(line.state, state);
    await refused('transition_not_allowed', () =>
      act(instance, (scope) => transferLine(scope, PACKER, line.id)),
    );
    assert.deepEqual((await doneTo(instance, line.id)).at(-1), [
      `orders_made_${state}`,
      'house',
      'orders',
    ]);
  });

test('a cancelled line with a number is not shipped either, and an alert names its guide', async () => {
  const instance = await shared.another();
  await instance.record([anOrder()]);
  const { id } = await lineOf(instance, '2000000000000001');
  await act(instance, (scope) => setTracking(scope, PACKER, id, TRACKING));

  await instance.record([changed({ status: 'cancelled' })]);

  await refused('transition_not_allowed', () =>
    act(instance, (scope) => transferLine(scope, PACKER, id)),
  );
  const [alert] = await alertsOf(instance, instance.organization.id);
  assert.equal(alert?.kind, 'cancelled_parcel');
  assert.match(
    String(alert?.message),
    /2000000000000001 se canceló, pero su guía 21160000001 sigue viva/,
  );
});

test('an order that is cancelled after its parcel left raises an alert too, and the line stays where it is', async () => {
  const instance = await shared.another();
  const id = await transferred(instance);

  await instance.record([changed({ status: 'cancelled' })]);

  assert.equal((await lineOf(instance, '2000000000000001')).state, 'transferred');
  const [alert] = await alertsOf(instance, instance.organization.id);
  assert.deepEqual([alert?.kind, alert?.subject], ['cancelled_parcel', id]);
  assert.match(String(alert?.message), /ya salió/);
});

for (const [status, happened] of [
  ['cancelled', 'se canceló'],
  ['refunded', 'se reembolsó'],
  ['returned', 'se devolvió'],
] as const)
  test(`the alert about a parcel that is no longer needed says that its order ${happened}`, async () => {
    const instance = await shared.another();
    await transferred(instance);

    await instance.record([changed({ status })]);

    assert.deepEqual(await alerts(instance), [
      `La orden 2000000000000001 ${happened}, pero su paquete ya salió. Detenlo con la paquetería si todavía se puede.`,
    ]);
  });

test('of a pack the alert names all orders', async () => {
  const instance = await shared.another();
  const pack = ['1', '2'].map((id) => anOrder({ id, packId: 'P' }));
  await instance.record(pack);
  const { id } = await lineOf(instance, '1');
  await act(instance, (scope) => setTracking(scope, PACKER, id, TRACKING));
  const later = { changedAt: LATER, fetchedAt: LATER };

  await instance.record(pack.map((order) => ({ ...order, status: 'cancelled', ...later })));

  const [message] = await alerts(instance);
  assert.match(String(message), /^Las órdenes 1, 2 se cancelaron, pero su guía 21160000001/);
});

for (const status of ['returned', 'refunded', 'cancelled'] as const)
  for (const hasLeft of [true, false])
    test(`an order that becomes ${status} after its delivery raises no alert, ${hasLeft ? 'its line transferred' : 'its line not transferred'}`, async () => {
      const instance = await shared.another();
      if (hasLeft) await transferred(instance);
      else await numbered(instance);
      await instance.record([changed({ status: 'shipped' })]);
      await instance.record([changed({ status: 'delivered' }, 48)]);

      await instance.record([changed({ status }, 24 * 14)]);

      assert.deepEqual(await alerts(instance), []);
    });

test('a refund raises no alert where the marketplace says «shipped» to the end', async () => {
  const instance = await shared.another();
  await transferred(instance);
  await instance.record([changed({ status: 'shipped' })]);

  await instance.record([changed({ status: 'refunded' }, 24 * 14)]);

  assert.deepEqual(await alerts(instance), []);
});

test('a refund raises no alert where the carrier delivered the parcel, and the marketplace says «paid» to the end', async () => {
  const instance = await shared.another();
  await transferred(instance);
  const shipping = {
    ...{ carrier: null, trackingNumber: null, method: null, status: 'ENTREGADO', shippedAt: null },
    deliveredAt: LATER,
  };
  await instance.record([changed({ shipping })]);

  await instance.record([changed({ status: 'refunded', shipping }, 24 * 14)]);

  assert.deepEqual(await alerts(instance), []);
});

test('a parcel on its way whose order is cancelled is to be stopped', async () => {
  const instance = await shared.another();
  await transferred(instance);
  await instance.record([changed({ status: 'shipped' })]);

  await instance.record([changed({ status: 'cancelled' }, 1)]);

  assert.match(String((await alerts(instance))[0]), /se canceló, pero su paquete ya salió/);
});

test('a later change of a cancelled order does not open its alert again', async () => {
  const instance = await shared.another();
  const id = await transferred(instance);
  await instance.record([changed({ status: 'cancelled' })]);
  assert.equal((await alerts(instance)).length, 1);
  await act(instance, (scope) => resolveAlert(scope, 'cancelled_parcel', id));

  await instance.record([changed({ status: 'cancelled', tags: ['devuelta'] }, 1)]);
  await instance.record([changed({ status: 'refunded' }, 2)]);

  assert.deepEqual(await alerts(instance), []);
});

test('the alert ends when the order is paid again, and its parcel is needed', async () => {
  const instance = await shared.another();
  await numbered(instance);
  await instance.record([changed({ status: 'cancelled' })]);
  assert.equal((await alerts(instance)).length, 1);

  await instance.record([changed({ status: 'paid' }, 1)]);

  assert.equal((await lineOf(instance, '2000000000000001')).state, 'staged');
  assert.deepEqual(await alerts(instance), []);
});

// An order that turns out to be the marketplace’s own to ship

test('an order that turns out to be the marketplace’s own to ship leaves preparation, and comes back with the tag gone', async () => {
  const instance = await shared.another();
  await instance.record([anOrder()]);

  await instance.record([changed({ tags: ['fulfilled_by_marketplace'] })]);

  const line = await lineOf(instance, '2000000000000001');
  assert.equal(line.state, 'shipped_elsewhere');
  assert.deepEqual(await alerts(instance), []);
  await instance.record([changed({}, 1)]);
  assert.equal((await lineOf(instance, '2000000000000001')).state, 'staged');
});

test('of a pack, what the marketplace ships itself is not packed', async () => {
  const instance = await shared.another();
  await instance.record(['1', '2'].map((id) => anOrder({ id, packId: 'P' })));

  await instance.record([changed({ id: '1', packId: 'P', tags: ['fulfilled_by_marketplace'] })]);

  const line = await lineOf(instance, '2');
  assert.equal(line.state, 'staged');
  const contents = await instance.app.database
    .within(instance.organization.id)
    .read((scope) => contentsOf(scope, line));
  assert.deepEqual(named(contents), ['TAZA-AZUL×2']);
});

test('a guide of an order that turns out to be the marketplace’s own to ship raises an alert, and its line waits for a person', async () => {
  const instance = await shared.another();
  const id = await numbered(instance);

  await instance.record([changed({ tags: ['fulfilled_by_marketplace'] })]);

  assert.equal((await lineOf(instance, '2000000000000001')).state, 'staged');
  assert.deepEqual(await alerts(instance), [
    'La orden 2000000000000001 la envía el marketplace, pero su guía 21160000001 sigue viva. Cancélala para no pagarla.',
  ]);
  await act(instance, (scope) => setTracking(scope, PACKER, id, null));
  assert.equal((await lineOf(instance, '2000000000000001')).state, 'shipped_elsewhere');
  assert.deepEqual(await alerts(instance), []);
});

test('of a pack, the orders that are left are shipped', async () => {
  const instance = await shared.another();
  const [one, two] = [anOrder({ id: '1', packId: 'P' }), anOrder({ id: '2', packId: 'P' })];
  await instance.record([one, two]);

  await instance.record([{ ...one, status: 'cancelled', changedAt: LATER, fetchedAt: LATER }]);

  const line = await lineOf(instance, '2');
  assert.equal(line.state, 'staged');
  assert.deepEqual(
    await instance.app.database
      .within(instance.organization.id)
      .read((scope) => contentsOf(scope, line)),
    [{ sku: 'TAZA-AZUL', name: 'TAZA-AZUL', units: 2, product: null }],
  );
});

test('an order that is paid again waits again', async () => {
  const instance = await shared.another();
  await instance.record([anOrder()]);
  await instance.record([changed({ status: 'cancelled' })]);

  await instance.record([changed({ status: 'paid' }, 2)]);

  assert.equal((await lineOf(instance, '2000000000000001')).state, 'staged');
});

test('an order that the marketplace calls shipped was shipped by us where the line has a number', async () => {
  const instance = await shared.another();
  await instance.record([anOrder()]);
  const { id } = await lineOf(instance, '2000000000000001');
  await act(instance, (scope) => setTracking(scope, PACKER, id, TRACKING));

  await instance.record([changed({ status: 'shipped' })]);

  assert.equal((await lineOf(instance, '2000000000000001')).state, 'staged');
});

test('a line of a shipped order follows its typed number: without it, it was shipped elsewhere', async () => {
  const instance = await shared.another();
  const id = await numbered(instance);
  await instance.record([changed({ status: 'shipped' })]);

  await act(instance, (scope) => setTracking(scope, PACKER, id, null));
  const without = await lineOf(instance, '2000000000000001');
  await act(instance, (scope) => setTracking(scope, PACKER, id, TRACKING));
  const withNumber = await act(instance, (scope) => transferLine(scope, PACKER, id));

  assert.deepEqual([without.state, withNumber.state], ['shipped_elsewhere', 'transferred']);
});

test('the number of a cancelled line is removed, which ends its alert, and another line may have it', async () => {
  const instance = await shared.another();
  const id = await numbered(instance);
  await instance.record([changed({ status: 'cancelled' }), anOrder({ id: '2' })]);
  const two = await lineOf(instance, '2');
  const another = { ...TRACKING, trackingNumber: '21160000002' };
  await refused('transition_not_allowed', () =>
    act(instance, (scope) => setTracking(scope, PACKER, id, another)),
  );

  await act(instance, (scope) => setTracking(scope, PACKER, id, null));
  await act(instance, (scope) => setTracking(scope, PACKER, two.id, TRACKING));

  const { state, trackingNumber } = await lineOf(instance, '2000000000000001');
  assert.deepEqual([state, trackingNumber], ['cancelled', null]);
  assert.deepEqual(await alerts(instance), []);
});

// To shipments and back

test('a line leaves for shipments with a number, and who did it is kept', async () => {
  const instance = await shared.another();
  await instance.record([anOrder()]);
  const { id } = await lineOf(instance, '2000000000000001');

  await refused('guide_required', () => act(instance, (scope) => transferLine(scope, PACKER, id)));
  await act(instance, (scope) => setTracking(scope, PACKER, id, TRACKING));
  await act(instance, (scope) => transferLine(scope, PACKER, id));

  assert.deepEqual(await linesOf(instance), []);
  assert.deepEqual(
    (await linesOf(instance, { state: ['transferred'] })).map(({ carrier, trackingNumber }) => [
      carrier,
      trackingNumber,
    ]),
    [['Paquete Express', '21160000001']],
  );
  assert.deepEqual(await doneTo(instance, id), [
    ['stage', 'house', 'orders'],
    ['set_tracking', 'person', PACKER.id],
    ['transfer', 'person', PACKER.id],
  ]);
});

test('a line that left cannot leave again, nor be edited', async () => {
  const instance = await shared.another();
  const id = await transferred(instance);

  await refused('transition_not_allowed', () =>
    act(instance, (scope) => transferLine(scope, PACKER, id)),
  );
  await refused('transition_not_allowed', () =>
    act(instance, (scope) => setPackages(scope, PACKER, id, 2)),
  );
  await refused('transition_not_allowed', () =>
    act(instance, (scope) => setDestination(scope, PACKER, id, ADDRESS)),
  );
});

test('a supervisor takes a transfer back while the carrier has not moved the parcel', async () => {
  const instance = await shared.another();
  const id = await transferred(instance);

  await refused('insufficient_role', () =>
    act(instance, (scope) => undoTransfer(scope, PACKER, id)),
  );
  await act(instance, (scope) => undoTransfer(scope, SUPERVISOR, id));

  const line = await lineOf(instance, '2000000000000001');
  assert.deepEqual(
    [line.state, line.transferredAt, line.trackingNumber],
    ['staged', null, '21160000001'],
  );
});

test('a transfer is not taken back once the carrier shows the parcel on its way', async () => {
  const instance = await shared.another();
  const id = await transferred(instance);
  await shipmentSeen(instance, 'EN_TRANSITO');

  await refused('parcel_already_moved', () =>
    act(instance, (scope) => undoTransfer(scope, SUPERVISOR, id)),
  );

  assert.equal((await lineOf(instance, '2000000000000001')).state, 'transferred');
});

test('a transfer that is taken back returns to the state of its orders', async () => {
  const instance = await shared.another();
  const id = await transferred(instance);
  await instance.record([changed({ status: 'cancelled' })]);

  const line = await act(instance, (scope) => undoTransfer(scope, SUPERVISOR, id));

  assert.equal(line.state, 'cancelled');
});

test('what was on its way before its transfer is on its way after the transfer was taken back', async () => {
  const instance = await shared.another();
  await instance.record([anOrder()]);
  const { id } = await lineOf(instance, '2000000000000001');
  await act(instance, async (scope) => {
    await setTracking(scope, PACKER, id, TRACKING);
    await markInTransit(scope, SUPERVISOR, id, { id: '9', carrierStatus: 'in_transit' });
    await transferLine(scope, PACKER, id);
  });

  const line = await act(instance, (scope) => undoTransfer(scope, SUPERVISOR, id));

  assert.equal(line.state, 'in_transit');
});

test('one tracking number belongs to one line', async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ id: '1' }), anOrder({ id: '2' })]);
  const [one, two] = [await lineOf(instance, '1'), await lineOf(instance, '2')];
  await act(instance, (scope) => setTracking(scope, PACKER, one.id, TRACKING));

  await refused('tracking_number_in_use', () =>
    act(instance, (scope) => setTracking(scope, PACKER, two.id, TRACKING)),
  );
});

test('two lines that get one tracking number at one moment do not both have it', async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ id: '1' }), anOrder({ id: '2' })]);
  const [one, two] = [await lineOf(instance, '1'), await lineOf(instance, '2')];

  await atOnce(
    instance,
    (scope) => setTracking(scope, PACKER, one.id, TRACKING),
    () =>
      refused('tracking_number_in_use', () =>
        act(instance, (scope) => setTracking(scope, PACKER, two.id, TRACKING)),
      ),
  );
});

test('a member who is not of the warehouse changes nothing', async () => {
  const instance = await shared.another();
  await instance.record([anOrder()]);
  const { id } = await lineOf(instance, '2000000000000001');

  for (const work of [
    (scope: WriteScope) => setPackages(scope, MEMBER, id, 2),
    (scope: WriteScope) => setDestination(scope, MEMBER, id, ADDRESS),
    (scope: WriteScope) => setTracking(scope, MEMBER, id, TRACKING),
    (scope: WriteScope) => transferLine(scope, MEMBER, id),
  ])
    await refused('insufficient_role', () => act<unknown>(instance, work));
  await refused('insufficient_role', () =>
    act(instance, (scope) => changeSettings(scope, SUPERVISOR, {})),
  );
});

test('another organisation sees and moves nothing', async () => {
  const instance = await shared.another();
  await instance.record([anOrder()]);
  const { id } = await lineOf(instance, '2000000000000001');
  const { organization } = await instance.tenant();

  await refused('not_found', () =>
    instance.app.database
      .within(organization.id)
      .write((scope) => setPackages(scope, OPERATOR, id, 2)),
  );
});

// Destination

test('a destination is checked field by field, in Spanish', async () => {
  const instance = await shared.another();
  await instance.record([anOrder()]);
  const { id } = await lineOf(instance, '2000000000000001');
  const { colony: _, ...partial } = ADDRESS;

  for (const [typed, param, says] of [
    [{ ...ADDRESS, zipcode: '7600' }, 'destination.zipcode', /cinco dígitos/],
    [{ ...ADDRESS, phone: '44 2123 4567' }, 'destination.phone', /diez dígitos/],
    [{ ...ADDRESS, number: 'x'.repeat(16) }, 'destination.number', /hasta 15 caracteres/],
    [partial, 'destination.colony', /falta/],
    [{ ...ADDRESS, planet: 'Marte' }, 'destination', /no conoce: planet/],
    ['Av. Juárez 120', 'destination', /objeto JSON/],
  ] as const) {
    const error = await refused('invalid_request', () =>
      act(instance, (scope) => setDestination(scope, PACKER, id, typed)),
    );
    assert.equal(error.param, param);
    assert.match(error.message, says);
  }
  await act(instance, (scope) => setDestination(scope, PACKER, id, ADDRESS));
  assert.deepEqual((await lineOf(instance, '2000000000000001')).destination, {
    ...ADDRESS,
    email: null,
  });
});

test('where a parcel goes is forgotten with its buyer, also in what was sent for it', async () => {
  const instance = await shared.another();
  const account = { marketplace: 'shopify', accountId: 'tienda.myshopify.com' } as const;
  await instance.record([anOrder({ ...account, id: '1' }), anOrder({ ...account, id: '2' })]);
  const lines = [await lineOf(instance, '1'), await lineOf(instance, '2')];
  for (const { id } of lines) {
    await act(instance, (scope) => setDestination(scope, PACKER, id, ADDRESS));
    await query(
      instance,
      `insert into guide_attempts (organization_id, id, line_id, batch_id, reference, state, carrier, request, zpl,
         pdf_box, currency, queued_at) values ($1, gen_random_uuid(), $2::uuid, gen_random_uuid(), $2::uuid::text, 'failed', 'x', '{}', '^XA', 'box', 'MXN', now())`,
      [instance.organization.id, id],
    );
  }

  const connection = {
    ...account,
    service: account.marketplace,
    organizationId: instance.organization.id,
    id: lines[0]?.id,
  } as never;
  await honourPrivacy(instance.app.exchange, connection, { forget: 'buyer', orderIds: ['1'] });

  assert.deepEqual(
    [(await lineOf(instance, '1')).destination, (await lineOf(instance, '2')).destination?.zipcode],
    [null, '76000'],
  );
  const kept = await query(
    instance,
    `select line_id from guide_attempts
      where organization_id = $1 and (request is not null or zpl is not null or pdf_box is not null)`,
    [instance.organization.id],
  );
  assert.deepEqual(kept, [{ line_id: lines[1]?.id }]);
});

// The list

test('those that wait longest come first, page by page, and filters hold together', async () => {
  const instance = await shared.another();
  for (const id of ['1', '2', '3', '4', '5']) {
    await instance.record([anOrder({ id, marketplace: id === '3' ? 'amazon' : 'mercado_libre' })]);
    instance.clock.advance({ minutes: 1 });
  }
  const three = await lineOf(instance, '3');
  await act(instance, (scope) => setTracking(scope, PACKER, three.id, TRACKING));

  assert.deepEqual(await walk(instance, 2), [['1', '2'], ['3', '4'], ['5']]);
  assert.deepEqual(await ids(instance, { marketplace: ['amazon'] }), ['3']);
  assert.deepEqual(await ids(instance, { hasGuide: false }), ['1', '2', '4', '5']);
  assert.deepEqual(await ids(instance, { number: '21160000001' }), ['3']);
  assert.deepEqual(await ids(instance, { number: '4' }), ['4']);
  assert.deepEqual(await ids(instance, { number: '4', marketplace: ['amazon'] }), []);
  assert.deepEqual(await ids(instance, { state: ['in_transit'] }), []);
});

test('a cursor is bound to its organisation and its filters', async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ id: '1' }), anOrder({ id: '2' })]);
  const { organization } = await instance.tenant();
  const cursor = (await page(instance, { limit: 1 })).nextCursor;
  assert.ok(cursor);

  await refused('invalid_cursor', () => page(instance, { cursor, hasGuide: true }));
  await refused('invalid_cursor', () => page(instance, { cursor }, organization.id));
});

// Goods

test('what a code is of ours: the account’s word before the marketplace’s, SKU before item, kits whole', async () => {
  const instance = await shared.another();
  await instance.record([anOrder()]);
  const line = await lineOf(instance, '2000000000000001');
  const contents = () =>
    instance.app.database.within(instance.organization.id).read((scope) => contentsOf(scope, line));
  const learn = (code: string, sku: string, units: number, accountId: string | null) =>
    act(instance, (scope) =>
      recordEquivalences(scope, [{ marketplace: 'mercado_libre', accountId, code, sku, units }]),
    );
  const own = CUP;
  await act(instance, (scope) =>
    recordProducts(scope, [own, { ...own, sku: 'TAZA' }, { ...own, sku: 'CAJA' }]),
  );

  assert.deepEqual(named(await contents()), ['TAZA-AZUL×2']);
  await learn('MLM1', 'CAJA', 1, null);
  assert.deepEqual(named(await contents()), ['CAJA×2']);
  await learn('TAZA-AZUL', 'TAZA', 3, null);
  assert.deepEqual(named(await contents()), ['TAZA×6']);
  await learn('TAZA-AZUL', 'TAZA', 1, line.accountId);
  await learn('TAZA-AZUL', 'CAJA', 1, line.accountId);
  assert.deepEqual(named(await contents()), ['CAJA×2', 'TAZA×2']);
});

test('a product that says the same again is no change', async () => {
  const instance = await shared.another();

  const counts = [
    await act(instance, (scope) => recordProducts(scope, [CUP])),
    await act(instance, (scope) => recordProducts(scope, [CUP])),
    await act(instance, (scope) => recordProducts(scope, [{ ...CUP, heightCm: null }])),
  ];

  assert.deepEqual(counts, [1, 0, 1]);
});

// Settings

test('the layout of guides begins with the defaults of the carrier', async () => {
  const instance = await shared.another();

  const { guide, carrier, guide_url } = await settingsOf(instance);

  assert.deepEqual(guide, {
    destination_tax_id: 'XAXX010101000',
    country: 'MEXICO',
    package_code: '3',
    content: 'COLCHON',
    delivery_type: '2',
    payment_form: 'PAID',
    acknowledgement: 'N',
    coverage: 'N',
    service_type: 'ST',
    product_id: '56101508',
  });
  assert.deepEqual([carrier, guide_url], ['paquetexpress', null]);
});

test('of two changes of the settings at one moment both stay', async () => {
  const instance = await shared.another();
  await act(instance, (scope) => changeSettings(scope, OPERATOR, {}));

  await atOnce(
    instance,
    (scope) => changeSettings(scope, OPERATOR, { origin: ORIGIN }),
    () => act(instance, (scope) => changeSettings(scope, OPERATOR, { guide: { content: 'ROPA' } })),
  );

  const { origin, guide } = await settingsOf(instance);
  assert.deepEqual([origin, guide.content], [ORIGIN, 'ROPA']);
});

test('a change of settings leaves what it does not name, and who made it is kept', async () => {
  const instance = await shared.another();

  await act(instance, (scope) => changeSettings(scope, OPERATOR, { origin: ORIGIN }));
  await act(instance, (scope) =>
    changeSettings(scope, OPERATOR, { guide: { content: 'BASE DE CAMA' } }),
  );

  const { origin, guide } = await settingsOf(instance);
  assert.deepEqual([origin, guide.content, guide.package_code], [ORIGIN, 'BASE DE CAMA', '3']);
  const kept = await query(
    instance,
    "select actor_id, details from warehouse_actions where organization_id = $1 and action = 'change_settings'",
    [instance.organization.id],
  );
  assert.deepEqual(kept, [
    { actor_id: 'terminal', details: '{"changed":["origin"]}' },
    { actor_id: 'terminal', details: '{"changed":["guide"]}' },
  ]);
});

for (const [what, change, param, says] of [
  ['an unknown field', { carriers: 'x' }, 'settings', /no conoce: carriers/],
  ['an unknown carrier', { carrier: 'dhl' }, 'settings.carrier', /zipnova, paquetexpress/],
  [
    'a tax id that is none',
    { guide: { destination_tax_id: 'X' } },
    'settings.guide.destination_tax_id',
    /RFC/,
  ],
  [
    'a product id of seven digits',
    { guide: { product_id: '5610150' } },
    'settings.guide.product_id',
    /ocho dígitos/,
  ],
  [
    'an unknown service',
    { guide: { service_type: 'XX' } },
    'settings.guide.service_type',
    /ST, 2D, DS, A12, MD/,
  ],
  [
    'an unknown field of the layout',
    { guide: { weight: 1 } },
    'settings.guide',
    /no conoce: weight/,
  ],
  ['an open address', { guide_url: 'http://qa.example.com' }, 'settings.guide_url', /https/],
  ['a port', { guide_url: 'https://qa.example.com:8443' }, 'settings.guide_url', /sin puerto/],
  ['an address inside', { guide_url: 'https://10.0.0.7' }, 'settings.guide_url', /pública/],
  ['a rule for everything', { own_fleet: [{}] }, 'settings.own_fleet.0', /al menos una condición/],
  [
    'a wrong origin',
    { origin: { ...ORIGIN, zipcode: 'x' } },
    'settings.origin.zipcode',
    /cinco dígitos/,
  ],
] as const)
  test(`settings are refused in Spanish: ${what}`, async () => {
    const instance = await shared.another();

    const error = await refused('invalid_request', () =>
      act(instance, (scope) => changeSettings(scope, OPERATOR, change)),
    );

    assert.equal(error.param, param);
    assert.match(error.message, says);
    assert.equal((await settingsOf(instance)).origin, null);
  });

test('own fleet is what one of the rules fits whole', async () => {
  const instance = await shared.another();
  await instance.record([
    anOrder({ id: '1', tags: ['flota'] }),
    anOrder({ id: '2' }),
    anOrder({ id: '3', marketplace: 'amazon', accountId: 'A9' }),
  ]);
  const own_fleet = [{ marketplace: 'mercado_libre', tag: 'flota' }, { account_id: 'A9' }];
  const settings = await act(instance, (scope) => changeSettings(scope, OPERATOR, { own_fleet }));

  const own = (await linesOf(instance)).filter((line) => isOwnFleet(settings, line));

  assert.deepEqual(own.flatMap(({ orders }) => orders.map(({ id }) => id)).sort(), ['1', '3']);
});

function act<T>(instance: TestApp, work: (scope: WriteScope) => Promise<T>): Promise<T> {
  return instance.app.database.within(instance.organization.id).write(work);
}

/** `second` begins before the transaction of `first` ends; it waits, or goes on without waiting. */
async function atOnce(
  instance: TestApp,
  first: (scope: WriteScope) => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<void> {
  const isDone = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const held = act(instance, async (scope) => {
    await first(scope);
    isDone.resolve();
    await mayEnd.promise;
  });
  await Promise.race([isDone.promise, held]);
  const other = second();
  await Promise.race([someoneWaits(instance.app.database), other]).finally(() => mayEnd.resolve());
  await Promise.all([held, other]);
}

function changed(given: Partial<Order>, hoursLater = 0): Order {
  const at = LATER.add({ hours: hoursLater });
  return anOrder({ ...given, changedAt: at, fetchedAt: at });
}

/** An order whose line has a typed number. @returns the line */
async function numbered(instance: TestApp): Promise<string> {
  await instance.record([anOrder()]);
  const { id } = await lineOf(instance, '2000000000000001');
  await act(instance, (scope) => setTracking(scope, PACKER, id, TRACKING));
  return id;
}

/** An order whose parcel left for shipments. @returns its line */
async function transferred(instance: TestApp): Promise<string> {
  const id = await numbered(instance);
  await act(instance, (scope) => transferLine(scope, PACKER, id));
  return id;
}

async function alerts(instance: TestApp): Promise<unknown[]> {
  const rows = await alertsOf(instance, instance.organization.id);
  return rows.map(({ message }) => message);
}

async function shipmentSeen(instance: TestApp, category: string): Promise<void> {
  await query(
    instance,
    `insert into shipments (organization_id, carrier, account_id, id, connection_id, tracking_number, category,
       carrier_status, is_final, is_damaged, currency, created_at, packages, relations, fetched_at, recorded_at,
       updated_at, fingerprint, raw)
     values ($1, 'paquetexpress', 'x', $2, $1, $2, $3, 'TRN', false, false, 'MXN', now(), '[]', '[]', now(), now(), now(), '', '')`,
    [instance.organization.id, TRACKING.trackingNumber, category],
  );
}

async function doneTo(instance: TestApp, lineId: string): Promise<string[][]> {
  const actions = await instance.app.database
    .within(instance.organization.id)
    .read((scope) => actionsOf(scope, lineId));
  return actions.map(({ action, actor }: Action) => [action, actor.kind, actor.id]);
}

async function parcels(instance: TestApp): Promise<string[][]> {
  const lines = await linesOf(instance);
  return lines.map(({ orders }) => orders.map(({ id }) => id)).sort();
}

async function ids(instance: TestApp, given: Parameters<typeof linesOf>[1]): Promise<string[]> {
  return (await linesOf(instance, given)).flatMap(({ orders }) => orders.map(({ id }) => id));
}

function page(instance: TestApp, given: object, organizationId = instance.organization.id) {
  const cursors = cursorMaker(instance.app.exchange.keyring);
  const query = {
    state: [],
    marketplace: [],
    accountId: null,
    number: null,
    hasGuide: null,
    isUnsettled: null,
    lineIds: [],
    readiness: null,
    limit: 2,
    cursor: null,
  };
  return instance.app.database
    .within(organizationId)
    .read((scope) => listLines(scope, cursors, { ...query, ...given }));
}

async function walk(instance: TestApp, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null = null; ; ) {
    const { lines, nextCursor } = await page(instance, { limit, cursor });
    pages.push(lines.flatMap(({ orders }) => orders.map(({ id }) => id)));
    if (nextCursor === null) return pages;
    cursor = nextCursor;
  }
}

function settingsOf(instance: TestApp) {
  return instance.app.database.within(instance.organization.id).read(logisticsSettings);
}

function named(contents: readonly { name: string; units: number }[]): string[] {
  return contents.map(({ name, units }) => `${name}×${units}`);
}

async function refused(code: string, work: () => Promise<unknown>): Promise<Failure> {
  const error = await work().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Failure, `no failure: ${error}`);
  assert.equal(error.code, code);
  return error;
}
