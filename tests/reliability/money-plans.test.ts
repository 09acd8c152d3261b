import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listUninvoiced, type UninvoicedKind } from '../../src/features/cfdi/index.ts';
import { listWithheldLines } from '../../src/features/findings/index.ts';
import { foundOf } from '../../src/features/findings/store-rules.ts';
import { cursorMaker } from '../../src/platform/cursor.ts';
import { decimal } from '../../src/platform/money.ts';
import { anOrder, openApp, type TestApp } from '../support/app.ts';
import { type Plan, plansOf } from '../support/plan.ts';
import { freshDatabase } from '../support/server.ts';
import { reportFigure, sized } from './support/profile.ts';

// What orders without a CFDI, the rules of findings and a month's taxes cost among 100,000 orders, as many of another
// organisation beside them: no table is read whole. Also runs on served PostgreSQL and Redis.

const ORDERS = sized({ small: 10_000, quick: 100_000, long: 100_000 });
const CHARGED = ORDERS / 5;
const PAGE = 20;
/** An order of the page has no invoice to be read, and one row more tells whether there are more. */
const MOST_READ = 4 * (PAGE + 1);
const BIG_TABLES = ['all of orders', 'all of movements'];
/** The one order again and again, each a second older, here and at another organisation. */
const ORDERS_LIKE_IT = `insert into orders select r.*
  from orders o, generate_series(1, $1::int) n,
    unnest(array[o.organization_id, '00000000-0000-4000-8000-000000000001'::uuid]) organization,
    lateral jsonb_populate_record(o, jsonb_build_object('organization_id', organization, 'id', n::text,
      'date_created', o.date_created - n * interval '1 second',
      'newest_first', o.newest_first + n * 1000)) r`;
/** A sale and its commission of the newest ones. */
const MOVEMENTS_OF_THEM = `insert into movements select o.organization_id, o.marketplace, o.account_id,
    'report', o.id || kind, 0, false, gen_random_uuid(), kind, amount, 'MXN', o.date_created, kind, o.id,
    null, false, o.date_created
  from orders o, (values ('sale', 100.00), ('commission', -13.00)) part (kind, amount)
 where o.id::int <= $1::int`;
/** A tax of each, an hour apart, at two accounts. */
const TAXES = `insert into movements select o.organization_id, o.marketplace, account, 'report',
    o.id || 'isr', 0, false, gen_random_uuid(), 'isr', -2.50, 'MXN',
    o.date_created - o.id::int * interval '1 hour', 'isr', o.id, null, false, o.date_created
  from orders o, unnest(array[o.account_id, 'B']) account
 where o.organization_id = $1`;
const HOURS_OF_A_MONTH = 31 * 24;
const ALL_READ = { orders: true, ledger: true };
const closers: (() => unknown)[] = [];
let instance: TestApp;

before(async () => {
  const whole = { after: (close: unknown) => void closers.push(close as () => unknown) };
  instance = await openApp(whole, { database: await freshDatabase() });
  await instance.record([anOrder({ id: '0', status: 'delivered', total: decimal('100.00') })]);
  await instance.app.database.write(async (handle) => {
    await handle.sql(ORDERS_LIKE_IT, [ORDERS]);
    await handle.sql(MOVEMENTS_OF_THEM, [CHARGED]);
    await handle.sql('analyze', []);
  });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

for (const kind of ['pending', 'public'] as const)
  for (const marketplace of [null, 'mercado_libre'] as const)
    test(`a page of orders without a CFDI (${kind}, ${marketplace}) reads about as many as it has`, async () => {
      const plans = await plansOf(within(), (scope) => pageOf(scope, kind, marketplace));
      assertIndexed(plans);
      const most = Math.max(...plans.map(({ read }) => read));
      assert.ok(most >= PAGE && most <= MOST_READ, JSON.stringify(plans));
    });

test('no rule of findings reads a table whole, nor the orders of others', async (t) => {
  const now = instance.clock.now();
  const from = now.subtract({ hours: 24 * 400 });
  const account = { marketplace: 'mercado_libre' as const, accountId: '468424240' };
  const times = { from, now, timezone: 'America/Mexico_City' };
  const plans = await plansOf(within(), (scope) =>
    foundOf(scope, { ...account, ...times }, ALL_READ, { payoutsDrawOnBalance: true }, null),
  );
  assertIndexed(plans);
  const most = Math.max(...plans.map(({ read }) => read));
  reportFigure(t, `rules of findings, ${ORDERS} orders: ${most} rows read at most`);
  assert.ok(most >= CHARGED && most <= 4 * ORDERS, JSON.stringify(plans));
});

test('a page of the taxes of a month reads the movements of that month alone', async () => {
  const { organization, app } = instance;
  await app.database.write((handle) => handle.sql(TAXES, [organization.id]));
  await app.database.write((handle) => handle.sql('analyze movements', []));
  const cursors = cursorMaker(app.exchange.keyring);
  const month = { period: '2026-09', marketplace: 'mercado_libre' as const };
  const page = { ...month, limit: PAGE, cursor: null };
  const plans = await plansOf(within(), (scope) =>
    listWithheldLines(scope, cursors, 'America/Mexico_City', page),
  );
  assertIndexed(plans);
  const most = Math.max(...plans.map(({ read }) => read));
  // Of both accounts, once in the index and once where they are added up.
  assert.ok(most >= PAGE && most <= 4 * HOURS_OF_A_MONTH, JSON.stringify(plans));
});

function within() {
  return instance.app.database.within(instance.organization.id);
}

function pageOf(
  scope: Parameters<typeof listUninvoiced>[0],
  kind: UninvoicedKind,
  marketplace: 'mercado_libre' | null,
) {
  const cursors = cursorMaker(instance.app.exchange.keyring);
  const filters = { kind, marketplace, from: null, to: null };
  return listUninvoiced(scope, cursors, { ...filters, limit: PAGE, cursor: null });
}

function assertIndexed(plans: readonly Plan[]): void {
  assert.ok(plans.length > 0);
  const whole = plans.flatMap(({ by }) => by.filter((index) => BIG_TABLES.includes(index)));
  assert.deepEqual(whole, [], JSON.stringify(plans));
}
