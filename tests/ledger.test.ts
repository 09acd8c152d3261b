import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../simulators/order.ts';
import type { SourceMovement } from '../src/connectors/contract.ts';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { annotateOrders, recordLedgers } from '../src/features/ledger/index.ts';
import type { Order } from '../src/features/orders/index.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/ids.ts';
import { add, type Decimal, decimal } from '../src/platform/money.ts';
import { anOrder, type TestApp } from './support/app.ts';
import { ACCOUNT, openLedger, movementsOf as rowsOf } from './support/findings.ts';
import { openShop, readReport } from './support/ledger.ts';
import { someoneWaits } from './support/server.ts';

// The ledger of movements, from Mercado Pago's release report to the money of an order.

const HOUR = 3_600_000;
const OPENING = '12500.00';

test('an order of a report has its fees, withheld taxes and net amount from all named columns', async (t) => {
  const { instance, shop, read } = await openShop(t);
  shop.switches.sellerShipping = '61.50';
  shop.switches.taxRates = { isr: 0.025, iva: 0.08 };
  const order = shop.world.place();
  shop.world.deliver(order.id);
  instance.clock.advance({ hours: 1 });
  await read('orders');

  await readReport(instance, read);

  const total = cents(order.total);
  const fees = Math.round(total * 0.13) + 6150;
  const withheld = Math.round((total / 1.16) * 0.025) + Math.round((total / 1.16) * 0.08);
  const { status, body } = await instance.api(`/v1/orders/${order.id}`, {});
  assert.equal(status, 200);
  assert.deepEqual(moneyOf(body.data), {
    fees_total: fees / 100,
    fees_source: 'ledger',
    withheld_total: withheld / 100,
    net_total: (total - fees - withheld) / 100,
    net_complete: true,
  });
});

test('an order changes once by a sync run, and not by a report that says the same', async (t) => {
  const { instance, shop, read } = await openShop(t);
  // A first import causes no events.
  await read('orders');
  await readReport(instance, read);
  shop.switches.taxRates = { isr: 0.025, iva: 0.08 };
  const order = shop.world.place();
  shop.world.deliver(order.id);
  instance.clock.advance({ hours: 1 });
  await read('orders');
  const before = (await eventsOf(instance, order.id)).length;
  await readReport(instance, read);
  const rows = await movementsOf(instance);

  instance.clock.advance({ hours: 12 });
  await readReport(instance, read);

  assert.equal((await eventsOf(instance, order.id)).length, before + 1);
  assert.deepEqual(await movementsOf(instance), rows);
});

