import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Relation } from '../simulators/zipnova/parcels.ts';
import { annotate, type Order } from '../src/features/orders/index.ts';
import { sql as MIGRATION } from '../src/platform/db/migrations/0021-carriers.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp } from './support/app.ts';
import { query } from './support/market.ts';
import { openParcels, type Parcelled } from './support/parcels.ts';
import { unsealShipments } from './support/unsealed.ts';

// Shipments and the orders that they carry: found in either order of arrival, shown in both, and
// listed. Also runs on served PostgreSQL and Redis.

const shared = await openApp(WHOLE_FILE);

test('an order shows its parcel where the marketplace is silent, and moves in the delta', {
  tags: ['slow'],
}, async (t) => {
  const { own, sim, connect, deliver, shipments } = await openParcels(t, { shared });
  await own.record([woo('1001')]);
  await connect();
  const before = (await own.api('/v1/orders/1001')).body.data.last_updated;
  own.clock.advance({ hours: 1 });
  const parcel = sim.parcels.make({ relations: [of({ order_id: '1001' })] });
  sim.parcels.move(parcel.id, 'in_transit');

  await deliver();

  const { data } = (await own.api('/v1/orders/1001')).body;
  assert.deepEqual(data.shipping, {
    carrier: 'Transportes del Bajío',
    tracking_number: `ZN${parcel.id}`,
    method: 'standard_delivery',
    status: 'EN_TRANSITO',
    shipped_at: '2026-11-16T19:00:00.000Z',
    delivered_at: null,
  });
  assert.ok(data.last_updated > before);
  const delta = await own.api('/v1/orders', { updated_since: '2026-11-16T18:30:00Z' });
  assert.deepEqual(
    delta.body.data.map(({ id }: { id: string }) => id),
    ['1001'],
  );
  assert.equal((await shipments({ orderId: '1001' }))[0]?.id, String(parcel.id));
});

test('an order that comes after its parcel finds it', async (t) => {
  const { own, sim, connect, shipments } = await openParcels(t, { shared });
  const parcel = sim.parcels.make({ relations: [of({ pack_id: '2000009' })], code: 'in_transit' });
  await connect();
  assert.equal((await shipments())[0]?.order_ref.order_id, null);

  await own.record([woo('77', { packId: '2000009' })]);

  assert.deepEqual((await shipments())[0]?.order_ref, {
    reference: parcel.externalId,
    marketplace: 'woocommerce',
    account_id: 'tienda',
    order_id: '77',
  });
  assert.equal((await shippingOf(own, '77')).tracking_number, `ZN${parcel.id}`);
});

test('an order whose pack is known later finds its parcel then, and loses it with the pack', async (t) => {
  const { own, sim, connect, shipments } = await openParcels(t, { shared });
  sim.parcels.make({ relations: [of({ pack_id: '2000009' })] });
  await connect();
  await own.record([woo('77')]);
  assert.equal((await shipments())[0]?.order_ref.order_id, null);

  for (const [packId, linked] of [
    ['2000009', '77'],
    ['3000000', null],
  ]) {
    own.clock.advance({ minutes: 1 });
    await own.record([woo('77', { packId: packId as string, fetchedAt: own.clock.now() })]);
    assert.equal((await shipments())[0]?.order_ref.order_id, linked);
  }
});

test('the marketplace’s data of its own parcel stays, and the rest is filled in', async (t) => {
  const { own, sim, connect } = await openParcels(t, { shared });
  const said = { carrier: 'Estafeta', method: 'Express' };
  await own.record([
    woo('1', { shipping: shipping(said) }),
    woo('2', { shipping: shipping({ trackingNumber: 'OTRA' }) }),
  ]);
  for (const id of ['1', '2'])
    sim.parcels.make({ relations: [of({ order_id: id })], code: 'in_transit' });

  await connect();

  const [first, second] = [await shippingOf(own, '1'), await shippingOf(own, '2')];
  assert.deepEqual(
    [first.carrier, first.method, first.status],
    ['Estafeta', 'Express', 'EN_TRANSITO'],
  );
  assert.deepEqual(
    [second.tracking_number, second.carrier, second.status],
    ['OTRA', null, null],
    'another parcel reports nothing of this one',
  );
});

