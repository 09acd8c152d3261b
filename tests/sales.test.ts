import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Marketplace, OrderStatus } from '../src/connectors/contract.ts';
import { type Order, ordersOfPeriod, recordOrders } from '../src/features/orders/index.ts';
import {
  BOOKS_TIMEZONE,
  type Figures,
  type GroupBy,
  recountSales,
  recountWaiting,
  type SalesQuery,
  salesSummary,
} from '../src/features/sales/index.ts';
import { movedDays } from '../src/features/sales/move-days.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { decimal } from '../src/platform/money.ts';
import { type Dice, diceOf } from './reliability/support/dice.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { someoneWaits } from './support/server.ts';

// Also runs on served PostgreSQL and Redis.

const shared = await openApp(WHOLE_FILE);

const NOVEMBER = { from: '2026-11-01', to: '2026-11-30' };
const OCTOBER = { from: '2026-10-01', to: '2026-10-31' };

// What counts

test('a summary counts orders, units, gross and the average ticket', async () => {
  const instance = await shared.another();

  await instance.record([
    anOrder({ id: 'A', total: decimal('100.10'), items: [goods('TAZA', 2, '50.05')] }),
    anOrder({ id: 'B', total: decimal('50'), items: [goods('TAZA', 1, '50')] }),
  ]);

  const [mxn] = (await summary(instance)).totals;
  assert.deepEqual(
    [mxn?.currency, mxn?.orders, mxn?.units, mxn?.gross, mxn?.net, mxn?.averageTicket],
    ['MXN', 2, 3, '150.1', '150.1', '75.05'],
  );
});

test('cancelled and wholly refunded orders are no sales, and are counted apart', async () => {
  const instance = await shared.another();

  await instance.record([
    anOrder({ id: 'A', total: decimal('10') }),
    anOrder({ id: 'B', total: decimal('20'), status: 'cancelled' }),
    anOrder({ id: 'C', total: decimal('40'), status: 'refunded' }),
  ]);

  const [mxn] = (await summary(instance)).totals;
  assert.deepEqual([mxn?.orders, mxn?.gross], [1, '10']);
  assert.deepEqual(mxn?.cancelled, { orders: 1, gross: '20' });
  assert.deepEqual(mxn?.refunded, { orders: 1, gross: '40' });
});

test('a late refund lowers the month of its sale and counts apart in the month in which it was made', async () => {
  const instance = await shared.another();
  const sale = anOrder({ dateCreated: at('2026-10-20T18:00:00Z'), total: decimal('300') });
  await instance.record([sale]);

  await instance.record([
    later(sale, { refundedTotal: decimal('80'), refunds: [refund('80', '2026-11-05T18:00:00Z')] }),
  ]);

  const [october] = (await summary(instance, OCTOBER)).totals;
  const [november] = (await summary(instance, NOVEMBER)).totals;
  assert.deepEqual([october?.gross, october?.refunds, october?.net], ['300', '80', '220']);
  assert.deepEqual(october?.refundsMade, { refunds: 0, amount: '0' });
  assert.deepEqual(
    [november?.orders, november?.gross, november?.refunds, november?.net],
    [0, '0', '0', '0'],
  );
  assert.deepEqual(november?.refundsMade, { refunds: 1, amount: '80' });
});

test('a refund without a date belongs to its sale alone', async () => {
  const instance = await shared.another();

  await instance.record([
    anOrder({ total: decimal('300'), refundedTotal: decimal('30'), refunds: [] }),
  ]);

  const [mxn] = (await summary(instance)).totals;
  assert.deepEqual(
    [mxn?.refunds, mxn?.undatedRefunds, mxn?.refundsMade?.amount],
    ['30', '30', '0'],
  );
});

