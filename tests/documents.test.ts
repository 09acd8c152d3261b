import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import {
  accountsToPack,
  documentsOf,
  forgetAllDocuments,
  forgetBuyers,
  forgetDocuments,
  linkDocuments,
  type Order,
  type OrderIdentity,
  packDocuments,
  thinDocuments,
} from '../src/features/orders/index.ts';
import type { WriteHandle } from '../src/platform/db/database.ts';
import { openShop, type Shop, WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp } from './support/app.ts';
import { plansOf } from './support/plan.ts';
import { atDatabase, ownDatabase, someoneWaits } from './support/server.ts';

// What marketplaces said of orders, as it was received; how long it is kept, what it takes, and how
// it is forgotten. Also runs on served PostgreSQL and Redis.

const instance = await openApp(WHOLE_FILE);
const ACCOUNT = { marketplace: 'mercado_libre', accountId: '468424240' } as const;

test('every change keeps what it came with, letter by letter', async () => {
  const shop = await openShop(instance);
  const texts = [
    '{"total": 10.00, "título":"Taza 🌮"}',
    '{\n\t"total":1e3,\r\n "b":"\\u001e"}',
    '{}',
  ];
  for (const [index, raw] of texts.entries()) {
    instance.clock.advance({ seconds: 1 });
    await shop.record(anOrder({ status: STATUSES[index] as Order['status'], raw }));
  }

  const kept = await documents(shop, anOrder());

  assert.deepEqual(
    kept.map(({ text }) => text),
    texts,
  );
  const [order] = await shop.orders();
  assert.deepEqual(kept.at(-1)?.recordedAt, Temporal.Instant.from(order.last_updated));
  assert.ok(
    Temporal.Instant.compare(kept[0]?.recordedAt as never, kept[1]?.recordedAt as never) < 0,
  );
});

test('what says nothing new is not kept, and neither is what no marketplace said', async () => {
  const shop = await openShop(instance);
  await shop.record(anOrder({ raw: '{"a":1}' }), anOrder({ id: 'importada', raw: null }));
  await shop.record(anOrder({ raw: '{"a":2}' }));

  assert.deepEqual(await textsOf(shop, anOrder()), ['{"a":1}']);
  assert.deepEqual(await textsOf(shop, anOrder({ id: 'importada' })), []);
});

test('documents that came alone are packed together, those of each account apart, in their order', async () => {
  const shop = await openShop(instance);
  const text = (id: string, account: string) =>
    JSON.stringify({ id, account, words: 'x'.repeat(9_000) });
  const orders = Array.from({ length: 9 }, (_, number) => String(number)).flatMap((id) =>
    ['first', 'second'].map((accountId) => anOrder({ id, accountId, raw: text(id, accountId) })),
  );
  for (const order of orders) await shop.record(order);

  await packed();

  assert.deepEqual(
    (await bundles(shop)).map(({ account_id, order_ids }) => [account_id, order_ids.join()]),
    ['first', 'second'].flatMap((account) => [
      [account, '0,1,2,3,4'],
      [account, '5,6,7,8'],
    ]),
  );
  for (const order of orders) assert.deepEqual(await textsOf(shop, order), [order.raw]);
});

test('a large page lies between the documents that came before it and those after', async () => {
  const shop = await openShop(instance);
  const alone = async (ids: readonly string[]) => {
    for (const id of ids) await shop.record(anOrder({ id, raw: `{"id":"${id}"}` }));
  };
  await alone(['1', '2', '3', '4']);
  await shop.record(
    ...['5', '6'].map((id) =>
      anOrder({ id, raw: JSON.stringify({ id, words: 'x'.repeat(20_000) }) }),
    ),
  );
  await alone(['7', '8', '9', '10']);

  await packed();

  assert.deepEqual(
    (await bundles(shop)).map(({ order_ids }) => order_ids.join()),
    ['1,2,3,4', '5,6', '7,8,9,10'],
  );
  for (const id of ['1', '4', '7', '10'])
    assert.deepEqual(await textsOf(shop, anOrder({ id })), [`{"id":"${id}"}`]);
  assert.equal((await textsOf(shop, anOrder({ id: '6' }))).length, 1);
  await packed();
  assert.equal((await bundles(shop)).length, 3);
});

test('a change takes a fifth of its document at most, also when each comes alone', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop(instance);
  let raw = 0;
  for (let number = 0; number < 40; number++)
    for (const status of STATUSES) {
      const text = likeAMarketplaces(`20000${number}`, status);
      raw += text.length;
      await shop.record(anOrder({ id: `20000${number}`, status, raw: text }));
    }

  await packed();
  const [{ bytes } = { bytes: 0 }] = (await ask(
    'select sum(pg_column_size(d))::int as bytes from order_documents d where organization_id = $1',
    shop,
  )) as { bytes: number }[];

  assert.ok(bytes > 0 && bytes * 5 < raw, `${bytes} of ${raw}`);
});

