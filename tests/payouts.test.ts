import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMirakl } from '../simulators/mirakl/index.ts';
import { cents } from '../simulators/order.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { listSettlements, recordSettlements } from '../src/features/balances/index.ts';
import { describePayout } from '../src/features/ledger/index.ts';
import { type CursorMaker, cursorMaker } from '../src/platform/cursor.ts';
import type { ReadScope } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/ids.ts';
import { add, type Decimal, decimal, subtract, ZERO } from '../src/platform/money.ts';
import { openApp, type TestApp } from './support/app.ts';
import { ACCOUNT as AMAZON, openLedger } from './support/findings.ts';
import { openShop, readReport } from './support/ledger.ts';
import { aPayout } from './support/settlement.ts';

// What a payout is made of, to the cent.

const ACCOUNT = { marketplace: 'mercado_libre', accountId: '468424241' } as const;

test('a payout that draws on a balance has the movements since the one before, and what stays', async (t) => {
  const { instance, shop, read } = await openShop(t);
  const [before, own, back] = [shop.world.place(), shop.world.place(), shop.world.place()];
  shop.world.deliver(before.id);
  instance.clock.advance({ hours: 1 });
  withdraw(shop, instance, '1000.00');
  instance.clock.advance({ hours: 1 });
  shop.world.deliver(own.id);
  shop.world.deliver(back.id);
  instance.clock.advance({ hours: 1 });
  shop.world.refund(back.id, '5.00');
  instance.clock.advance({ hours: 1 });
  withdraw(shop, instance, '300.00');
  instance.clock.advance({ hours: 1 });
  shop.world.deliver(shop.world.place().id);
  instance.clock.advance({ hours: 1 });

  await readReport(instance, read);

  const found = await payout(instance, '8100000001');
  assert.ok(found);
  const net = (total: string) => cents(total) - Math.round(cents(total) * 0.13);
  const carried = cents('12500.00') + net(before.total) - cents('1000.00');
  const moved = net(own.total) + net(back.total) - 500 + 65;
  assert.deepEqual(
    [found.difference, cents(found.carried ?? ''), cents(found.left ?? '')].map(Number),
    [0, carried, carried + moved - cents('300.00')],
  );
  assert.deepEqual(
    found.lines.map(({ order_id }) => order_id),
    ['', ...[own.id, back.id].toSorted()],
  );
  const sum = add(...found.lines.map((line) => line.net));
  assert.equal(Number(sum), Number(add(...found.sums.map(({ amount }) => amount))));
  // What was carried and what moved is what was paid and what stays.
  assert.equal(
    Number(subtract(add(found.carried as Decimal, sum), found.left as Decimal)),
    Number(found.payout.net),
  );

  const [first, second] = [await payout(instance, '8100000001', 2), found.lines];
  const rest = await payout(instance, '8100000001', 2, first?.nextCursor ?? null);
  assert.deepEqual([...(first?.lines ?? []), ...(rest?.lines ?? [])], second);
});

test('a payout whose time is told anew keeps the movements since the one before', {
  tags: ['slow'],
}, async (t) => {
  const { instance, shop, read } = await openShop(t);
  withdraw(shop, instance, '1000.00');
  instance.clock.advance({ hours: 1 });
  const order = shop.world.place();
  shop.world.deliver(order.id);
  instance.clock.advance({ hours: 1 });
  withdraw(shop, instance, '300.00');
  instance.clock.advance({ hours: 2 });
  await readReport(instance, read);
  const lines = async () =>
    (await payout(instance, '8100000001'))?.lines.map(({ order_id }) => order_id);
  assert.deepEqual(await lines(), ['', order.id]);

  for (const minutes of [30, -30]) {
    const [, last] = shop.switches.withdrawals;
    assert.ok(last);
    last.at += minutes * 60_000;
    instance.clock.advance({ hours: 12 });
    await readReport(instance, read);
    assert.deepEqual(await lines(), ['', order.id], `${minutes} minutes`);
  }

  for (const [minutes, orders] of [
    [90, []],
    [-90, [order.id]],
  ] as const) {
    const [before] = shop.switches.withdrawals;
    assert.ok(before);
    before.at += minutes * 60_000;
    instance.clock.advance({ hours: 12 });
    await readReport(instance, read);
    assert.deepEqual(await lines(), ['', ...orders], `${minutes} minutes of the one before`);
  }
});