test('every amount of a report is in the ledger, whose sum is the balance of the account', async (t) => {
  const { instance, shop, read } = await openShop(t);
  const now = instance.clock.now().epochMilliseconds;
  const [kept, returned] = [shop.world.place(), shop.world.place()];
  shop.world.deliver(kept.id);
  shop.world.deliver(returned.id);
  shop.switches.withdrawals.push({ at: now - 5 * HOUR, amount: '1000.00' });
  const row = (SOURCE_ID: string, DESCRIPTION: string, more = {}) => ({
    SOURCE_ID,
    DESCRIPTION,
    ...more,
  });
  shop.switches.movements.push(
    { at: now - 9 * HOUR, net: '-25.10', row: row('7001', 'tax_witholding', gross('-25.10')) },
    {
      at: now - 8 * HOUR,
      net: '25.10',
      row: row('7001', 'tax_withholding_cancel', gross('25.10')),
    },
    { at: now - 7 * HOUR, net: '-80.00', row: row('7002', 'mediation', gross('-80.00')) },
    { at: now - 7 * HOUR, net: '-80.00', row: row('7002', 'mediation', gross('-80.00')) },
    { at: now - 6 * HOUR, net: '80.00', row: row('7002', 'mediation_cancel', gross('80.00')) },
    { at: now - 6 * HOUR, net: '-12.34', row: row('7003', 'chargeback', gross('-10.00')) },
    {
      at: now - 6 * HOUR,
      net: '-500.00',
      row: row('7004', 'withdrawal', { RECORD_TYPE: 'reserve_for_payout', ...gross('-500.00') }),
    },
  );
  instance.clock.advance({ minutes: 5 });
  shop.world.refund(returned.id);
  instance.clock.advance({ minutes: 5 });

  await readReport(instance, read);

  const rows = await movementsOf(instance);
  const net = (total: string) => cents(total) - Math.round(cents(total) * 0.13);
  const expected = cents(OPENING) + net(kept.total) - cents('1000.00') - cents('592.34');
  assert.equal(cents(sumOf(rows)), expected);
  assert.deepEqual(
    ['7001', '7002', '7003', '7004'].map((id) =>
      rows.filter((one) => one.key.startsWith(`${id} `)).map((one) => [one.kind, one.amount]),
    ),
    [
      [
        ['withheld', '-25.10'],
        ['withheld', '25.10'],
      ],
      [
        ['refund', '-80.00'],
        ['refund', '-80.00'],
        ['refund', '80.00'],
      ],
      // What no column explains is listed, and not hidden.
      [
        ['refund', '-10.00'],
        ['other', '-2.34'],
      ],
      [['other', '-500.00']],
    ],
  );
  const ofReturned = rows.filter(({ order_id }) => order_id === returned.id);
  assert.deepEqual(
    [ofReturned.map(({ kind }) => kind).toSorted(), Number(sumOf(ofReturned))],
    [['commission', 'commission', 'refund', 'sale'], 0],
  );
});

test('a reference that cannot be an order costs no movement its place in the ledger', async (t) => {
  const { instance, shop, read } = await openShop(t);
  const at = instance.clock.now().epochMilliseconds;
  const paid = { DESCRIPTION: 'payment', EXTERNAL_REFERENCE: 'x'.repeat(201), ...gross('40.00') };
  shop.switches.movements.push({ at, net: '40.00', row: { SOURCE_ID: '7005', ...paid } });
  shop.world.deliver(shop.world.place().id);
  instance.clock.advance({ minutes: 5 });

  await readReport(instance, read);

  const rows = await movementsOf(instance);
  const own = rows.filter(({ key }) => key.startsWith('7005 '));
  assert.deepEqual(
    own.map(({ kind, amount, order_id }) => [kind, Number(amount), order_id]),
    [['sale', 40, null]],
  );
  assert.ok(rows.some(({ order_id }) => order_id !== null));
});

test('a movement that no table can hold is set aside alone, and the report takes nothing back', async (t) => {
  const { instance, shop, read } = await openShop(t);
  const order = shop.world.place();
  shop.world.deliver(order.id);
  const at = instance.clock.now().epochMilliseconds;
  instance.clock.advance({ hours: 1 });
  await readReport(instance, read);
  const own = async () =>
    (await movementsOf(instance)).filter(({ order_id }) => order_id === order.id);
  const before = await own();
  const [source] = before[0]?.key.split(' ') ?? [];

  const row = { SOURCE_ID: '7'.repeat(300), DESCRIPTION: 'payment', ...gross('40.00') };
  shop.switches.movements.push({ at, net: '40.00', row });
  shop.world.deliver(shop.world.place().id);
  shop.switches.lostRows.add(`${source} payment`);
  instance.clock.advance({ hours: 12 });
  await readReport(instance, read);

  assert.ok((await movementsOf(instance)).some(({ order_id }) => order_id !== order.id));
  assert.deepEqual(await own(), before);
  const aside = await within(instance).read((scope) =>
    scope.rows(scope.select('unreadable_items').select(['reason'])),
  );
  assert.deepEqual(aside, [{ reason: 'key: longer than 255 characters' }]);
});

