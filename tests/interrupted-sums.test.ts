import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startMirakl } from '../simulators/mirakl/index.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { listBalances } from '../src/features/balances/index.ts';
import { openApp } from './support/app.ts';
import { alertsOf } from './support/market.ts';

// A balance that is the sum of many pages is that of one moment, however its sync run was stopped.

const TOO_LARGE = 9 * 2 ** 20;
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

test('a sum with a row that is too large is unknown, the other one is exact, and both are once it can be read', {
  tags: ['slow'],
}, async (t) => {
  const { shop, clock, sync, earn, rows, balance, openAlerts, assertExact } = await openSeller(t, {
    mostSought: 2_000,
  });
  const log = await rows();
  const large = log.find(({ payment_state }) => payment_state === 'PENDING');
  shop.faults.swell({ match: /transactions_logs/, bytes: new Map([[large?.id ?? '', TOO_LARGE]]) });
  clock.advance({ hours: 1 });

  assert.equal(await sync(), undefined);

  const payable = log.filter(({ payment_state }) => payment_state === 'PAYABLE');
  const sum = payable.reduce((total, { amount }) => total + Number(amount), 0);
  const first = await balance();
  assert.deepEqual([first?.pending, Number(first?.available).toFixed(2)], [null, sum.toFixed(2)]);
  assert.equal(await openAlerts(), 1);

  shop.faults.stop();
  clock.advance({ hours: 3 });
  earn();
  assert.equal(await sync(), undefined);
  assert.equal(await assertExact(), clock.now().toString());
  assert.equal(await openAlerts(), 0);
});

interface LogRow {
  readonly id: string;
  readonly payment_state: string;
  readonly amount: number;
  readonly balance: number;
}

/** A seller whose log of transactions has several pages. */
async function openSeller(t: TestContext, { mostSought = 20 } = {}) {
  const own = await openApp(t, { plan: 'experto' });
  const { app, clock, organization, connect } = own;
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
  /** The newest ones of the log. */
  const rows = async () => {
    const headers = { authorization: shop.credentials().api_key };
    const log = await fetch(`${shop.url}/api/sellerpayment/transactions_logs?limit=2000`, {
      headers,
    });
    return ((await log.json()) as { data: LogRow[] }).data;
  };
  const balance = async () => {
    const [only, ...others] = (await within.read((scope) => listBalances(scope))).balances;
    assert.deepEqual(others, []);
    return only;
  };
  const openAlerts = async () =>
    (await alertsOf(own, organization.id)).filter(({ kind }) => kind === 'too_large').length;
  /** Both parts together are the newest row's balance. */
  const assertExact = async () => {
    const { available, pending, asOf } = (await balance()) ?? assert.fail('no balance');
    const sum = Number(available) + Number(pending);
    assert.equal(sum.toFixed(2), (await rows())[0]?.balance.toFixed(2));
    return asOf.toString();
  };
  return { shop, clock, sync, earn, rows, balance, openAlerts, stopAfterOnePage, assertExact };
}