test('currencies are never added together', async () => {
  const instance = await shared.another();

  await instance.record([
    anOrder({ id: 'A', currency: 'MXN', total: decimal('100') }),
    anOrder({ id: 'B', currency: 'USD', total: decimal('7') }),
  ]);

  const { totals, groups } = await summary(instance, { groupBy: 'day' });
  assert.deepEqual(
    totals.map(({ currency, gross }) => [currency, gross]),
    [
      ['MXN', '100'],
      ['USD', '7'],
    ],
  );
  assert.deepEqual(
    groups.map(({ key, currency, gross }) => [key, currency, gross]),
    [
      ['2026-11-15', 'MXN', '100'],
      ['2026-11-15', 'USD', '7'],
    ],
  );
});

test('an order that moves to another currency leaves nothing behind in the first', async () => {
  const instance = await shared.another();
  const order = anOrder({ currency: 'MXN', total: decimal('100') });
  await instance.record([order]);

  await instance.record([later(order, { currency: 'USD', total: decimal('5.50') })]);

  const { totals } = await summary(instance);
  assert.deepEqual(
    totals.map(({ currency, gross }) => [currency, gross]),
    [['USD', '5.5']],
  );
});

test('an order without a total is counted apart, and not as 0', async () => {
  const instance = await shared.another();

  await instance.record([
    anOrder({ id: 'A', total: decimal('100') }),
    anOrder({ id: 'B', total: null }),
  ]);

  const [mxn] = (await summary(instance)).totals;
  assert.deepEqual([mxn?.orders, mxn?.ordersWithoutTotal, mxn?.averageTicket], [1, 1, '100.00']);
});

test('test orders are no sales', async () => {
  const instance = await shared.another();

  await instance.record([anOrder({ tags: ['test_order'] })]);

  assert.deepEqual((await summary(instance)).totals, []);
});

test('an order that Tiendanube mirrors from Mercado Libre counts only while Mercado Libre is not connected', async () => {
  const instance = await shared.another();
  const mirrored = { marketplace: 'tiendanube', tags: ['storefront:meli'] } as const;
  await instance.record([
    anOrder({ id: 'A', ...mirrored, total: decimal('100') }),
    anOrder({
      id: 'B',
      marketplace: 'tiendanube',
      tags: ['storefront:store'],
      total: decimal('1'),
    }),
  ]);
  const alone = await summary(instance);

  await connectMercadoLibre(instance);

  const together = await summary(instance);
  assert.deepEqual([alone.totals[0]?.gross, alone.mirroredLeftOut], ['101', []]);
  assert.deepEqual([together.totals[0]?.gross, together.mirroredLeftOut], ['1', ['mercado_libre']]);
});

// When it counts

test('a day ends at midnight in Mexico City', async () => {
  const instance = await shared.another();

  await instance.record([
    anOrder({ id: 'A', dateCreated: at('2026-11-15T05:59:59.999Z') }),
    anOrder({ id: 'B', dateCreated: at('2026-11-15T06:00:00Z') }),
  ]);

  const { groups, timezone } = await summary(instance, { groupBy: 'day' });
  assert.equal(timezone, BOOKS_TIMEZONE);
  assert.deepEqual(
    groups.map(({ key, orders }) => [key, orders]),
    [
      ['2026-11-14', 1],
      ['2026-11-15', 1],
    ],
  );
});

test('another time zone has other days', async () => {
  const instance = await shared.another();
  await instance.record([
    anOrder({ id: 'A', dateCreated: at('2026-11-15T05:30:00Z'), items: [goods('TAZA', 2, '50')] }),
    anOrder({ id: 'B', dateCreated: at('2026-11-15T06:30:00Z'), items: [goods('VASO', 1, '20')] }),
  ]);

  const cancun = { timezone: 'America/Cancun' };
  const { groups, totals } = await summary(instance, { ...cancun, groupBy: 'day' });
  const products = await summary(instance, { ...cancun, groupBy: 'product' });

  assert.deepEqual(
    groups.map(({ key, orders }) => [key, orders]),
    [['2026-11-15', 2]],
  );
  assert.equal(totals[0]?.refundsMade, null);
  assert.deepEqual(
    products.groups.map(({ key, gross }) => [key, gross]),
    [
      ['TAZA', '100'],
      ['VASO', '20'],
    ],
  );
  await assert.rejects(summary(instance, { timezone: 'Mexico/Narnia' }), /no existe/);
});