test('what the account pays for advertising and invoices is a fee, and no payment of its own is a sale', async (t) => {
  const { instance, shop, read } = await openShop(t);
  const at = instance.clock.now().epochMilliseconds;
  const rows = [
    ['PADS-4411', '-250.00'],
    ['MELIPAYMENTS_2026_11', '-1200.50'],
    ['CASHBACK-77', '35.00'],
    ['2000001234', '-18.00'],
  ] as const;
  for (const [index, [EXTERNAL_REFERENCE, net]] of rows.entries()) {
    const row = { SOURCE_ID: `710${index}`, DESCRIPTION: 'payment', EXTERNAL_REFERENCE };
    shop.switches.movements.push({ at, net, row: { ...row, ...gross(net) } });
  }
  instance.clock.advance({ minutes: 5 });
  await read('orders');

  await readReport(instance, read);

  const found = (await movementsOf(instance)).filter(({ key }) => key.startsWith('710'));
  assert.deepEqual(
    found.map(({ kind, amount, order_id }) => [kind, Number(amount), order_id]),
    [
      ['advertising', -250, null],
      ['other_fee', -1200.5, null],
      ['other', 35, null],
      ['other', -18, '2000001234'],
    ],
  );
  const findings = await within(instance).read((scope) =>
    scope.rows(scope.select('findings').select(['kind', 'subject'])),
  );
  assert.deepEqual(findings, []);
});

test('a corrected report takes rows back by rows of the opposite amount, and changes none', async (t) => {
  const { instance, shop, read } = await openShop(t);
  const order = shop.world.place();
  shop.world.deliver(order.id);
  instance.clock.advance({ hours: 1 });
  await read('orders');
  await readReport(instance, read);
  const before = await movementsOf(instance);
  const [sale] = before.filter(({ order_id }) => order_id === order.id);
  assert.ok(sale);

  shop.switches.lostRows.add(`${sale.key.split(' ')[0]} payment`);
  instance.clock.advance({ hours: 12 });
  await readReport(instance, read);
  const lost = await movementsOf(instance);
  const { body: without } = await instance.api(`/v1/orders/${order.id}`, {});
  shop.switches.lostRows.clear();
  shop.switches.sellerShipping = '10.00';
  instance.clock.advance({ hours: 12 });
  await readReport(instance, read);
  const after = await movementsOf(instance);
  const { body: again } = await instance.api(`/v1/orders/${order.id}`, {});

  for (const row of before) assert.ok(hasRow(lost, row) && hasRow(after, row), row.key);
  const own = (rows: typeof before) => rows.filter(({ order_id }) => order_id === order.id);
  assert.deepEqual(
    [Number(sumOf(own(lost))), own(lost).filter((row) => row.is_correction).length],
    [0, 2],
  );
  assert.deepEqual(moneyOf(without.data), {
    ...moneyOf(without.data),
    fees_source: 'order',
    withheld_total: null,
    net_total: null,
    net_complete: false,
  });
  const net = cents(order.total) - Math.round(cents(order.total) * 0.13) - 1000;
  assert.deepEqual([again.data.net_total, cents(sumOf(own(after)))], [net / 100, net]);
});

test('an order has the money of its currency, where a source had told another one', async (t) => {
  const { instance, sell, move, inside } = await openLedger(t);
  const id = await sell({ on: '2026-09-05', unpaid: true });
  const rows = rowsOf(id, { on: '2026-09-05' }, Temporal.Instant.from('2026-09-05T18:00:00Z'));
  const netOf = async () => {
    await inside((scope) => annotateOrders(scope, () => [], 100));
    return (await instance.api(`/v1/orders/${id}`, {})).body.data.net_total;
  };
  await move(rows.map((one) => ({ ...one, currency: 'USD' })));
  assert.equal(await netOf(), null);
  await move(rows);
  assert.equal(await netOf(), 181);
  await move(rows.slice(0, 1).map((one) => ({ ...one, key: 'dollars', currency: 'USD' })));
  assert.equal(await netOf(), null, 'in two currencies');
});

