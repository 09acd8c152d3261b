import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import {
  documentsOf,
  forgetAllDocuments,
  forgetBuyers,
  forgetDocuments,
  type Order,
  type OrderIdentity,
} from '../src/features/orders/index.ts';
import { sql as MIGRATION } from '../src/platform/db/migrations/0014-documents.ts';
import { openShop, type Shop, WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openHouse } from './support/house.ts';
import { atDatabase, freshDatabase, someoneWaits } from './support/server.ts';

// What marketplaces said of orders, as it was received, and how it is forgotten.

const house = await openHouse(WHOLE_FILE);
const ACCOUNT = { marketplace: 'mercado_libre', accountId: '468424240' } as const;

test('every change keeps what it came with, letter by letter', async () => {
  const shop = await openShop(house);
  const texts = ['{"total": 10.00, "título":"Taza 🌮"}', '{\n\t"total":1e3,\r\n "b":"\\u001e"}', '{}'];
  for (const [index, raw] of texts.entries()) {
    house.clock.advance({ seconds: 1 });
    await shop.record(anOrder({ status: STATUSES[index] as Order['status'], raw }));
  }

  const kept = await documents(shop, anOrder());

  assert.deepEqual(
    kept.map(({ text }) => text),
    texts,
  );
  const [order] = await shop.orders();
  assert.deepEqual(kept.at(-1)?.recordedAt, Temporal.Instant.from(order.last_updated));
  assert.ok(Temporal.Instant.compare(kept[0]?.recordedAt as never, kept[1]?.recordedAt as never) < 0);
});

test('what says nothing new is not kept, and neither is what no marketplace said', async () => {
  const shop = await openShop(house);
  await shop.record(anOrder({ raw: '{"a":1}' }), anOrder({ id: 'importada', raw: null }));
  await shop.record(anOrder({ raw: '{"a":2}' }));

  assert.deepEqual(await textsOf(shop, anOrder()), ['{"a":1}']);
  assert.deepEqual(await textsOf(shop, anOrder({ id: 'importada' })), []);
});

test('what one write keeps of an account is one entry, and of each account an own one', async () => {
  const shop = await openShop(house);
  const orders = ['1', '2', '3'].flatMap((id) => [
    anOrder({ id, raw: `{"id":${id},"of":"first"}` }),
    anOrder({ id, accountId: 'another', raw: `{"id":${id},"of":"another"}` }),
  ]);
  await shop.record(...orders);

  assert.equal((await entries(shop)).length, 2);
  for (const order of orders) assert.deepEqual(await textsOf(shop, order), [order.raw]);
});

test('documents that repeat each other’s words take little room', async () => {
  const shop = await openShop(house);
  const raw = (id: string) => JSON.stringify({ id, tags: Array.from({ length: 40 }, () => 'entregada') });
  const ids = Array.from({ length: 50 }, (_, index) => String(index));
  await shop.record(...ids.map((id) => anOrder({ id, raw: raw(id) })));

  const [entry] = await entries(shop);

  assert.ok(Number(entry?.documents.length) * 10 < ids.map(raw).join().length);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '31' })), [raw('31')]);
});

test('who is forgotten is in no document any more, however old, and the others keep theirs', async () => {
  const shop = await openShop(house);
  await change(shop, 'paid', ['1', '2', '3']);
  await change(shop, 'shipped', ['1', '2']);
  await change(shop, 'delivered', ['1']);

  await forget(shop, ['1']);

  assert.deepEqual(await textsOf(shop, anOrder({ id: '1' })), []);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '2' })), ['{"paid":"2"}', '{"shipped":"2"}']);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '3' })), ['{"paid":"3"}']);
  const left = await entries(shop);
  assert.equal(left.length, 2, 'an entry with nothing left in it goes');
  for (const { documents } of left) assert.doesNotMatch(brotliDecompressSync(documents).toString(), /"1"/);
});

test('several who came at different times are forgotten at once', async () => {
  const shop = await openShop(house);
  await change(shop, 'paid', ['1']);
  await change(shop, 'paid', ['2', '3']);
  await change(shop, 'shipped', ['3']);

  await forget(shop, ['1', '3']);

  assert.deepEqual(await Promise.all(['1', '2', '3'].map((id) => textsOf(shop, anOrder({ id })))), [
    [],
    ['{"paid":"2"}'],
    [],
  ]);
});