test('an order’s documents are found by an index among very many', { tags: ['slow'] }, async () => {
  const shop = await openShop(instance);
  const ids = Array.from({ length: 2_000 }, (_, number) => String(number));
  for (let at = 0; at < ids.length; at += 20)
    await shop.record(
      ...ids.slice(at, at + 20).map((id) => anOrder({ id, raw: 'x'.repeat(3_000) })),
    );

  const plans = await plansOf(within(shop), (scope) => documentsOf(scope, anOrder({ id: '777' })));

  assert.ok(plans.length > 0);
  for (const { read, by } of plans) {
    assert.ok(read <= 5, JSON.stringify(plans));
    assert.ok(!by.some((index) => index.startsWith('all of ')), JSON.stringify(plans));
  }
});

test('of an order that never stops changing the last hundred documents are kept', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop(instance);
  for (let version = 0; version < 103; version++)
    await shop.record(anOrder({ marketplaceStatus: `v${version}`, raw: `{"v":${version}}` }));

  await packed();
  await thinned(instance.clock.now().subtract({ hours: 1 }));

  const texts = await textsOf(shop, anOrder());
  assert.deepEqual([texts.length, texts[0], texts.at(-1)], [100, '{"v":3}', '{"v":102}']);
});

test('a forgotten buyer is in no document any more, however old, and the others keep theirs', async () => {
  const shop = await openShop(instance);
  await change(shop, 'paid', ['1', '2', '3']);
  await change(shop, 'shipped', ['1', '2']);
  await change(shop, 'delivered', ['1']);

  await forget(shop, ['1']);

  assert.deepEqual(await textsOf(shop, anOrder({ id: '1' })), []);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '2' })), ['{"paid":"2"}', '{"shipped":"2"}']);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '3' })), ['{"paid":"3"}']);
  assert.deepEqual(
    (await bundles(shop)).map(({ order_ids }) => order_ids.join()),
    ['2,3', '2'],
  );
});

test('several who came at different times are forgotten at once', async () => {
  const shop = await openShop(instance);
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
  const shop = await openShop(instance);
  await change(shop, 'paid', ['1', '2', '3']);

  let second: Promise<void> | undefined;
  await within(shop).write(async (scope) => {
    await forgetDocuments(scope, ACCOUNT, ['1']);
    second = forget(shop, ['3']);
    await someoneWaits(instance.app.database);
  });
  await second;

  assert.deepEqual(await Promise.all(['1', '2', '3'].map((id) => textsOf(shop, anOrder({ id })))), [
    [],
    ['{"paid":"2"}'],
    [],
  ]);
});

test('of a buyer who is forgotten for good nothing is kept again', async () => {
  const shop = await openShop(instance);
  await change(shop, 'paid', ['1']);
  await forget(shop, ['1']);

  await change(shop, 'shipped', ['1', '2']);

  assert.deepEqual(await textsOf(shop, anOrder({ id: '1' })), []);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '2' })), ['{"shipped":"2"}']);
});

test('an account that is forgotten leaves no document, and others keep theirs', async () => {
  const shop = await openShop(instance);
  const other = anOrder({ accountId: 'another', raw: '{"of":"another"}' });
  await change(shop, 'paid', ['1', '2']);
  await shop.record(other);

  await within(shop).write((scope) => forgetAllDocuments(scope, ACCOUNT));

  assert.deepEqual(await textsOf(shop, anOrder({ id: '1' })), []);
  assert.deepEqual(await textsOf(shop, other), ['{"of":"another"}']);
});

test('a bundle of which nothing is left goes', async () => {
  const shop = await openShop(instance);
  await change(shop, 'paid', ['1', '2']);

  await forget(shop, ['1', '2']);

  assert.deepEqual(await bundles(shop), []);
});

test('a document is kept for a while after a newer one replaced it, and the last one stays', async () => {
  const shop = await openShop(instance);
  await change(shop, 'paid', ['1', '2', '3']);
  instance.clock.advance({ hours: 24 * 30 });
  const shipped = instance.clock.now();
  await change(shop, 'shipped', ['1', '2']);
  instance.clock.advance({ hours: 24 * 30 });
  const delivered = instance.clock.now();
  await change(shop, 'delivered', ['1']);
  const texts = () => Promise.all(['1', '2', '3'].map((id) => textsOf(shop, anOrder({ id }))));

  await thinned(shipped);
  const all = await texts();
  await thinned(delivered);
  const some = await texts();
  await thinned(delivered.add({ hours: 1 }));

  assert.deepEqual(all, [
    ['{"paid":"1"}', '{"shipped":"1"}', '{"delivered":"1"}'],
    ['{"paid":"2"}', '{"shipped":"2"}'],
    ['{"paid":"3"}'],
  ]);
  assert.deepEqual(some, [
    ['{"shipped":"1"}', '{"delivered":"1"}'],
    ['{"shipped":"2"}'],
    ['{"paid":"3"}'],
  ]);
  assert.deepEqual(await texts(), [['{"delivered":"1"}'], ['{"shipped":"2"}'], ['{"paid":"3"}']]);
});