test('a later fetch of the order neither loses its parcel nor moves it', async (t) => {
  const { own, sim, connect, deliver } = await openParcels(t, { shared });
  await own.record([woo('1001')]);
  const parcel = sim.parcels.make({ relations: [of({ order_id: '1001' })], code: 'in_transit' });
  await connect();
  const shown = (await own.api('/v1/orders/1001')).body.data;
  own.clock.advance({ minutes: 10 });

  const again = await own.record([woo('1001', { fetchedAt: own.clock.now() })]);
  assert.equal(again.changed, 0);
  assert.deepEqual((await own.api('/v1/orders/1001')).body.data, shown);

  await own.record([woo('1001', { status: 'shipped', fetchedAt: own.clock.now() })]);
  const { data } = (await own.api('/v1/orders/1001')).body;
  assert.deepEqual([data.status, data.shipping], ['shipped', shown.shipping]);

  sim.parcels.move(parcel.id, 'delivered');
  await deliver();
  assert.equal((await shippingOf(own, '1001')).status, 'ENTREGADO');
});

test('a source without the shipping this time keeps what is stored, and the parcel beside it', async (t) => {
  const { own, sim, connect, deliver } = await openParcels(t, { shared });
  await own.record([woo('5', { shipping: shipping({ method: 'Terrestre' }) })]);
  const parcel = sim.parcels.make({ relations: [of({ order_id: '5' })], code: 'in_transit' });
  await connect();
  own.clock.advance({ minutes: 5 });
  await own.record([woo('5', { shipping: null, keep: ['shipping'], fetchedAt: own.clock.now() })]);
  sim.parcels.move(parcel.id, 'not_delivered');

  await deliver();

  const { method, status } = await shippingOf(own, '5');
  assert.deepEqual([method, status], ['Terrestre', 'INCIDENCIA']);
});

const RELATIONS: Record<
  string,
  { relation: Partial<Relation>; reference?: string; linked: string | null }
> = {
  'its id at the marketplace': { relation: { order_id: '100' }, linked: '100' },
  'its pack': { relation: { pack_id: '9000' }, linked: '200' },
  'a tag that names it': { relation: { tags: ['paquete', '55550001'] }, linked: '300' },
  'the seller’s own reference': { relation: {}, reference: '100', linked: '100' },
  'a pack of several orders': { relation: { pack_id: '8000' }, linked: null },
  'an id of another channel': { relation: { order_id: '100', channel: 'Shopify' }, linked: null },
  'a tag that many bear': { relation: { tags: ['pagada'] }, linked: null },
  'an id that several accounts have': { relation: { order_id: '400' }, linked: null },
};

for (const [what, { relation, reference, linked }] of Object.entries(RELATIONS)) {
  test(`a shipment that names ${what} is of ${linked ? 'that order' : 'none'}`, async (t) => {
    const { own, sim, connect, shipments } = await openParcels(t, { shared });
    await own.record([
      woo('100', { tags: ['pagada'] }),
      woo('200', { packId: '9000' }),
      woo('300', { tags: ['55550001'] }),
      woo('401', { packId: '8000' }),
      woo('402', { packId: '8000' }),
      woo('400'),
      woo('400', { accountId: 'otra' }),
    ]);
    sim.parcels.make({ relations: [of(relation)], ...(reference && { externalId: reference }) });

    await connect();

    assert.equal((await shipments())[0]?.order_ref.order_id, linked);
  });
}

test('a link that is no longer the only one is taken back, from the order too', async (t) => {
  const { own, sim, connect, shipments } = await openParcels(t, { shared });
  await own.record([woo('400')]);
  sim.parcels.make({ relations: [of({ order_id: '400' })] });
  await connect();
  assert.equal((await shipments())[0]?.order_ref.order_id, '400');

  await own.record([woo('400', { accountId: 'otra' })]);

  assert.equal((await shipments())[0]?.order_ref.order_id, null);
  for (const account of ['tienda', 'otra'])
    assert.equal(
      (await own.api('/v1/orders/400', { account_id: account })).body.data.shipping,
      null,
    );
});

test('an order that was sent anew shows the parcel that goes', async (t) => {
  const { own, sim, connect } = await openParcels(t, { shared });
  await own.record([woo('1')]);
  const at = own.clock.now().epochMilliseconds;
  const relations = [of({ order_id: '1' })];
  const sent = sim.parcels.make({ relations, at: at - 7_200_000, code: 'in_transit' });
  sim.parcels.make({ relations, at: at - 3_600_000, code: 'cancelled' });

  await connect();

  assert.equal((await shippingOf(own, '1')).tracking_number, `ZN${sent.id}`);
});