test('a time zone with the same days is answered from the books', async () => {
  const instance = await shared.another();
  await instance.record([
    anOrder({ id: 'A', dateCreated: at('2026-11-15T05:30:00Z'), items: [goods('TAZA', 2, '50')] }),
    anOrder({ id: 'B', dateCreated: at('2026-11-15T06:30:00Z'), items: [goods('VASO', 1, '20')] }),
  ]);

  const there = await summary(instance, { timezone: 'America/Monterrey', groupBy: 'day' });
  const books = await summary(instance, { groupBy: 'day' });

  assert.equal(there.timezone, 'America/Monterrey');
  assert.deepEqual(there.totals[0]?.refundsMade, { refunds: 0, amount: '0' });
  assert.deepEqual([there.groups, there.totals], [books.groups, books.totals]);
});

const ZONES = ['America/Tijuana', 'America/Hermosillo', 'America/Cancun', 'Asia/Kolkata'];

for (const timezone of ZONES)
  test(`sales of days in ${timezone} are those of each order counted by itself`, async () => {
    const instance = await shared.another();
    const dice = diceOf(timezone.length);
    const orders = Array.from({ length: 300 }, (_, index) => {
      const currency = dice.pick(['MXN', 'MXN', 'USD']);
      const item = goods(dice.pick(['TAZA', 'VASO', 'PLATO']), 1, String(dice.below(90) + 1));
      return anOrder({
        id: `A${index}`,
        marketplace: dice.pick(['mercado_libre', 'shopify']),
        status: dice.pick(['paid', 'paid', 'cancelled']),
        currency,
        total: decimal(String(dice.below(900) + 1)),
        items: [{ ...item, currency }],
        // Among them the change of clocks in Tijuana, and both ends of the period.
        dateCreated: at('2026-10-24T00:00:00Z').add({ minutes: dice.below(17 * 24 * 60) }),
      });
    });
    await instance.record(orders);
    const period = { from: '2026-10-27', to: '2026-11-08' };
    const dayOf = (order: Order) =>
      order.dateCreated.toZonedDateTimeISO(timezone).toPlainDate().toString();
    const weekOf = (order: Order) => {
      const day = Temporal.PlainDate.from(dayOf(order));
      return day.subtract({ days: day.dayOfWeek - 1 }).toString();
    };
    const keys: Record<Exclude<GroupBy, 'status'>, (order: Order) => string> = {
      day: dayOf,
      week: weekOf,
      month: (order) => dayOf(order).slice(0, 7),
      marketplace: ({ marketplace }) => marketplace,
      product: ({ items }) => items[0]?.sku ?? '',
    };
    const sales = orders.filter(
      (order) =>
        order.status === 'paid' && dayOf(order) >= period.from && dayOf(order) <= period.to,
    );

    for (const groupBy of ['day', 'week', 'month', 'marketplace', 'product'] as const) {
      const { groups } = await summary(instance, { ...period, timezone, groupBy });
      const wanted = Map.groupBy(sales, (order) => `${keys[groupBy](order)} ${order.currency}`);
      const worthOf = ({ total, items: [item] }: Order) =>
        Number(groupBy === 'product' ? item?.unitPrice : total);
      assert.deepEqual(
        new Map(
          groups
            .filter(({ orders }) => orders > 0)
            .map((group) => [
              `${group.key} ${group.currency}`,
              [group.orders, Number(group.gross)],
            ]),
        ),
        new Map(
          [...wanted]
            .map(
              ([key, own]) =>
                [key, [own.length, own.reduce((sum, order) => sum + worthOf(order), 0)]] as const,
            )
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        ),
        groupBy,
      );
    }
  });

