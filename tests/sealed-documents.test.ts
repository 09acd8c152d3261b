import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import type { Marketplace } from '../src/connectors/contract.ts';
import { configOf } from '../src/environment.ts';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { listSetAside, restartStreams } from '../src/features/connections/index.ts';
import {
  documentsOf,
  forgetBuyers,
  forgetDocuments,
  type Order,
  type OrderIdentity,
  packDocuments,
  recordOrders,
  thinDocuments,
} from '../src/features/orders/index.ts';
import { type Database, openDatabase } from '../src/platform/db/database.ts';
import { SealError } from '../src/platform/seal.ts';
import { launchCommand, runCommand } from './reliability/support/commands.ts';
import { openShop, type Shop, WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp } from './support/app.ts';
import { dumpOf, shownIn } from './support/dump.ts';
import { query } from './support/market.ts';
import { freshDatabase } from './support/server.ts';
import { openStage, type Stage } from './support/stand-stage.ts';
import { STAND_OF, STANDS } from './support/stands.ts';

// What is kept of buyers is sealed with a key of their organisation, itself sealed with the master
// key.

const instance = await openApp(WHOLE_FILE);
const ACCOUNT = { marketplace: 'mercado_libre', accountId: '468424240' } as const;
const WOOCOMMERCE = STAND_OF.woocommerce;
const BUNDLE = 'organization_id = $1';

test('a dump of the database shows no address, no e-mail and no telephone of a buyer', {
  tags: ['slow'],
}, async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const secrets = new Set<string>();
  let reported = 0;
  for (const stand of STANDS) {
    const stage = await openStage(own, stand, { seed: `dump ${stand.marketplace}`, orders: 4 });
    t.after(stage.shop.close);
    await stage.reconcile();
    for (const { buyer } of stage.shop.world.orders())
      for (const secret of [buyer.email, buyer.phone, buyer.address.street]) secrets.add(secret);
    const scope = own.app.database.within(stage.organizationId);
    for (const { id } of await stage.orders()) {
      const { accountId } = await stage.connection();
      const order = { marketplace: stand.marketplace, accountId, id };
      const texts = (await scope.read((reader) => documentsOf(reader, order))).map(
        ({ text }) => text,
      );
      reported += [...secrets].filter((secret) => texts.join().includes(secret)).length;
    }
  }

  assert.ok(reported > 50, `the documents name ${reported}`);
  assert.deepEqual(shownIn(await dumpOf(own), secrets), []);
});

test('what could not be read is sealed, too; the operator reads it', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const stage = await openStage(own, WOOCOMMERCE, { seed: 'aside', orders: 4 });
  t.after(stage.shop.close);
  makeUnreadable(stage);
  await stage.walk();
  const [aside] = await stage.unreadable();
  const order = stage.shop.world.orders().find(({ id }) => id === aside?.external_id);
  const { email, phone, address } = (order as typeof order & object).buyer;

  const asked = ['unreadable', '--organization', stage.organizationId, '--documents'];
  const { items } = await runCommand<{ items: { document: string }[] }>(own.env, asked);

  for (const secret of [email, phone, address.street])
    assert.ok(items[0]?.document.includes(secret));
  assert.deepEqual(shownIn(await dumpOf(own), new Set([email, phone, address.street])), []);
});

for (const when of ['before', 'after'] as const)
  test(`of an order that arrives unreadable no document is kept where its buyer was forgotten ${when} it came`, async (t) => {
    const stage = await openStage(instance, WOOCOMMERCE, { seed: `forgotten ${when}`, orders: 4 });
    t.after(stage.shop.close);
    const organization = instance.app.database.within(stage.organizationId);
    const { accountId } = await stage.connection();
    const ids = stage.shop.world.orders().map(({ id }) => id);
    const account = { marketplace: 'woocommerce', accountId } as const;
    const forget = () =>
      organization.write((scope) =>
        forgetBuyers(scope, account, ids, { forGood: true, listeners: [] }),
      );

    if (when === 'after') await stage.reconcile();
    await forget();
    await organization.write((scope) => restartStreams(scope, stage.connectionId));
    makeUnreadable(stage);
    await stage.walk();

    const [aside] = await organization.read(listSetAside);
    assert.ok(aside?.externalId, 'it is set aside');
    assert.equal(aside.document, null);
  });