test('an order has all its money whichever commits first, its movements or what is shown of them', async (t) => {
  const { instance, sell, move, inside } = await openLedger(t);
  const id = await sell({ on: '2026-09-05', unpaid: true });
  const at = Temporal.Instant.from('2026-09-05T18:00:00Z');
  const [sale, fee, ...taxes] = rowsOf(id, { on: '2026-09-05' }, at);
  assert.ok(sale && fee);
  const show = () => inside((scope) => annotateOrders(scope, () => [], 100));
  const netOf = async () => (await instance.api(`/v1/orders/${id}`, {})).body.data.net_total;
  /** Runs one in a transaction that ends after the other one has waited for it, or has ended. */
  const together = async (
    one: (scope: WriteScope) => Promise<unknown>,
    other: () => Promise<unknown>,
  ) => {
    const hasRun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const first = inside(async (scope) => {
      await one(scope);
      hasRun.resolve();
      await mayEnd.promise;
    });
    await hasRun.promise;
    const second = other();
    await Promise.race([second, someoneWaits(instance.app.database)]);
    mayEnd.resolve();
    await Promise.all([first, second]);
  };
  await move([sale]);
  await together(
    (scope) => annotateOrders(scope, () => [], 100),
    () => move([fee]),
  );
  assert.equal(await netOf(), 232);
  await show();
  assert.equal(await netOf(), 202);

  const source = { ...ACCOUNT, connectionId: newId() };
  const ledger = { id: 'L', report: 'transactions', covers: null, changedAt: null, opening: null };
  await together((scope) => recordLedgers(scope, source, [{ ...ledger, movements: taxes }]), show);
  await show();
  assert.equal(await netOf(), 181);
});

test('a refund that the report does not have yet leaves the net amount incomplete', {
  tags: ['slow'],
}, async (t) => {
  const { instance, shop, read } = await openShop(t);
  const order = shop.world.place();
  shop.world.deliver(order.id);
  instance.clock.advance({ hours: 1 });
  await readReport(instance, read);
  shop.world.refund(order.id, '10.00');
  instance.clock.advance({ hours: 1 });
  await read('orders');
  await runHousekeeping(instance.app.exchange);

  const { body: open } = await instance.api(`/v1/orders/${order.id}`, {});
  instance.clock.advance({ hours: 12 });
  await readReport(instance, read);
  const { body: done } = await instance.api(`/v1/orders/${order.id}`, {});

  assert.deepEqual([open.data.refunded_total, open.data.net_complete], [10, false]);
  const net = cents(order.total) - Math.round(cents(order.total) * 0.13);
  assert.deepEqual(
    [done.data.net_complete, Math.round(done.data.net_total * 100)],
    [true, net - 1000 + 130],
  );
});

test('the net amount is complete without a discount that is not paid, and without cancelled pieces', {
  tags: ['slow'],
}, async (t) => {
  const { instance, move } = await openLedger(t, ACCOUNT);
  const [item] = anOrder().items;
  const totalIncludes = { shipping: true, tax: true, orderDiscount: false };
  const pieces = { ...item, quantity: 2, unitPrice: decimal('116.00'), cancelledQuantity: 1 };
  const given = { ...ACCOUNT, total: decimal('232.00'), status: 'delivered' } as const;
  const sold = async (id: string, order: Partial<Order>, amount: string) => {
    await instance.record([anOrder({ ...given, ...order, id })]);
    const [sale] = rowsOf(id, { on: '2026-11-05' }, instance.clock.now());
    await move([{ ...sale, amount: decimal(amount) } as SourceMovement]);
    await runHousekeeping(instance.app.exchange);
    return (await instance.api(`/v1/orders/${id}`, {})).body.data.net_complete;
  };
  const discount = { orderDiscount: decimal('20.00'), totalIncludes };
  assert.equal(await sold('702-0000101', discount, '212.00'), true);
  assert.equal(await sold('702-0000102', discount, '211.99'), false);
  const cancelled = { items: [pieces as Order['items'][number]] };
  assert.equal(await sold('702-0000103', cancelled, '116.00'), true);
  assert.equal(await sold('702-0000104', cancelled, '115.99'), false);
});