test('a document that was the last one for years goes when its turn has come', async () => {
  const shop = await openShop(instance);
  await change(shop, 'paid', ['1', '2']);
  instance.clock.advance({ hours: 24 * 400 });
  await thinned(instance.clock.now());
  await change(shop, 'delivered', ['1']);
  const kept = await textsOf(shop, anOrder({ id: '1' }));

  await thinned(instance.clock.now().add({ hours: 1 }));

  assert.deepEqual(kept, ['{"paid":"1"}', '{"delivered":"1"}']);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '1' })), ['{"delivered":"1"}']);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '2' })), ['{"paid":"2"}']);
});

test('what was packed is forgotten, also while it is packed', async () => {
  const shop = await openShop(instance);
  const ids = Array.from({ length: 8 }, (_, number) => String(number));
  for (const id of ids) await change(shop, 'paid', [id]);

  let forgetting: Promise<unknown> | undefined;
  await instance.app.database.write(async (handle) => {
    await packDocuments(handle.within(shop.organization.id), ACCOUNT);
    forgetting = within(shop).write((scope) => forgetDocuments(scope, ACCOUNT, ['3', '7']));
    await someoneWaits(instance.app.database);
  });
  await forgetting;

  assert.deepEqual(
    (await bundles(shop)).map(({ order_ids }) => order_ids.join()),
    ['0,1,2,4,5,6'],
  );
});

test('what is packed goes in its time, too', async () => {
  const shop = await openShop(instance);
  const ids = Array.from({ length: 8 }, (_, number) => String(number));
  for (const id of ids) await change(shop, 'paid', [id]);
  await change(shop, 'shipped', ['3']);
  const replacedAt = instance.clock.now();
  await packed();

  await thinned(replacedAt);
  assert.equal((await textsOf(shop, anOrder({ id: '3' }))).length, 2);
  await thinned(replacedAt.add({ hours: 1 }));
  assert.deepEqual(await textsOf(shop, anOrder({ id: '3' })), ['{"shipped":"3"}']);
});

test('what is added while documents are packed or removed is not lost', async () => {
  const shop = await openShop(instance);
  const ids = Array.from({ length: 8 }, (_, number) => String(number));
  for (const id of ids) await change(shop, 'paid', [id]);
  const meanwhile = async (
    status: Order['status'],
    work: (handle: WriteHandle) => Promise<unknown>,
  ) => {
    let changing: Promise<unknown> | undefined;
    await instance.app.database.write(async (handle) => {
      await work(handle);
      changing = change(shop, status, ['1']);
      await someoneWaits(instance.app.database);
    });
    await changing;
  };

  await meanwhile('ready_to_ship', (handle) =>
    packDocuments(handle.within(shop.organization.id), ACCOUNT),
  );
  await change(shop, 'shipped', ['2']);
  const later = instance.clock.now().add({ hours: 1 });
  await meanwhile('shipped', async (handle) => {
    await thinDocuments(handle, later, 10);
    // The next document of the first order replaces one in a bundle that is being rewritten.
    await handle.sql('update order_documents set replaced_at = replaced_at', []);
  });

  assert.deepEqual(await textsOf(shop, anOrder({ id: '1' })), [
    '{"ready_to_ship":"1"}',
    '{"shipped":"1"}',
  ]);
  await thinned(later);
  assert.deepEqual(await textsOf(shop, anOrder({ id: '1' })), ['{"shipped":"1"}']);
});

test('what was kept before orders knew of it is read, linked, replaced and forgotten like the rest', async () => {
  const shop = await openShop(instance);
  await change(shop, 'paid', ['1', '2', '3']);
  await change(shop, 'shipped', ['1', '2']);
  await asBefore(shop);
  const texts = () => Promise.all(['1', '2', '3'].map((id) => textsOf(shop, anOrder({ id }))));
  const all = [
    ['{"paid":"1"}', '{"shipped":"1"}'],
    ['{"paid":"2"}', '{"shipped":"2"}'],
    ['{"paid":"3"}'],
  ];

  assert.deepEqual(await texts(), all, 'before they are linked');
  await change(shop, 'delivered', ['1']);
  await forget(shop, ['2']);
  const link = () => instance.app.database.write((handle) => linkDocuments(handle, 1));
  assert.deepEqual([await link(), await link(), await link()], [1, 1, 0]);
  const after = [['{"paid":"1"}', '{"shipped":"1"}', '{"delivered":"1"}'], [], ['{"paid":"3"}']];
  assert.deepEqual(await texts(), after, 'linked');
  await thinned(instance.clock.now().add({ hours: 1 }));

  assert.deepEqual(await texts(), [['{"delivered":"1"}'], [], ['{"paid":"3"}']]);
});