test('a bundle that was altered does not open', async () => {
  const shop = await openShop(instance);
  await shop.record(anOrder({ raw: '{"a":1}' }));

  await ask(
    shop,
    `update order_documents
        set documents = set_byte(documents, octet_length(documents) - 1, get_byte(documents, octet_length(documents) - 1) # 1)
      where ${BUNDLE}`,
  );

  await assert.rejects(textsOf(shop, anOrder()), SealError);
});

for (const [what, change] of [
  [
    'organisation',
    'documents = (select documents from order_documents where organization_id = $2)',
  ],
  ['account', "account_id = 'another'"],
  ['marketplace', "marketplace = 'shopify'"],
  ['stamp', "recorded_at = recorded_at - interval '1 microsecond'"],
  ['order', "order_ids = '{another}'"],
] as const)
  test(`a bundle opens for no other ${what}`, async () => {
    const [shop, other] = [await openShop(instance), await openShop(instance)];
    await shop.record(anOrder({ raw: '{"of":"shop"}' }));
    await other.record(anOrder({ raw: '{"of":"other"}' }));

    const values = change.includes('$2') ? [other.organization.id] : [];
    await ask(shop, `update order_documents set ${change} where ${BUNDLE}`, values);

    const order = await orderOfBundle(shop);
    await assert.rejects(textsOf(shop, order), SealError);
    assert.deepEqual(await textsOf(other, anOrder()), ['{"of":"other"}']);
  });

test('documents that a former version kept are sealed by the housekeeping, and read the same before and after', {
  tags: ['slow'],
}, async () => {
  const [stuck, shop] = [await openShop(instance), await openShop(instance)];
  for (const one of [stuck, shop])
    for (let number = 0; number < 25; number++)
      await one.record(anOrder({ id: String(number), raw: `{"n":${number}}` }));
  for (const one of [stuck, shop]) await unseal(one);
  await ask(
    stuck,
    `alter table order_documents add constraint stuck check (organization_id <> '${stuck.organization.id}' or not is_sealed)`,
    null,
  );
  assert.deepEqual(await textsOf(shop, anOrder({ id: '7' })), ['{"n":7}']);

  await runHousekeeping(instance.app.exchange);

  const left = `select count(*)::int as count from order_documents where ${BUNDLE} and not is_sealed`;
  assert.deepEqual(await ask(shop, left), [{ count: 0 }]);
  assert.notDeepEqual(
    await ask(stuck, left),
    [{ count: 0 }],
    'what cannot be sealed holds up no other organisation',
  );
  for (const one of [stuck, shop])
    for (const number of [0, 7, 24])
      assert.deepEqual(await textsOf(one, anOrder({ id: String(number) })), [`{"n":${number}}`]);
  await ask(stuck, 'alter table order_documents drop constraint stuck', null);
});

test('a key that a write made goes with it where there is no commit; the next write makes another', async (t) => {
  const shop = await openShop(instance);
  const organization = instance.app.database.within(shop.organization.id);
  const failing = organization.write(async (scope) => {
    await scope.vault();
    throw new Error('no commit');
  });
  await assert.rejects(failing, /no commit/);

  await shop.record(anOrder({ raw: '{"a":1}' }));

  assert.deepEqual(await textsOf(shop, anOrder()), ['{"a":1}']);
  const another = anotherProcess(t, instance.env.MASTER_KEY as string);
  assert.deepEqual(await textsOf(shop, anOrder(), another), ['{"a":1}']);
});

test('two writes that need the first key at once make one', async () => {
  const shop = await openShop(instance);
  const organization = instance.app.database.within(shop.organization.id);
  await Promise.all(Array.from({ length: 4 }, () => organization.write((scope) => scope.vault())));

  assert.equal((await ask(shop, `select from data_keys where ${BUNDLE}`)).length, 1);
});

test('rotate-secrets seals the keys again: the documents open with the new master key alone', {
  tags: ['slow'],
}, async (t) => {
  const database = await freshDatabase();
  const former = await openApp(t, { database });
  await former.record([anOrder({ raw: '{"a":1}' })]);
  const [before] = await query(former, 'select documents from order_documents');
  const keys = { MASTER_KEY: newKey(), MASTER_KEY_PREVIOUS: former.env.MASTER_KEY as string };

  assert.deepEqual(await runCommand({ ...former.env, ...keys }, ['rotate-secrets']), {
    resealed: 1,
  });
  assert.deepEqual(await runCommand({ ...former.env, ...keys }, ['rotate-secrets']), {
    resealed: 0,
  });

  const after = { ...former.env, MASTER_KEY: keys.MASTER_KEY };
  const asked = [
    'order-documents',
    '--organization',
    former.organization.id,
    '--order',
    anOrder().id,
  ];
  const { documents } = await runCommand<{ documents: { document: string }[] }>(after, asked);
  assert.deepEqual(
    documents.map(({ document }) => document),
    ['{"a":1}'],
  );
  assert.deepEqual(
    (await query(former, 'select documents from order_documents'))[0],
    before,
    'as it was',
  );
  const refused = launchCommand(t, former.env, asked);
  assert.equal(await refused.ended, 1);
  assert.match(refused.lines.join(''), /wrong_master_key/);
});