test('of two payouts of one instant one has the movements, and the other what that one left', async (t) => {
  const { instance, shop, read } = await openShop(t);
  withdraw(shop, instance, '12500.00');
  instance.clock.advance({ hours: 1 });
  const order = shop.world.place();
  shop.world.deliver(order.id);
  withdraw(shop, instance, '100.00');
  withdraw(shop, instance, '50.00');
  instance.clock.advance({ hours: 1 });
  await readReport(instance, read);

  const found = [];
  for (const id of ['8100000001', '8100000002']) {
    const one = await payout(instance, id);
    assert.ok(one?.carried && one.left);
    const sum = add(ZERO, ...one.lines.map(({ net }) => net));
    assert.equal(Number(subtract(add(one.carried, sum), one.left)), Number(one.payout.net), id);
    found.push({ orders: one.lines.flatMap(({ order_id }) => order_id || []), ...one });
  }
  const [first, second] = found;
  assert.deepEqual(
    found.map(({ orders }) => orders),
    [[order.id], []],
  );
  assert.deepEqual([Number(first?.carried), first?.left], [0, second?.carried]);
});

test('payouts that came back are movements of the next one that stays, which has their orders', async (t) => {
  const { instance, shop, read } = await openShop(t);
  const now = () => instance.clock.now().epochMilliseconds;
  const pay = (amount: string) => {
    withdraw(shop, instance, amount);
    instance.clock.advance({ hours: 1 });
  };
  const deliver = () => {
    const { id } = shop.world.place();
    shop.world.deliver(id);
    instance.clock.advance({ hours: 1 });
    return id;
  };
  const comeBack = (index: number) =>
    Object.assign(shop.switches.withdrawals[index] as object, {
      back: { at: now(), description: 'withdrawal_cancel' },
    });
  pay('12500.00');
  const orders = [deliver()];
  pay('100.00');
  orders.push(deliver());
  pay('50.00');
  comeBack(1);
  orders.push(deliver());
  pay('20.00');
  comeBack(2);
  pay('10.00');
  await readReport(instance, read);

  const shown = async (id: string) => {
    const one = await payout(instance, id);
    const money = [one?.carried, one?.left].map((amount) => amount && Number(amount));
    const back = one?.lines.filter(({ kind }) => kind === 'payout').map(({ net }) => Number(net));
    return { orders: one?.lines.flatMap(({ order_id }) => order_id || []), back, money };
  };
  for (const id of ['8100000001', '8100000002'])
    assert.deepEqual(await shown(id), { orders: [], back: [], money: [null, null] });
  const third = await shown('8100000003');
  assert.deepEqual([third.orders, third.back], [orders, [-144, 97]], '97 and 47 away, 97 back');
  assert.equal(third.money[0], 0);
  const last = await shown('8100000004');
  assert.deepEqual([last.orders, last.back], [[], [47]]);
  assert.equal(last.money[0], third.money[1]);
});

test('a payout that left again under its id has its orders, and one between the two has its own', async (t) => {
  const { instance, shop, read } = await openShop(t);
  const hour = () => instance.clock.advance({ hours: 1 });
  const deliver = () => {
    const { id } = shop.world.place();
    shop.world.deliver(id);
    hour();
    return id;
  };
  const move = (id: string, amount: string, description = 'withdrawal') => {
    const at = instance.clock.now().epochMilliseconds;
    const row = { DATE: new Date(at).toISOString(), SOURCE_ID: id, DESCRIPTION: description };
    shop.switches.movements.push({ at, net: amount, row: { ...row, GROSS_AMOUNT: amount } });
    hour();
  };
  const shown = async (id: string) => {
    const one = await payout(instance, id);
    assert.ok(one?.carried && one.left);
    const sum = add(ZERO, ...one.lines.map(({ net }) => net));
    const money = [one.payout.net, one.difference, subtract(add(one.carried, sum), one.left)];
    const moved = one.lines.flatMap(({ kind, net }) => (kind === 'payout' ? Number(net) : []));
    return {
      ...{ status: one.payout.status, money: money.map(Number), moved, carried: one.carried },
      ...{ left: one.left, orders: one.lines.flatMap(({ order_id }) => order_id || []) },
    };
  };
  const orders = [deliver()];
  move('W-1', '-50.00');
  orders.push(deliver());
  move('W-2', '-20.00');
  orders.push(deliver());
  move('W-1', '50.00', 'withdrawal_cancel');
  orders.push(deliver());
  move('W-1', '-50.00');
  const twice = [deliver()];
  move('W-3', '-30.00');
  twice.push(deliver());
  move('W-4', '-10.00');
  twice.push(deliver());
  move('W-3', '-40.00');
  await readReport(instance, read);

  const [second, first] = [await shown('W-2'), await shown('W-1')];
  assert.deepEqual([second.money, second.moved], [[20, 0, 20], [-50]]);
  assert.deepEqual([first.status, first.money, first.moved], ['paid', [50, 0, 50], [50]]);
  assert.deepEqual([second.orders, first.orders], [orders.slice(0, 2), orders.slice(2)]);
  assert.equal(first.carried, second.left);

  const [part, whole] = [await shown('W-4'), await shown('W-3')];
  assert.deepEqual([part.money, part.moved, part.orders], [[10, 0, 10], [], twice.slice(0, 2)]);
  assert.deepEqual([whole.money, whole.moved, whole.orders], [[70, 0, 70], [], twice.slice(2)]);
});