test('a seller with very many orders sees them in any time zone', { tags: ['slow'] }, async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ dateCreated: at('2026-11-15T12:00:00Z') })]);
  await copyTheOnly(instance, 20_001);
  await instance.app.database.within(instance.organization.id).write(recountSales);

  const { totals } = await summary(instance, { timezone: 'America/Tijuana', groupBy: 'day' });

  assert.equal(totals[0]?.orders, 20_002);
});

test('where too many orders would be read, the answer says how to ask for fewer', async () => {
  const instance = await shared.another();
  const times = ['2026-11-15T06:30:00Z', '2026-11-16T06:30:00Z'];
  await instance.record(times.map((time) => anOrder({ id: time, dateCreated: at(time) })));
  const moved = (groups: 'day' | 'week', most: number) =>
    instance.app.database
      .within(instance.organization.id)
      .read((scope) => movedDays(scope, NOVEMBER, groups, 'America/Tijuana', most));

  await assert.rejects(moved('day', 1), /Agrúpalas por semana o por mes/);
  assert.equal((await moved('day', 2)).sums.days.size, 3);
  assert.equal((await moved('week', 1)).sums.days.size, 2);
});

test('a day whose orders all belong to the day before in the time zone is not shown', async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ dateCreated: at('2026-11-15T06:30:00Z') })]);

  const { groups } = await summary(instance, { timezone: 'America/Tijuana', groupBy: 'day' });

  assert.deepEqual(
    groups.map(({ key, orders }) => [key, orders]),
    [['2026-11-14', 1]],
  );
});

test('while very many orders are read, others get their turn', async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ dateCreated: at('2026-11-15T12:00:00Z') })]);
  await copyTheOnly(instance, 2_999);
  const period = { from: at('2026-11-01T06:00:00Z'), to: at('2026-12-01T06:00:00Z') };

  let turns = 0;
  let counted = 0;
  const takeTurn = () => {
    turns++;
    if (counted < 3_000) setImmediate(takeTurn);
  };
  setImmediate(takeTurn);
  await instance.app.database.within(instance.organization.id).read(async (scope) => {
    for await (const _ of ordersOfPeriod(scope, period)) counted++;
  });

  assert.equal(counted, 3_000);
  assert.ok(turns >= 5, `${turns} turns`);
});

async function copyTheOnly(instance: TestApp, times: number): Promise<void> {
  await instance.app.database.write((handle) =>
    handle.sql(
      `insert into orders select (jsonb_populate_record(one, jsonb_build_object('id', 'X' || number))).*
         from orders one, generate_series(1, $2::int) number where one.organization_id = $1`,
      [instance.organization.id, times],
    ),
  );
}

test('weeks begin on Monday, and months are calendar months', async () => {
  const instance = await shared.another();
  await instance.record([
    anOrder({ id: 'A', dateCreated: at('2026-11-15T18:00:00Z') }),
    anOrder({ id: 'B', dateCreated: at('2026-11-16T18:00:00Z') }),
  ]);

  const weeks = await summary(instance, { groupBy: 'week' });
  const months = await summary(instance, { groupBy: 'month' });

  assert.deepEqual(
    weeks.groups.map(({ key }) => key),
    ['2026-11-09', '2026-11-16'],
  );
  assert.deepEqual(
    months.groups.map(({ key, orders }) => [key, orders]),
    [['2026-11', 2]],
  );
});

