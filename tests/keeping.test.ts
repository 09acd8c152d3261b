import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '../src/connectors/contract.ts';
import type { ReadPage } from '../src/exchange/sync/store-page.ts';
import type { SealedConnection } from '../src/features/connections/index.ts';
import { Failure, fail } from '../src/platform/failure.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { openStage } from './support/stand-stage.ts';
import { STAND_OF } from './support/stands.ts';

// Pages of several sync runs are stored together where they would only wait for one another.

const ACCOUNTS = ['1', '2', '3', '4', '5'];

test('pages that come at once are all stored, each gets its own changes, and customers are notified of each order once', async (t) => {
  const instance = await openApp(t);
  const pages = ACCOUNTS.map((account) => pageOf(instance, account));

  const changed = await Promise.all(pages.map(instance.app.exchange.pages.store));
  const again = await Promise.all(pages.map(instance.app.exchange.pages.store));

  assert.deepEqual(changed, [2, 2, 2, 2, 2]);
  assert.deepEqual(again, [0, 0, 0, 0, 0]);
  assert.deepEqual(await accountsStored(instance), { 1: 2, 2: 2, 3: 2, 4: 2, 5: 2 });
  assert.equal(await eventsOf(instance), 10);
});

test('a sync run that may no longer write stores nothing, and harms none that go with it', async (t) => {
  const instance = await openApp(t);
  const lost = () => {
    throw fail('service_unavailable');
  };
  const pages = ACCOUNTS.map((account) =>
    pageOf(instance, account, account === '4' ? lost : () => {}),
  );

  const stored = await Promise.allSettled(pages.map(instance.app.exchange.pages.store));

  assert.deepEqual(
    stored.map((one) => (one.status === 'fulfilled' ? one.value : one.reason instanceof Failure)),
    [2, 2, 2, true, 2],
  );
  assert.deepEqual(await accountsStored(instance), { 1: 2, 2: 2, 3: 2, 5: 2 });
  assert.equal(await eventsOf(instance), 8);
});

test('those of a first import are not sent to customers, with concurrent writers', async (t) => {
  const instance = await openApp(t);
  const pages = ACCOUNTS.map((account) => {
    const read = pageOf(instance, account);
    return { ...read, origin: { ...read.origin, isFirstImport: Number(account) % 2 === 0 } };
  });

  await Promise.all(pages.map(instance.app.exchange.pages.store));

  assert.deepEqual(await accountsStored(instance), { 1: 2, 2: 2, 3: 2, 4: 2, 5: 2 });
  assert.equal(await eventsOf(instance), 6);
});

for (const [walk, reconcile, asked] of [
  ['a first import asks for its next page while the page before it is stored', false, [2, 3, 4]],
  ['a walk that asks about stored orders stores each page first', true, [1, 2, 3]],
] as const)
  test(walk, async (t) => {
    const instance = await openApp(t);
    const stand = STAND_OF.woocommerce;
    const stage = await openStage(instance, stand, { seed: walk, orders: 4 * stand.pageSize });
    t.after(stage.shop.close);
    const pagesAsked = () =>
      stage.shop.requests.filter(({ path }) => stand.pages.test(path)).length;
    const before = pagesAsked();
    const whileStored: number[] = [];
    const { pages } = stage.parts;
    const store: typeof pages.store = async (read) => {
      const expected = asked[whileStored.length] ?? 0;
      for (let waits = 0; pagesAsked() - before < expected && waits < 1_000; waits++)
        await sleep(20);
      // Time enough for a question that should not be asked.
      await sleep(50);
      whileStored.push(pagesAsked() - before);
      return pages.store(read);
    };

    await stage.walk({ reconcile, parts: { ...stage.parts, pages: { store } } });

    assert.deepEqual(whileStored.slice(0, asked.length), asked);
    await stage.holdToAccount();
  });

// Arrangement

/** Two orders of an account, of a sync run that goes on. */
function pageOf(
  { clock, organization }: TestApp,
  accountId: string,
  assertHeld = () => {},
): ReadPage {
  const connection = {
    id: crypto.randomUUID(),
    organizationId: organization.id,
    service: 'mercado_libre',
    accountId,
  } as SealedConnection;
  const items = ['a', 'b'].map((name) => ({
    ok: true as const,
    item: anOrder({ id: `${accountId}${name}` }),
  }));
  const page: Page<unknown> = { items, next: 'more' };
  return {
    name: 'orders',
    origin: { connection, isFirstImport: false, startedAt: clock.now(), askedAt: clock.now() },
    window: { from: null, to: clock.now() },
    page,
    largestSeen: null,
    changed: 0,
    assertHeld,
  };
}

async function accountsStored({ api }: TestApp): Promise<Record<string, number>> {
  const { body } = await api('/v1/orders', { limit: 100 });
  const accounts = (body.data as { account_id: string }[]).map((order) => order.account_id);
  return Object.fromEntries(
    [...Map.groupBy(accounts, String)].map(([account, all]) => [account, all.length]),
  );
}

async function eventsOf({ app: instance, organization }: TestApp): Promise<number> {
  const rows = await instance.database
    .within(organization.id)
    .read((scope) => scope.rows(scope.select('events').select('id')));
  return rows.length;
}
