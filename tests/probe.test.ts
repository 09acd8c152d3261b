import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTiendanube } from '../simulators/tiendanube/index.ts';
import { startZipnova } from '../simulators/zipnova/index.ts';
import { type Probe, probeConnection } from '../src/exchange/probe/probe-connection.ts';
import { redact } from '../src/exchange/probe/redact.ts';
import { connectionById } from '../src/features/connections/index.ts';
import type { Answer } from '../src/platform/network.ts';
import { openApp, type TestApp } from './support/app.ts';
import { query } from './support/market.ts';
import { openSender } from './support/paquetexpress.ts';
import { STANDS } from './support/stands.ts';

// A first look at a real account: what each documented read answers, and what of it we do not know.

for (const stand of STANDS)
  test(`${stand.marketplace} (pages of ${stand.pageSize}): every read is made once, and nothing is stored or changed`, async (t) => {
    const instance = await openApp(t);
    const shop = await stand.start({
      seed: `probe ${stand.marketplace}`,
      now: () => instance.clock.now().epochMilliseconds,
      limited: false,
    });
    t.after(shop.close);
    shop.world.fill({ orders: 20, days: 10 });
    instance.clock.advance({ minutes: 10 });
    const id = await instance.connect(stand.marketplace, {
      url: shop.url,
      credentials: shop.credentials(),
    });
    const before = shop.requests.length;

    const { reads } = await probe(instance, id);

    assert.equal(reads[0]?.read, 'check');
    assert.equal(reads[0]?.outcome, 'answered');
    const orders = named(reads, 'orders');
    assert.equal(orders.outcome, 'answered');
    assert.ok(orders.calls.length > 0);
    const refused = reads.filter(
      ({ outcome }) => outcome === 'refused' || outcome === 'unreadable',
    );
    assert.deepEqual(refused, []);
    assert.deepEqual(
      reads.flatMap(({ unknown_words }) => unknown_words),
      [],
    );
    assert.deepEqual(
      reads.flatMap(({ set_aside }) => set_aside),
      [],
    );
    const sent = shop.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
    const changing = sent.filter((line) =>
      /^(PUT|DELETE|PATCH)|^POST .*(config|webhook|subscription)/i.test(line),
    );
    assert.deepEqual(changing, []);
    const [stored] = await query(instance, 'select count(*)::int as n from orders', []);
    assert.equal(stored?.n, 0);
  });

test('both carriers are probed as marketplaces are', async (t) => {
  const instance = await openApp(t);
  const zipnova = await startZipnova({ now: () => instance.clock.now().epochMilliseconds });
  t.after(zipnova.close);
  const id = await instance.connect('zipnova', {
    url: zipnova.url,
    credentials: zipnova.credentials(),
  });
  const { reads } = await probe(instance, id);
  assert.deepEqual(
    reads.filter(({ outcome }) => outcome !== 'answered'),
    [],
  );

  const sender = await openSender(instance, t);
  const own = await probe(instance, sender.connectionId, sender.organization.id);
  assert.deepEqual(
    own.reads.filter(({ outcome }) => outcome !== 'answered'),
    [],
  );
});

test('a field that is gone, one that is new, a word that no table has and a broken row are reported by their names', async (t) => {
  const { instance, id, alter } = await openAltered(t);
  alter((orders) => {
    for (const order of orders) {
      delete order.payment_status;
      order.metaverse = { avatar: 'x' };
    }
    if (orders[0]) orders[0].shipping_status = 'teleported';
    if (orders[1]) orders[1].created_at = 'ayer';
  });

  const orders = named((await probe(instance, id)).reads, 'orders');

  const [call] = orders.calls.filter(({ path }) => path.includes('orders'));
  assert.ok(call?.unknown_fields.includes('[].metaverse'));
  assert.ok(!call?.unknown_fields.includes('[].metaverse.avatar'), 'reported once, by the part');
  assert.ok(call?.missing_fields.includes('[].payment_status'));
  assert.ok(orders.unknown_words.includes('teleported'));
  assert.equal(orders.set_aside.length, 1);
  assert.match(orders.set_aside[0]?.reason ?? '', /created_at/);
});