test('a report without the column of gross amounts reports no fees, and loses no money', async (t) => {
  const { instance, shop, read } = await openShop(t);
  const columns = ['DATE', 'SOURCE_ID', 'EXTERNAL_REFERENCE', 'RECORD_TYPE', 'DESCRIPTION'];
  await configure(shop, 'tienda', [...columns, 'NET_CREDIT_AMOUNT', 'NET_DEBIT_AMOUNT']);
  const order = shop.world.place();
  shop.world.deliver(order.id);
  const at = instance.clock.now().epochMilliseconds;
  shop.switches.withdrawals.push({ at: at - HOUR, amount: '1000.00' });
  instance.clock.advance({ hours: 1 });
  await read('orders');

  await readReport(instance, read);

  const all = await movementsOf(instance);
  const rows = all.filter(({ order_id }) => order_id === order.id);
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ['other'],
  );
  assert.deepEqual(
    all.filter(({ payout_id }) => payout_id !== null).map(({ kind, amount }) => [kind, amount]),
    [['payout', '-1000']],
  );
  const findings = await within(instance).read((scope) =>
    scope.rows(scope.select('findings').select(['kind', 'amount'])),
  );
  assert.deepEqual(findings, []);
  const { body } = await instance.api(`/v1/orders/${order.id}`, {});
  const net = cents(order.total) - Math.round(cents(order.total) * 0.13);
  assert.deepEqual(
    [body.data.fees_source, body.data.net_total, body.data.net_complete],
    ['order', net / 100, false],
  );
});

test('a configuration that we made earlier gets the columns that it lacks; others do not', async (t) => {
  const { shop, read, instance } = await openShop(t);
  const puts = () => shop.requests.filter(({ method }) => method === 'PUT').length;
  const made = await configure(shop, 'tianguis', ['DATE', 'RECORD_TYPE']);
  assert.deepEqual([made, puts()], [200, 1]);
  await read('settlements');
  assert.equal(puts(), 2);
  await configure(shop, 'tienda', ['DATE', 'RECORD_TYPE']);
  instance.clock.advance({ hours: 30 });
  await read('settlements');
  assert.equal(puts(), 3);
});

// Arrangement

type Shop = Awaited<ReturnType<typeof openShop>>['shop'];

function gross(GROSS_AMOUNT: string) {
  return { GROSS_AMOUNT };
}

async function configure(shop: Shop, prefix: string, columns: string[]): Promise<number> {
  const answer = await fetch(`${shop.url}/v1/account/release_report/config`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${shop.credentials().access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ file_name_prefix: prefix, columns: columns.map((key) => ({ key })) }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

function moneyOf(order: Record<string, unknown>) {
  const { fees_total, fees_source, withheld_total, net_total, net_complete } = order;
  return { fees_total, fees_source, withheld_total, net_total, net_complete };
}

function within({ app, organization }: TestApp) {
  return app.database.within(organization.id);
}

function movementsOf(instance: TestApp) {
  return within(instance).read((scope) =>
    scope.rows(
      scope.select('movements').selectAll().orderBy('at').orderBy('key').orderBy('revision'),
    ),
  );
}

type Movements = Awaited<ReturnType<typeof movementsOf>>;

function sumOf(rows: Movements): Decimal {
  return add(...rows.map(({ amount }) => amount as Decimal));
}

function hasRow(rows: Movements, row: Movements[number]): boolean {
  return rows.some((one) => JSON.stringify(one) === JSON.stringify(row));
}

async function eventsOf(instance: TestApp, id: string) {
  const rows = await within(instance).read((scope) =>
    scope.rows(scope.select('events').select(['data'])),
  );
  return rows.filter(({ data }) => data.includes(id));
}