test('sales by marketplace, by status and by product', async () => {
  const instance = await shared.another();
  await instance.record([
    anOrder({
      id: 'A',
      total: decimal('100'),
      items: [goods('TAZA', 1, '60'), goods('TAZA', 1, '40')],
    }),
    anOrder({
      id: 'B',
      marketplace: 'walmart',
      total: decimal('30'),
      items: [goods('VASO', 3, '10')],
    }),
    anOrder({ id: 'C', status: 'cancelled', total: decimal('9'), items: [goods('VASO', 1, '9')] }),
  ]);

  const by = async (groupBy: GroupBy, more: Partial<SalesQuery> = {}) =>
    (await summary(instance, { groupBy, ...more })).groups.map(({ key, orders, units, gross }) => [
      key,
      orders,
      units,
      gross,
    ]);

  assert.deepEqual(await by('marketplace'), [
    ['mercado_libre', 1, 2, '100'],
    ['walmart', 1, 3, '30'],
  ]);
  assert.deepEqual(await by('status'), [
    ['cancelled', 1, 1, '9'],
    ['paid', 2, 5, '130'],
  ]);
  assert.deepEqual(await by('product'), [
    ['TAZA', 1, 2, '100'],
    ['VASO', 1, 3, '30'],
  ]);
  assert.deepEqual(await by('product', { marketplace: ['walmart'] }), [['VASO', 1, 3, '30']]);
  const { groups, hasMore } = await summary(instance, { groupBy: 'product', limit: 1 });
  assert.deepEqual([groups.length, hasMore], [1, true]);
});

test('the groups beyond the limit are added up by currency, so that shares add up to the whole', async () => {
  const instance = await shared.another();
  const sold = [
    ['A', 'MXN', '100'],
    ['B', 'MXN', '30'],
    ['C', 'MXN', '12.5'],
    ['D', 'USD', '9'],
    ['E', 'EUR', '8'],
    ['F', 'EUR', '7.25'],
  ] as const;
  await instance.record(
    sold.map(([sku, currency, price]) =>
      anOrder({
        id: sku,
        currency,
        total: decimal('999'),
        items: [{ ...goods(sku, 2, price), currency }],
      }),
    ),
  );
  const othersOf = async (query: Partial<SalesQuery>) =>
    (await summary(instance, query)).others.map((other) => Object.values(other));

  assert.deepEqual(await othersOf({ groupBy: 'product', limit: 1 }), [
    ['EUR', 1, 2, '14.5'],
    ['MXN', 3, 6, '285'],
    ['USD', 1, 2, '18'],
  ]);
  assert.deepEqual(await othersOf({ groupBy: 'product', limit: 4 }), [['MXN', 2, 4, '85']]);
  assert.deepEqual(await othersOf({ groupBy: 'product', limit: 6 }), []);
  assert.deepEqual(await othersOf({ groupBy: 'marketplace', limit: 2 }), [['USD', 1, 2, '999']]);
});

// What they are worth

test('after any life of its orders the sums are those of a recount', {
  tags: ['slow'],
}, async (t) => {
  const instance = await shared.another();
  const runs = Number(process.env.SALES_RUNS ?? 4);
  for (let seed = 1; seed <= runs; seed++) {
    const { organization } = await instance.tenant();
    const shop = lives(diceOf(seed));
    for (let page = 0; page < 30; page++) {
      await instance.record(shop.nextPage(), organization.id);
      if (page % 10 !== 9) continue;
      assert.deepEqual(
        grossByDay(await everything(instance, organization.id)),
        grossOf(shop.orders()),
        `seed ${seed}, page ${page}: what the sums say and what the orders add up to`,
      );
    }

    const recount = await instance.app.database.within(organization.id).write(recountSales);

    assert.deepEqual(recount, { orders: shop.orders().length, differing: 0 }, `seed ${seed}`);
  }
  t.diagnostic(`FIGURE sales: ${runs} shops of 30 pages each, 0 sums that a recount moved`);
});

test('several writers of one organisation lose no sale', { tags: ['slow'] }, async () => {
  const instance = await shared.another();
  const shops = [1, 2, 3, 4].map((seed) => lives(diceOf(100 + seed), `account-${seed}`));

  await Promise.all(
    shops.map(async (shop) => {
      for (let page = 0; page < 10; page++) await instance.record(shop.nextPage());
    }),
  );

  const { differing } = await instance.app.database
    .within(instance.organization.id)
    .write(recountSales);
  assert.equal(differing, 0);
  assert.deepEqual(
    grossByDay(await everything(instance, instance.organization.id)),
    grossOf(shops.flatMap((shop) => shop.orders())),
  );
});