test('a read that is refused is reported with its status, and the others are made all the same', async (t) => {
  const { instance, id, refuse } = await openAltered(t);
  refuse(/\/orders/);

  const { reads } = await probe(instance, id);

  assert.equal(named(reads, 'orders').outcome, 'refused');
  assert.deepEqual(
    named(reads, 'orders').calls.map(({ status }) => status),
    [403],
  );
  assert.equal(named(reads, 'inventory').outcome, 'answered');
});

test('documents that are kept have the shape of what came, and nothing that names a person', async (t) => {
  const { instance, id, shop } = await openAltered(t);
  const { documents } = await probe(instance, id);

  const text = documents.map((document) => document.text).join('\n');
  const [order] = shop.world.orders();
  assert.ok(order && text.length > 1_000);
  for (const personal of [
    order.buyer.email,
    order.buyer.phone,
    order.buyer.lastName,
    order.buyer.address.street,
    order.id,
  ])
    assert.ok(!text.includes(personal), personal);
  const kept = documents.find(({ name }) => name === 'orders-1.json');
  const [first] = JSON.parse(kept?.text ?? '[]');
  assert.equal(first.payment_status, 'paid');
  assert.match(first.created_at, /^\d{4}-\d\d-\d\dT/);
  assert.equal(first.currency, 'MXN');
});

test('one identifier becomes the same other one everywhere, and another one in another run', () => {
  const document = {
    id: '2000004567',
    related: ['2000004567'],
    phone: '5512345678',
    status: 'ready_to_ship',
  };
  const once = redact(document, 'a') as typeof document;
  assert.equal(once.id, once.related[0]);
  assert.match(once.id, /^2\d{9}$/);
  assert.notEqual(once.id, document.id);
  assert.notEqual(once.id, (redact(document, 'b') as typeof document).id);
  assert.equal(once.status, 'ready_to_ship');
});

/** A store of Tiendanube whose answers are altered on their way. */
async function openAltered(t: Parameters<typeof openApp>[0]) {
  const instance = await openApp(t);
  const shop = await startTiendanube({
    seed: 'probe',
    now: () => instance.clock.now().epochMilliseconds,
  });
  t.after(shop.close);
  for (let count = 0; count < 3; count++) shop.world.pay(shop.world.place().id);
  instance.clock.advance({ minutes: 10 });
  const id = await instance.connect('tiendanube', {
    url: shop.url,
    credentials: shop.credentials(),
  });
  const { network } = instance.app.exchange;
  const { send } = network;
  const through = (change: (url: string, answer: Answer) => Answer) => {
    Object.assign(network, {
      send: async (...[outgoing, reach]: Parameters<typeof send>) =>
        change(outgoing.url, await send(outgoing, reach)),
    });
  };
  return {
    instance,
    id,
    shop,
    // biome-ignore lint/suspicious/noExplicitAny: documents of any shape
    alter: (change: (orders: any[]) => void) =>
      through((url, answer) => {
        if (!/\/orders\?/.test(url)) return answer;
        const orders = JSON.parse(answer.body);
        change(orders);
        return { ...answer, body: JSON.stringify(orders) };
      }),
    refuse: (path: RegExp) =>
      through((url, answer) => (path.test(url) ? { ...answer, status: 403, body: '{}' } : answer)),
  };
}

async function probe(
  instance: TestApp,
  id: string,
  organizationId = instance.organization.id,
): Promise<Probe> {
  const connection = await instance.app.database
    .within(organizationId)
    .read((scope) => connectionById(scope, id));
  assert.ok(connection);
  return probeConnection(instance.app.exchange, connection);
}

function named(reads: Probe['reads'], name: string): Probe['reads'][number] {
  return reads.find(({ read }) => read === name) ?? assert.fail(`no read ${name}`);
}