test('a payout that a later report corrects, to an earlier time, too, is as that report has it', async (t) => {
  const { instance, shop, read } = await openShop(t);
  instance.clock.advance({ hours: 1 });
  withdraw(shop, instance, '300.00');
  instance.clock.advance({ hours: 2 });
  await readReport(instance, read);
  const [only] = shop.switches.withdrawals;
  assert.ok(only);
  for (const [minutes, amount, net] of [
    [-30, '290.00', 287],
    [45, '310.00', 307],
  ] as const) {
    only.at += minutes * 60_000;
    only.amount = amount;
    instance.clock.advance({ hours: 12 });
    await readReport(instance, read);
    const found = await payout(instance, '8100000000');
    assert.deepEqual(
      [found?.payout.net, found?.difference, found?.payout.paidAt?.epochMilliseconds].map(Number),
      [net, 0, only.at],
    );
  }
});

test('a movement without order and name has its line in a payout', async (t) => {
  const { inside, move } = await openLedger(t);
  const at = Temporal.Instant.from('2026-09-05T18:00:00Z');
  const names = ['', 'ServiceFee'];
  await move(
    names.map((nativeType) => ({
      ...{ key: nativeType, kind: 'other' as const, amount: decimal('7'), currency: 'MXN', at },
      ...{ nativeType, orderId: null, payoutId: 'P-1', isOpen: false },
    })),
  );
  await inside((scope) =>
    recordSettlements(scope, { ...AMAZON, connectionId: newId() }, [aPayout('P-1', '14', at)], {
      announce: false,
    }),
  );
  const page = (cursor: string | null) =>
    inside((scope) => describePayout(scope, CURSORS, { ...AMAZON, id: 'P-1', limit: 1, cursor }));
  const first = await page(null);
  const second = await page(first?.nextCursor ?? null);
  assert.deepEqual(
    [first, second].flatMap((one) => one?.lines ?? []).map(({ native_type }) => native_type),
    names,
  );
});

test('the first payout carries what the account held before its ledger begins', async (t) => {
  const { instance, shop, read } = await openShop(t);
  const order = shop.world.place();
  shop.world.deliver(order.id);
  instance.clock.advance({ hours: 1 });
  withdraw(shop, instance, '1000.00');
  instance.clock.advance({ hours: 1 });
  await readReport(instance, read);

  const found = await payout(instance, '8100000000');

  assert.deepEqual([Number(found?.carried), Number(found?.difference)], [12_500, 0]);
});

test('what the account held before is known, too, where a row of the first report cannot be read', async (t) => {
  const { instance, shop, read } = await openShop(t);
  const at = instance.clock.now().subtract({ hours: 40 * 24 }).epochMilliseconds;
  const row = { SOURCE_ID: '1', DESCRIPTION: 'payment', GROSS_AMOUNT: 'mil' };
  const sold = { SOURCE_ID: '2', DESCRIPTION: 'payment', GROSS_AMOUNT: '80.00' };
  shop.switches.movements.push({ at, net: '0.00', row }, { at, net: '80.00', row: sold });
  instance.clock.advance({ hours: 1 });
  withdraw(shop, instance, '1000.00');
  instance.clock.advance({ hours: 1 });
  await readReport(instance, read);

  const found = await payout(instance, '8100000000');
  assert.deepEqual(
    [found?.carried, found?.left, found?.difference].map(Number),
    [12_500, 11_580, 0],
  );
});