test('what a buyer sends back is a shipment of its own, and never the delivery of the order', async (t) => {
  const { own, sim, connect, deliver, shipments } = await openParcels(t);
  await own.record([woo('1')]);
  const relations = [of({ order_id: '1' })];
  const sent = sim.parcels.make({ relations, code: 'in_transit' });
  await connect();
  sim.parcels.move(sent.id, 'delivered');
  await deliver();
  const delivered = (await own.api('/v1/orders/1')).body.data;
  assert.equal(delivered.shipping.delivered_at, '2026-11-16T18:00:00.000Z');

  const back = sim.parcels.make({ relations, isReturn: true });
  for (const code of ['in_transit', 'delivered']) {
    own.clock.advance({ hours: 24 });
    sim.parcels.move(back.id, code);
    await deliver();
  }

  assert.deepEqual((await own.api('/v1/orders/1')).body.data, delivered, 'the order moved by it');
  const listed = await shipments({ orderId: '1' });
  assert.deepEqual(
    listed.map(({ id, is_return, status }) => [id, is_return, status]),
    [
      [String(back.id), true, 'ENTREGADO'],
      [String(sent.id), false, 'ENTREGADO'],
    ],
  );
});

for (const first of ['the return', 'the parcel that it brings back'])
  test(`a return that names no order finds it by its parent, also when ${first} is known first`, async (t) => {
    const { own, sim, connect, deliver, shipments } = await openParcels(t, { shared });
    await own.record([woo('1')]);
    await connect();
    const sent = sim.parcels.make({ relations: [of({ order_id: '1' })], code: 'delivered' });
    const back = sim.parcels.make({ isReturn: true, parent: sent.id });
    const later = first === 'the return' ? sent : back;
    const shown = sim.parcels.find;
    sim.parcels.find = (id) => (id === later.id ? undefined : shown(id));
    await deliver();
    assert.equal((await shipments()).length, 1);

    sim.parcels.find = shown;
    sim.webhooks.push(11_600, 'shipment', { account_id: 11_600, shipment_id: later.id });
    await deliver();

    const [one] = (await shipments({ orderId: '1' })).filter(({ is_return }) => is_return);
    assert.deepEqual([one?.id, one?.parent_id], [String(back.id), String(sent.id)]);
    assert.equal((await shippingOf(own, '1')).tracking_number, `ZN${sent.id}`);
  });

test('an order that comes after its parcel and the return of it finds both', async (t) => {
  const { own, sim, connect, shipments } = await openParcels(t, { shared });
  const sent = sim.parcels.make({ relations: [of({ order_id: '1' })], code: 'delivered' });
  sim.parcels.make({ isReturn: true, parent: sent.id, code: 'in_transit' });
  await connect();

  await own.record([woo('1')]);

  assert.equal((await shipments({ orderId: '1' })).length, 2);
  assert.equal((await shippingOf(own, '1')).status, 'ENTREGADO');
});

test('a parcel that could not be delivered shows so, and the one made to bring it back does not replace it', async (t) => {
  const { own, sim, connect } = await openParcels(t, { shared });
  await own.record([woo('1')]);
  const relations = [of({ order_id: '1' })];
  const sent = sim.parcels.make({ relations, code: 'in_transit' });
  sim.parcels.move(sent.id, 'generated_return');
  const back = sim.parcels.make({ relations, parent: sent.id, code: 'return_xd_pending' });
  own.clock.advance({ hours: 1 });
  for (const code of ['in_transit_to_seller', 'delivered']) sim.parcels.move(back.id, code);

  await connect();

  const { status, tracking_number } = await shippingOf(own, '1');
  assert.deepEqual([status, tracking_number], ['DEVOLUCION', `ZN${sent.id}`]);
});

test('an order with nothing but a return shows no delivery', { tags: ['slow'] }, async (t) => {
  const { own, sim, connect } = await openParcels(t, { shared });
  await own.record([woo('1')]);
  sim.parcels.make({ relations: [of({ order_id: '1' })], isReturn: true, code: 'delivered' });

  await connect();

  assert.equal((await own.api('/v1/orders/1')).body.data.shipping, null);
});