test('where the master key is lost so are the documents, and everything else goes on', async (t) => {
  const shop = await openShop(instance);
  const reported = (status: Order['status'], ids: readonly string[]) =>
    ids.map((id) => anOrder({ id, status, raw: `{"${status}":"${id}"}` }));
  for (const status of ['paid', 'shipped', 'delivered'] as const)
    await shop.record(...reported(status, ['1', '2']));
  const database = anotherProcess(t, newKey());
  const organization = database.within(shop.organization.id);

  await organization.write((scope) => recordOrders(scope, reported('returned', ['1'])));
  await organization.write((scope) => recordOrders(scope, reported('paid', ['3'])));
  await organization.write((scope) => packDocuments(scope, ACCOUNT));
  assert.deepEqual(
    await textsOf(shop, anOrder({ id: '2' })),
    reported('paid', ['2'])
      .map(({ raw }) => raw)
      .concat('{"shipped":"2"}', '{"delivered":"2"}'),
  );
  await organization.write((scope) => forgetDocuments(scope, ACCOUNT, ['2']));
  await database.write((handle) =>
    thinDocuments(handle, instance.clock.now().add({ hours: 1 }), 10),
  );

  assert.deepEqual(await textsOf(shop, anOrder({ id: '2' }), database), []);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '1' }), database), ['{"returned":"1"}']);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '3' }), database), ['{"paid":"3"}']);
});

/** The order that a shop's bundle is said to be of, with the bundle as its document. */
async function orderOfBundle(shop: Shop): Promise<OrderIdentity> {
  const [row] = await ask(shop, `select * from order_documents where ${BUNDLE}`);
  const {
    marketplace,
    account_id: accountId,
    order_ids,
  } = row as {
    marketplace: Marketplace;
    account_id: string;
    order_ids: [string];
  };
  const order = { marketplace, accountId, id: order_ids[0] };
  await shop.record(anOrder({ ...order, raw: null }));
  const stamps = `select array_agg(recorded_at) from order_documents where ${BUNDLE}`;
  await ask(shop, `update orders set documented_at = (${stamps}) where ${BUNDLE}`);
  return order;
}

/** The database of the file as a process with this master key has it. */
function anotherProcess(t: TestContext, masterKey: string): Database {
  const database = openDatabase({
    address: instance.app.database.address,
    clock: instance.clock,
    keyring: configOf({ MASTER_KEY: masterKey }).secrets.keyring,
    readerTimeoutSeconds: 15,
    onIdleError: () => {},
  });
  t.after(database.close);
  return database;
}

/** The next answer has an order that cannot be read. */
function makeUnreadable({ stand, shop }: Stage): void {
  const { field, value } = stand.unreadable;
  shop.faults.next({ kind: 'wrong_type', field, value, match: stand.rows ?? stand.pages });
}

/** Makes a shop's bundles what a former version kept. */
async function unseal(shop: Shop): Promise<void> {
  const bundles = await ask(
    shop,
    `select recorded_at, order_ids from order_documents where ${BUNDLE}`,
  );
  for (const { recorded_at, order_ids } of bundles) {
    const texts = await Promise.all(
      (order_ids as string[]).map((id) => textsOf(shop, anOrder({ id }))),
    );
    await ask(
      shop,
      `update order_documents set documents = $3, is_sealed = false where ${BUNDLE} and recorded_at = $2`,
      [String(recorded_at), brotliCompressSync(texts.map(([text]) => text).join('\u001e'))],
    );
  }
}

async function textsOf(
  shop: Shop,
  { marketplace, accountId, id }: OrderIdentity,
  database: Database = instance.app.database,
): Promise<string[]> {
  const organization = database.within(shop.organization.id);
  const documents = await organization.read((scope) =>
    documentsOf(scope, { marketplace, accountId, id }),
  );
  return documents.map(({ text }) => text);
}

function ask({ organization }: Shop, sql: string, more: readonly unknown[] | null = []) {
  return query(instance, sql, more === null ? [] : [organization.id, ...more]);
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}