test('those who are forgotten at the same time are all forgotten', async () => {
  const shop = await openShop(house);
  await change(shop, 'paid', ['1', '2', '3']);

  let second: Promise<void> | undefined;
  await within(shop).write(async (scope) => {
    await forgetDocuments(scope, ACCOUNT, ['1']);
    second = forget(shop, ['3']);
    await someoneWaits(house.house.database);
  });
  await second;

  assert.deepEqual(await Promise.all(['1', '2', '3'].map((id) => textsOf(shop, anOrder({ id })))), [
    [],
    ['{"paid":"2"}'],
    [],
  ]);
});

test('of who is forgotten for good nothing is kept again', async () => {
  const shop = await openShop(house);
  await change(shop, 'paid', ['1']);
  await forget(shop, ['1']);

  await change(shop, 'shipped', ['1', '2']);

  assert.deepEqual(await textsOf(shop, anOrder({ id: '1' })), []);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '2' })), ['{"shipped":"2"}']);
});

test('an account that is forgotten leaves no document, and others keep theirs', async () => {
  const shop = await openShop(house);
  const other = anOrder({ accountId: 'another', raw: '{"of":"another"}' });
  await change(shop, 'paid', ['1', '2']);
  await shop.record(other);

  await within(shop).write((scope) => forgetAllDocuments(scope, ACCOUNT));

  assert.deepEqual(await textsOf(shop, anOrder({ id: '1' })), []);
  assert.deepEqual(await textsOf(shop, other), ['{"of":"another"}']);
});

test('what was kept in orders’ rows before is read and forgotten like the rest', async (t) => {
  const database = await freshDatabase();
  await atDatabase(database, async (client) => {
    await client.query('drop table order_documents; alter table orders add column raw text');
  });
  const before = await openHouse(t, { database });
  const shop = await openShop(before);
  await shop.record(...['1', '2', '3'].map((id) => anOrder({ id })));
  await atDatabase(database, async (client) => {
    await client.query(`update orders set raw = '{"é":' || id || '}' where id <> '3'`);
    await client.query(MIGRATION);
  });
  const read = (id: string) =>
    before.house.database
      .within(shop.organization.id)
      .read((scope) => documentsOf(scope, anOrder({ id })))
      .then((kept) => kept.map(({ text }) => text));

  assert.deepEqual(await read('1'), ['{"é":1}']);
  assert.deepEqual(await read('3'), []);
  await forget(shop, ['1'], before.house);
  assert.deepEqual([await read('1'), await read('2')], [[], ['{"é":2}']]);
});

const STATUSES = ['paid', 'shipped', 'delivered'] as const;

async function change(shop: Shop, status: Order['status'], ids: readonly string[]): Promise<void> {
  house.clock.advance({ seconds: 1 });
  await shop.record(...ids.map((id) => anOrder({ id, status, raw: `{"${status}":"${id}"}` })));
}

/** As a privacy request does. */
async function forget(shop: Shop, ids: readonly string[], { database } = house.house): Promise<void> {
  const organization = database.within(shop.organization.id);
  await organization.write((scope) => forgetBuyers(scope, ACCOUNT, ids, { forGood: true, listeners: [] }));
  await organization.write((scope) => forgetDocuments(scope, ACCOUNT, ids));
}

function documents(shop: Shop, { marketplace, accountId, id }: OrderIdentity) {
  return within(shop).read((scope) => documentsOf(scope, { marketplace, accountId, id }));
}

async function textsOf(shop: Shop, order: OrderIdentity): Promise<string[]> {
  return (await documents(shop, order)).map(({ text }) => text);
}

function entries(shop: Shop): Promise<{ documents: Buffer }[]> {
  return house.house.database.write((handle) =>
    handle.sql('select documents from order_documents where organization_id = $1', [shop.organization.id]),
  ) as Promise<{ documents: Buffer }[]>;
}

function within({ organization }: Shop) {
  return house.house.database.within(organization.id);
}