test('the sender of a returned parcel is not kept, neither apart nor in the document', async (t) => {
  const { own, sim, connect } = await openParcels(t, { shared });
  sim.parcels.make({ isReturn: true });

  await connect();

  await unsealShipments(own);
  const [row] = await query(own, 'select raw, origin from shipments where organization_id = $1', [
    own.organization.id,
  ]);
  const place = { city: 'Naucalpan', state: 'Estado de México', zipcode: '53370' };
  assert.deepEqual(JSON.parse(String(row?.origin)), place);
  assert.deepEqual(JSON.parse(String(row?.raw)).shipment.origin, place);
});

test('an order that showed a return as its delivery before returns were distinguished is corrected without events', {
  tags: ['slow'],
}, async (t) => {
  const { own, sim, connect, work } = await openParcels(t);
  await own.record([woo('1')]);
  const relations = [of({ order_id: '1' })];
  const sent = sim.parcels.make({ relations, code: 'delivered' });
  own.clock.advance({ hours: 24 });
  const back = sim.parcels.make({ relations, isReturn: true, parent: sent.id, code: 'in_transit' });
  await connect();
  await own.app.database.within(own.organization.id).write((scope) =>
    annotate(
      scope,
      [
        {
          order: woo('1'),
          annotation: { shipping: shipping({ trackingNumber: `ZN${back.id}` }) },
        },
      ],
      [],
    ),
  );
  assert.equal((await shippingOf(own, '1')).tracking_number, `ZN${back.id}`);
  const reported = await query(own, 'select 1 from events');

  await unsealShipments(own);
  await query(own, 'alter table shipments drop column is_return, drop column parent_id');
  await query(own, 'alter table guide_batches drop column account_id');
  await query(own, MIGRATION);
  await work();

  assert.equal((await shippingOf(own, '1')).tracking_number, `ZN${sent.id}`);
  assert.deepEqual(await query(own, 'select id, parent_id from shipments where is_return'), [
    { id: String(back.id), parent_id: String(sent.id) },
  ]);
  assert.deepEqual(await query(own, 'select 1 from events'), reported);
});

/**
 * States of an order's parcels, each an hour after the one before, and which of them speaks for the
 * order.
 */
const SEVERAL: Record<string, { codes: readonly string[]; speaks: number; status: string }> = {
  'delivered only when all are': {
    codes: ['delivered', 'in_transit'],
    speaks: 1,
    status: 'EN_TRANSITO',
  },
  'delivered when the last one is': {
    codes: ['delivered', 'delivered'],
    speaks: 1,
    status: 'ENTREGADO',
  },
  'in preparation while one is': { codes: ['new', 'in_transit'], speaks: 0, status: 'PREPARACION' },
  'in trouble while one is': { codes: ['not_delivered', 'new'], speaks: 0, status: 'INCIDENCIA' },
  'not reported by one that was sent anew': {
    codes: ['reshipped', 'delivered'],
    speaks: 1,
    status: 'ENTREGADO',
  },
  'of what replaced a lost one': {
    codes: ['lost', 'in_transit'],
    speaks: 1,
    status: 'EN_TRANSITO',
  },
  'called off when all were': { codes: ['cancelled', 'cancelled'], speaks: 1, status: 'CANCELADO' },
};

for (const [what, { codes, speaks, status }] of Object.entries(SEVERAL))
  test(`an order of several parcels is ${what}`, async (t) => {
    const { own, sim, connect } = await openParcels(t);
    await own.record([woo('1')]);
    const made = codes.map((code) => {
      own.clock.advance({ hours: 1 });
      return sim.parcels.make({ relations: [of({ order_id: '1' })], code });
    });

    await connect();

    const shown = await shippingOf(own, '1');
    const speaker = made[speaks] as (typeof made)[number];
    assert.equal(shown.status, status);
    assert.equal(
      shown.tracking_number,
      speaker.moments[0]?.code === 'new' ? `0999-00${speaker.id}` : `ZN${speaker.id}`,
    );
    if (status === 'ENTREGADO')
      assert.equal(
        Date.parse(shown.delivered_at),
        speaker.madeAt,
        'the moment of the last delivery',
      );
  });

test('of two parcels that left together a lost one is not replaced by the other', async (t) => {
  const { own, sim, connect } = await openParcels(t, { shared });
  await own.record([woo('1')]);
  const relations = [of({ order_id: '1' })];
  const [lost, arrived] = [sim.parcels.make({ relations }), sim.parcels.make({ relations })];
  own.clock.advance({ hours: 1 });
  for (const { id } of [lost, arrived]) sim.parcels.move(id, 'in_transit');
  own.clock.advance({ hours: 1 });
  sim.parcels.move(lost.id, 'lost');
  sim.parcels.move(arrived.id, 'delivered');

  await connect();

  const { status, delivered_at } = await shippingOf(own, '1');
  assert.deepEqual([status, delivered_at], ['SINIESTRADO', null]);
});

