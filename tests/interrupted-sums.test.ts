import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startMirakl } from '../simulators/mirakl/index.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { listBalances } from '../src/features/balances/index.ts';
import { openApp } from './support/app.ts';

// A balance that is the sum of many pages is that of one moment, however its sync run was stopped.

const LATER_PAGES = /transactions_logs\?.*page_token/;

test('a sum that a failure stopped begins anew, as of then', async (t) => {
  const { shop, clock, sync, earn, assertExact } = await openSeller(t);
  shop.faults.next({ kind: 'garbage', match: LATER_PAGES, times: 100 });
  assert.match((await sync()) ?? '', /respondió algo que no entendemos|no responde/);
  shop.faults.stop();
  clock.advance({ hours: 3 });
  earn();

  assert.equal(await sync(), undefined);

  assert.equal(await assertExact(), clock.now().toString());
});

test('a sum that a limit delays goes on where it was', async (t) => {
  const { shop, sync, assertExact } = await openSeller(t, { mostSought: 2 });

  assert.equal(await sync(), undefined);

  await assertExact();
  const tokens = shop.requests.map(({ path }) => path).filter((path) => LATER_PAGES.test(path));
  assert.equal(new Set(tokens).size, tokens.length, 'no page is requested twice');
  assert.ok(tokens.length > 20, 'more pages than the limit allows at once');
});

test('a sum that waited for a day begins anew', async (t) => {
  const { clock, stopAfterOnePage, sync, earn, assertExact } = await openSeller(t);
  await stopAfterOnePage();
  clock.advance({ hours: 25 });
  earn();

  assert.equal(await sync(), undefined);

  await assertExact();
});

/** A seller whose log of transactions has several pages. */
async function openSeller(t: TestContext, { mostSought = 20 } = {}) {
  const { app, clock, organization, connect } = await openApp(t, { plan: 'experto' });
  const now = () => clock.now().epochMilliseconds;
  const shop = await startMirakl({ seed: t.name, now, mostSought });
  t.after(shop.close);
  shop.world.fill({ orders: 60, days: 30 });
  await connect('liverpool', { url: shop.url, credentials: shop.credentials() });
  const within = app.database.within(organization.id);

  const sync = async () => {
    const request = { organizationId: organization.id, service: null, stream: 'balances' as const };
    const [report] = await syncOrganization(app.exchange, request);
    return report?.error;
  };
  const earn = () => {
    for (let orders = 0; orders < 5; orders++) shop.world.deliver(shop.world.place().id);
  };
  /** As where the process is killed then. */
  const stopAfterOnePage = async () => {
    shop.faults.next({ kind: 'garbage', match: LATER_PAGES, times: 100 });
    await sync();
    shop.faults.stop();
    await within.write((scope) =>
      scope.rows(scope.update('streams').set({ last_error: null, last_error_at: null })),
    );
  };
  /** Both parts together are the newest row's balance. */
  const assertExact = async () => {
    const [balance, ...others] = (await within.read((scope) => listBalances(scope))).balances;
    assert.deepEqual(others, []);
    const headers = { authorization: shop.credentials().api_key };
    const log = await fetch(`${shop.url}/api/sellerpayment/transactions_logs`, { headers });
    const { data } = (await log.json()) as { data: { balance: number }[] };
    const sum = Number(balance?.available) + Number(balance?.pending);
    assert.equal(sum.toFixed(2), data[0]?.balance.toFixed(2));
    return balance?.asOf.toString();
  };
  return { shop, clock, sync, earn, stopAfterOnePage, assertExact };
}