test('the sums are right whichever commits first, a recount or orders that are stored meanwhile', async () => {
  const instance = await shared.another();
  const organization = instance.app.database.within(instance.organization.id);
  const order = (total: string, day: number) => {
    const changedAt = at('2026-11-20T00:00:00Z').add({ hours: 24 * day });
    return anOrder({ id: '1', total: decimal(total), changedAt, fetchedAt: changedAt });
  };
  await instance.record([order('100', 0)]);
  const store = (day: number) => (scope: WriteScope) => {
    const orders = [order(String(100 - day), day), anOrder({ id: `new ${day}` })];
    return recordOrders(scope, orders, instance.app.exchange.orderListeners);
  };
  const acts: readonly (readonly ((scope: WriteScope) => Promise<unknown>)[])[] = [
    [recountSales, store(1)],
    [store(2), recountSales],
  ];
  for (const [first, second] of acts) {
    assert.ok(first && second);
    const hasRun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const one = organization.write(async (scope) => {
      await first(scope);
      hasRun.resolve();
      await mayEnd.promise;
    });
    await hasRun.promise;
    const other = organization.write(second);
    await Promise.race([other, someoneWaits(instance.app.database)]);
    mayEnd.resolve();
    await Promise.all([one, other]);
    assert.equal((await organization.write(recountSales)).differing, 0);
  }
  const { totals } = await summary(instance);
  const gross = 98 + 2 * Number(anOrder().total);
  assert.deepEqual(
    totals.map((one) => [one.orders, Number(one.gross)]),
    [[3, gross]],
  );
});

test('a summary that a recount ends beside is complete only with its sums', async () => {
  const { instance, organization } = await uncounted();
  const holds = Promise.withResolvers<void>();
  const recount = organization.write(async (scope) => {
    await scope.handle.sql('lock table sales_recounts in access exclusive mode', []);
    holds.resolve();
    await someoneWaits(instance.app.database);
    await recountSales(scope);
  });
  await holds.promise;
  const { isComplete, totals } = await summary(instance);
  await recount;
  assert.deepEqual([isComplete, totals[0]?.gross], [true, '100']);
});

test('a sale that is cancelled while its day is read is counted once, or not at all', async () => {
  const instance = await shared.another();
  const order = anOrder({ dateCreated: at('2026-11-15T06:30:00Z'), status: 'paid' });
  await instance.record([order]);
  const changedAt = at('2026-11-20T00:00:00Z');
  const cancelled = { ...order, status: 'cancelled' as const, changedAt, fetchedAt: changedAt };
  const holds = Promise.withResolvers<void>();
  const cancels = instance.app.database.within(instance.organization.id).write(async (scope) => {
    await scope.handle.sql('lock table sales_days in access exclusive mode', []);
    holds.resolve();
    // The orders between the midnights are read by now, and the sums are not.
    await someoneWaits(instance.app.database);
    await recordOrders(scope, [cancelled], instance.app.exchange.orderListeners);
  });
  await holds.promise;
  const { groups } = await summary(instance, { timezone: 'America/Tijuana' });
  await cancels;
  assert.deepEqual(
    groups.map(({ key, orders, cancelled }) => [key, orders, cancelled.orders]),
    [['2026-11-14', 0, 1]],
  );
});

test('a recount mends what is wrong and says how much was', async () => {
  const instance = await shared.another();
  await instance.record([anOrder({ total: decimal('100') })]);
  const organization = instance.app.database.within(instance.organization.id);
  await organization.write((scope) =>
    scope.rows(scope.update('sales_days').set({ gross: '99', orders: 7 })),
  );

  const { differing } = await organization.write(recountSales);

  assert.equal(differing, 1);
  assert.deepEqual(
    (await summary(instance)).totals.map(({ orders, gross }) => [orders, gross]),
    [[1, '100']],
  );
});