const STATUSES = ['paid', 'shipped', 'delivered'] as const;

async function change(shop: Shop, status: Order['status'], ids: readonly string[]): Promise<void> {
  instance.clock.advance({ seconds: 1 });
  await shop.record(...ids.map((id) => anOrder({ id, status, raw: `{"${status}":"${id}"}` })));
}

/** As a privacy request does. */
async function forget(shop: Shop, ids: readonly string[]): Promise<void> {
  const organization = within(shop);
  await organization.write((scope) =>
    forgetBuyers(scope, ACCOUNT, ids, { forGood: true, listeners: [] }),
  );
  await organization.write((scope) => forgetDocuments(scope, ACCOUNT, ids));
}

function documents(shop: Shop, { marketplace, accountId, id }: OrderIdentity) {
  return within(shop).read((scope) => documentsOf(scope, { marketplace, accountId, id }));
}

async function textsOf(shop: Shop, order: OrderIdentity): Promise<string[]> {
  return (await documents(shop, order)).map(({ text }) => text);
}

/** Documents that a newer one replaced before that time are removed. */
async function thinned(before: Temporal.Instant): Promise<void> {
  const some = () => instance.app.database.write((handle) => thinDocuments(handle, before, 2));
  while ((await some()) > 0);
}

async function packed(): Promise<void> {
  const { database } = instance.app;
  for (const { organizationId, ...account } of await database.read(accountsToPack)) {
    const organization = database.within(organizationId);
    while (await organization.write((scope) => packDocuments(scope, account)));
  }
}

/**
 * Makes the shop's documents what a former version kept: an entry a write, that no order knows of,
 * and plain ones.
 */
async function asBefore(shop: Shop): Promise<void> {
  const { id } = shop.organization;
  const entries = [
    {
      ids: ['1', '2', '3'],
      texts: ['{"paid":"1"}', '{"paid":"2"}', '{"paid":"3"}'],
      isPlain: false,
    },
    { ids: ['1'], texts: ['{"shipped":"1"}'], isPlain: true },
    { ids: ['2'], texts: ['{"shipped":"2"}'], isPlain: true },
  ];
  await atDatabase(await ownDatabase(), async (client) => {
    await client.query('delete from order_documents where organization_id = $1', [id]);
    await client.query(`update orders set documented_at = '{}' where organization_id = $1`, [id]);
    for (const [index, { ids, texts, isPlain }] of entries.entries()) {
      const text = Buffer.from(texts.join('\u001e'));
      await client.query(
        `insert into order_documents (organization_id, marketplace, account_id, recorded_at, order_ids, documents, is_plain)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          id,
          ACCOUNT.marketplace,
          ACCOUNT.accountId,
          instance.clock
            .now()
            .subtract({ minutes: 9 - index })
            .toString(),
          ids,
          isPlain ? text : brotliCompressSync(text),
          isPlain,
        ],
      );
    }
  });
}

/** A document as a marketplace words it: the same names each time, other values. */
function likeAMarketplaces(id: string, status: string): string {
  const number = (digits: number) =>
    Math.random()
      .toString()
      .slice(2, 2 + digits);
  const lines = [
    'payments',
    'shipping',
    'taxes',
    'coupon',
    'seller',
    'feedback',
    'context',
    'mediations',
  ];
  return JSON.stringify({
    id,
    status,
    buyer: { id: number(9), nickname: number(16), phone: { area_code: '55', number: number(8) } },
    ...Object.fromEntries(
      lines.map((name) => [
        name,
        {
          id: number(11),
          reference_number: number(14),
          last_updated: `2026-11-15T12:00:${number(2)}.000-04:00`,
          date_created: '2026-11-15T12:00:00.000-04:00',
          transaction_amount: Number(number(5)) / 100,
          currency_id: 'MXN',
          status_detail: 'accredited',
          operation_type: 'regular_payment',
          available_actions: [],
        },
      ]),
    ),
  });
}

function bundles(shop: Shop) {
  return ask(
    'select account_id, order_ids from order_documents where organization_id = $1 order by account_id, recorded_at',
    shop,
  ) as Promise<{ account_id: string; order_ids: string[] }[]>;
}

function ask(sql: string, { organization }: Shop): Promise<object[]> {
  return instance.app.database.write((handle) => handle.sql(sql, [organization.id]));
}

function within({ organization }: Shop) {
  return instance.app.database.within(organization.id);
}