test('a payout that the ledger does not have, or has with another amount, says so', async (t) => {
  const { instance, shop, read } = await openShop(t);
  instance.clock.advance({ hours: 1 });
  withdraw(shop, instance, '1000.00');
  instance.clock.advance({ hours: 1 });
  await readReport(instance, read);
  await settle(instance, 'P-9', '50.00');
  await settle(instance, '8100000000', '990.00');

  assert.equal((await payout(instance, 'P-9'))?.difference, null);
  assert.equal(Number((await payout(instance, '8100000000'))?.difference), -7);
  assert.equal(await payout(instance, 'P-10'), null);
});

test('a payout in another currency is made of no pesos, and is not compared with them', async (t) => {
  const { instance, shop, read } = await openShop(t);
  shop.world.deliver(shop.world.place().id);
  instance.clock.advance({ hours: 1 });
  withdraw(shop, instance, '1000.00');
  instance.clock.advance({ hours: 1 });
  await readReport(instance, read);
  await settle(instance, '8100000000', '1000.00', 'USD');

  const found = await payout(instance, '8100000000');
  assert.deepEqual(
    [found?.payout.currency, found?.difference, found?.lines, found?.sums],
    ['USD', null, [], []],
  );
});

test('every paid cycle of Mirakl is what its movements come to, and orders get their net amount', async (t) => {
  const instance = await openApp(t);
  const shop = await startMirakl({
    seed: 'ledger',
    now: () => instance.clock.now().epochMilliseconds,
  });
  t.after(shop.close);
  shop.world.fill({ orders: 60, days: 60 });
  await instance.connect('liverpool', { url: shop.url, credentials: shop.credentials() });
  for (const stream of ['orders', 'settlements'] as const)
    await syncOrganization(instance.app.exchange, {
      organizationId: instance.organization.id,
      service: null,
      stream,
    });

  const { settlements } = await read(instance, (scope, cursors) =>
    listSettlements(scope, cursors, { ...ALL, status: ['paid'] }),
  );
  assert.ok(settlements.length > 3);
  for (const { marketplace, accountId, id, net } of settlements) {
    const found = await read(instance, (scope, cursors) =>
      describePayout(scope, cursors, { marketplace, accountId, id, limit: 100, cursor: null }),
    );
    assert.deepEqual([Number(found?.difference), found?.carried, found?.left], [0, null, null]);
    assert.equal(Number(add(...(found?.lines ?? []).map((line) => line.net))), Number(net));
  }
  const { body } = await instance.api('/v1/orders', { status: 'delivered', limit: 1 });
  const { body: order } = await instance.api(`/v1/orders/${body.data[0].id}`, {});
  const { total, fees_total, fees_source, net_total } = order.data;
  assert.deepEqual([fees_source, net_total], ['ledger', Number((total - fees_total).toFixed(2))]);
});

// Arrangement

/** Cursors that never leave the process. */
const CURSORS = { make: JSON.stringify, open: (text: string): unknown => JSON.parse(text) };
const ALL = { marketplace: [], status: [], from: null, to: null, limit: 100, cursor: null };

function read<T>(
  { app, organization }: TestApp,
  work: (scope: ReadScope, cursors: CursorMaker) => Promise<T>,
): Promise<T> {
  const cursors = cursorMaker(app.exchange.keyring);
  return app.database.within(organization.id).read((scope) => work(scope, cursors));
}

type Shop = Awaited<ReturnType<typeof openShop>>['shop'];

function withdraw(shop: Shop, { clock }: TestApp, amount: string): void {
  shop.switches.withdrawals.push({ at: clock.now().epochMilliseconds, amount });
}

function payout(instance: TestApp, id: string, limit = 100, cursor: string | null = null) {
  return read(instance, (scope, cursors) =>
    describePayout(scope, cursors, { ...ACCOUNT, id, limit, cursor }),
  );
}

function settle(instance: TestApp, id: string, net: string, currency = 'MXN') {
  const settlement = { ...aPayout(id, net, instance.clock.now()), currency };
  return instance.app.database.within(instance.organization.id).write((scope) =>
    recordSettlements(scope, { ...ACCOUNT, connectionId: newId() }, [settlement], {
      announce: false,
    }),
  );
}