test('orders that are older than the sums are counted by the next housekeeping', async () => {
  const { instance } = await uncounted();
  assert.equal((await summary(instance)).isComplete, false);

  await recountWaiting(instance.app.database);

  const { isComplete, totals } = await summary(instance);
  assert.deepEqual([isComplete, totals[0]?.gross], [true, '100']);
});

// Orders with a life

interface Shop {
  /**
   * A page as a source may send it: new ones, changed ones, the same again, and some of long ago.
   */
  nextPage(): Order[];
  /** Unchanged. */
  orders(): Order[];
}

const ACCOUNTS: readonly (readonly [Marketplace, string])[] = [
  ['mercado_libre', '1'],
  ['mercado_libre', '2'],
  ['amazon', 'A1'],
  ['tiendanube', '77'],
];
const SKUS = ['TAZA', 'VASO', 'PLATO', null];
const MOVES: readonly OrderStatus[] = [
  'paid',
  'shipped',
  'delivered',
  'returned',
  'cancelled',
  'refunded',
];

function lives(dice: Dice, account?: string): Shop {
  const now = new Map<string, Order>();
  const past: Order[] = [];
  let tick = 0;
  const version = () => at('2026-11-16T00:00:00Z').add({ seconds: ++tick });

  function place(): Order {
    const [marketplace, accountId] = dice.pick(ACCOUNTS);
    const changedAt = version();
    const items = Array.from({ length: dice.below(4) }, () => someGoods(dice));
    return anOrder({
      id: String(now.size),
      marketplace,
      accountId: account ?? accountId,
      status: dice.pick(['pending', 'paid']),
      currency: dice.chance(0.1) ? 'USD' : 'MXN',
      total: dice.chance(0.1) ? null : money(dice),
      dateCreated: at('2026-10-01T00:00:00Z').add({ seconds: dice.below(45 * 86_400) }),
      items,
      tags: dice.chance(0.05) ? ['test_order'] : dice.chance(0.1) ? ['storefront:meli', 'x'] : [],
      changedAt,
      fetchedAt: changedAt,
    });
  }

  function move(order: Order): Order {
    const changedAt = version();
    const changes: (() => Partial<Order>)[] = [
      () => ({ status: dice.pick(MOVES) }),
      () => ({ total: dice.chance(0.2) ? null : money(dice) }),
      () => ({ currency: order.currency === 'MXN' ? 'USD' : 'MXN' }),
      () => ({ items: Array.from({ length: dice.below(3) }, () => someGoods(dice)) }),
      () => refunds(order),
      () => ({ tags: dice.chance(0.5) ? [] : ['test_order'] }),
      () => ({ dateCreated: order.dateCreated.add({ hours: dice.below(48) }) }),
    ];
    return { ...order, ...dice.pick(changes)(), changedAt, fetchedAt: changedAt };
  }

  function refunds(order: Order): Partial<Order> {
    const more = { amount: money(dice), at: dice.chance(0.2) ? null : someTime(dice) };
    const list = dice.chance(0.2) ? [] : [...order.refunds, more];
    return { refunds: list, refundedTotal: dice.chance(0.5) ? null : money(dice) };
  }

  function step(): Order {
    if (past.length > 0 && dice.chance(0.1)) return dice.pick(past);
    if (now.size > 0 && dice.chance(0.15)) return dice.pick([...now.values()]);
    const former = now.size > 0 && dice.chance(0.6) ? dice.pick([...now.values()]) : null;
    if (former) past.push(former);
    const order = former ? move(former) : place();
    now.set(order.id, order);
    return order;
  }

  return {
    nextPage: () => Array.from({ length: 1 + dice.below(12) }, step),
    orders: () => [...now.values()],
  };
}