test('a step that the carrier took back is gone from the shipment and its order within the day', {
  tags: ['slow'],
}, async (t) => {
  const { own, sim, connect, deliver, work, shipments } = await openParcels(t, { shared });
  await own.record([woo('1001')]);
  const parcel = sim.parcels.make({ relations: [of({ order_id: '1001' })], code: 'in_transit' });
  await connect();
  own.clock.advance({ hours: 1 });
  sim.parcels.move(parcel.id, 'not_delivered');
  await deliver();
  const mistaken = [(await shipments())[0]?.status, (await shippingOf(own, '1001')).status];

  sim.parcels.takeBack(parcel.id);
  assert.deepEqual(await deliver(), [], 'no webhook reports it');
  own.clock.advance({ hours: 25 });
  await work();

  assert.deepEqual(mistaken, ['INCIDENCIA', 'INCIDENCIA']);
  assert.deepEqual(
    [(await shipments())[0]?.status, (await shippingOf(own, '1001')).status],
    ['EN_TRANSITO', 'EN_TRANSITO'],
  );
  own.clock.advance({ hours: 1 });
  sim.parcels.move(parcel.id, 'delivered');
  await deliver();
  assert.equal((await shipments())[0]?.status, 'ENTREGADO');
});

test('shipments are listed by every filter, and page by page without a gap', async (t) => {
  const { own, sim, connect, page, shipments } = await openParcels(t, { shared });
  const at = own.clock.now().epochMilliseconds;
  const codes = ['new', 'in_transit', 'delivered', 'lost'];
  const made = Array.from({ length: 47 }, (_, n) =>
    sim.parcels.make({ at: at - Math.floor(n / 2) * 60_000, code: codes[n % 4] as string }),
  );
  await connect();
  const ids = async (query: Parameters<Parcelled['shipments']>[0]) =>
    (await shipments(query)).map(({ id }) => id);

  for (const filters of [
    {},
    { category: ['ENTREGADO', 'SINIESTRADO'] as const },
    { carrier: 'zipnova' as const },
  ]) {
    const whole = await ids(filters);
    const walked: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const { shipments: rows, nextCursor } = await page({ ...filters, limit: 5, cursor });
      walked.push(...rows.map(({ id }) => id));
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    assert.deepEqual(walked, whole);
  }
  assert.equal((await ids({})).length, 47);
  assert.equal((await ids({ category: ['ENTREGADO', 'SINIESTRADO'] })).length, 23);
  assert.deepEqual(await ids({ carrier: 'paquetexpress' }), []);
  const one = made[5] as (typeof made)[number];
  assert.deepEqual(await ids({ trackingNumber: `ZN${one.id}` }), [String(one.id)]);
  assert.deepEqual(await ids({ trackingNumber: `0999-${String(one.id).padStart(8, '0')}` }), [
    String(one.id),
  ]);
  assert.deepEqual(await ids({ trackingNumber: `ZN${one.id}`, category: ['SINIESTRADO'] }), []);
  const from = Temporal.Instant.fromEpochMilliseconds(at - 5 * 60_000);
  const to = Temporal.Instant.fromEpochMilliseconds(at - 60_000);
  assert.equal((await ids({ from, to })).length, 10, 'both bounds included');
  const { nextCursor } = await page({ limit: 5 });
  await assert.rejects(page({ cursor: nextCursor, category: ['ENTREGADO'] }), {
    code: 'invalid_cursor',
  });
});

function woo(id: string, changes: Partial<Order> = {}): Order {
  return anOrder({ id, marketplace: 'woocommerce', accountId: 'tienda', ...changes });
}

function of(relation: Partial<Relation>): Relation {
  return { channel: 'WooCommerce', order_id: null, pack_id: null, tags: [], ...relation };
}

function shipping(said: object) {
  const nothing = {
    carrier: null,
    trackingNumber: null,
    method: null,
    status: null,
    shippedAt: null,
    deliveredAt: null,
  };
  return { ...nothing, ...said };
}

async function shippingOf(own: Parcelled['own'], id: string) {
  return (await own.api(`/v1/orders/${id}`)).body.data.shipping;
}