function someGoods(dice: Dice) {
  return goods(dice.pick(SKUS), 1 + dice.below(4), money(dice));
}

function money(dice: Dice) {
  return decimal(`${dice.below(900)}.${String(dice.below(100)).padStart(2, '0')}`);
}

function someTime(dice: Dice) {
  return at('2026-11-01T00:00:00Z').add({ seconds: dice.below(20 * 86_400) });
}

/** An account of its own: cents, whole orders, no sums that move. */
function grossOf(orders: readonly Order[]): Record<string, number> {
  const gross: Record<string, number> = {};
  for (const { status, total, tags, currency, dateCreated } of orders) {
    if (
      total === null ||
      status === 'cancelled' ||
      status === 'refunded' ||
      tags.includes('test_order')
    )
      continue;
    // There has been no daylight saving time since 2022.
    const day = dateCreated.subtract({ hours: 6 }).toString().slice(0, 10);
    gross[`${day} ${currency}`] =
      (gross[`${day} ${currency}`] ?? 0) + Math.round(Number(total) * 100);
  }
  return sorted(gross);
}

function grossByDay(
  groups: readonly { key: string; currency: string; orders: number; gross: string }[],
) {
  const sold = groups.filter(({ orders }) => orders > 0);
  return sorted(
    Object.fromEntries(
      sold.map(({ key, currency, gross }) => [
        `${key} ${currency}`,
        Math.round(Number(gross) * 100),
      ]),
    ),
  );
}

function sorted(record: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

// Arrangement

function at(text: string): Temporal.Instant {
  return Temporal.Instant.from(text);
}

function goods(sku: string | null, quantity: number, price: string) {
  const [item] = anOrder().items;
  const subtotal = decimal((Number(price) * quantity).toFixed(2));
  return {
    ...(item as Order['items'][number]),
    sku,
    quantity,
    unitPrice: decimal(price),
    subtotal,
  };
}

function refund(amount: string, when: string) {
  return { amount: decimal(amount), at: at(when) };
}

function later(order: Order, change: Partial<Order>): Order {
  const changedAt = (order.changedAt as Temporal.Instant).add({ hours: 1 });
  return { ...order, ...change, changedAt, fetchedAt: changedAt };
}

function summary(instance: TestApp, query: Partial<SalesQuery> = {}) {
  return instance.app.database.within(instance.organization.id).read((scope) =>
    salesSummary(scope, {
      ...NOVEMBER,
      groupBy: 'day',
      marketplace: [],
      timezone: null,
      limit: 200,
      ...query,
    }),
  );
}

async function everything(
  instance: TestApp,
  organizationId: string,
): Promise<(Figures & { key: string })[]> {
  const query = {
    from: '2026-09-01',
    to: '2026-12-31',
    groupBy: 'day' as const,
    marketplace: [],
    timezone: null,
    limit: 1_000,
  };
  const { groups } = await instance.app.database
    .within(organizationId)
    .read((scope) => salesSummary(scope, query));
  return [...groups];
}

async function connectMercadoLibre({ app: instance, organization, clock }: TestApp): Promise<void> {
  const now = clock.now().toString();
  await instance.database.within(organization.id).write((scope) =>
    scope.rows(
      scope.insert('connections', [
        {
          id: crypto.randomUUID(),
          service: 'mercado_libre',
          account_id: '1',
          name: 'TIENDA',
          state: 'ok',
          created_at: now,
          updated_at: now,
        },
      ]),
    ),
  );
}

/** An organisation with an order that its sums do not have yet. */
async function uncounted() {
  const instance = await shared.another();
  const organization = instance.app.database.within(instance.organization.id);
  await instance.record([anOrder({ total: decimal('100') })]);
  await organization.write(async (scope) => {
    await scope.rows(scope.remove('sales_days'));
    await scope.rows(scope.insert('sales_recounts', [{}]));
  });
  return { instance, organization };
}
