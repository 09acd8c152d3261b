import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forgetConnection } from '../src/exchange/connect/disconnect.ts';
import { planStreams } from '../src/exchange/connect/plan.ts';
import { findingsJob } from '../src/exchange/jobs/findings.ts';
import { recordSettlements } from '../src/features/balances/index.ts';
import { decideLink } from '../src/features/cfdi/index.ts';
import { beginStream, finishRun, noteFailure } from '../src/features/connections/index.ts';
import { findProblems } from '../src/features/findings/index.ts';
import { recordLedgers } from '../src/features/ledger/index.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { anOrder } from './support/app.ts';
import { aCertificate, aCfdi, aCfdiWithIsr, folioOf } from './support/cfdi-files.ts';
import { ACCOUNT, dayAfter, openLedger, RFC, SALE } from './support/findings.ts';
import { openSeller } from './support/seller.ts';
import { someoneWaits } from './support/server.ts';
import { aPayout } from './support/settlement.ts';

// Findings of fees, tax documents and certificates: what differs is found, and nothing else.

const MARKETPLACE = 'PPP010101PPP';

test('a commission that is not the usual one of its listing is found, and no other', async (t) => {
  const { find, sell, pay, all } = await openLedger(t);
  for (let day = 0; day < 12; day++) await sell({ on: dayAfter('2026-10-01', day) });
  for (let day = 0; day < 8; day++)
    await sell({ on: dayAfter('2026-10-01', day), fee: '58.00', listing: 'OTRA' });
  await sell({ on: '2026-10-02', fee: '12.00', listing: 'NUEVA' });
  await sell({ on: '2026-10-14', fee: '35.00' });
  const dear = await sell({ on: '2026-10-15', fee: '45.50' });
  const cheap = await sell({ on: '2026-10-16', fee: '29.00', listing: 'OTRA' });
  await sell({ on: '2026-10-17' });
  await pay('P-1', '2026-10-20');

  assert.equal(await find(), 2);
  assert.deepEqual(
    (await all()).map(({ kind, subject, amount, expected }) => [kind, subject, amount, expected]),
    [
      ['fee_unusual', cheap, '-29.00', '58.00'],
      ['fee_unusual', dear, '15.50', '30.00'],
    ],
  );
  assert.equal(await find(), 0);
});

test('orders of a month that ended without a CFDI are found, until each has one', async (t) => {
  const { find, sell, pay, upload, open } = await openSeller(t);
  const [first, second] = [await sell({ on: '2026-09-05' }), await sell({ on: '2026-09-06' })];
  await sell({ on: '2026-09-07', refunded: true });
  await sell({ on: '2026-09-08', unpaid: true, isTest: true });
  await sell({ on: '2026-11-07' });
  await pay('P-1', '2026-11-10');
  await find();
  assert.deepEqual(await open(), [], 'no CFDI was ever linked');

  await upload(aCfdi({ uuid: folioOf(1), total: SALE, sku: first, issuer: RFC }));
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [['orders_without_cfdi', '2026-09', 'amazon', 232, null]]);
  await upload(aCfdi({ uuid: folioOf(2), total: SALE, sku: second, issuer: RFC }));
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), []);
});

test('an account that tells no payouts is looked at every day, also one of a former release', async (t) => {
  const seller = await openSeller(t);
  const { instance, inside, sell, pay, upload, open, connect, finishOrders } = seller;
  const { app, organization } = instance;
  const invoiced = await sell({ on: '2026-09-05' });
  await pay('P-1', '2026-10-10');
  await upload(aCfdi({ uuid: folioOf(1), total: SALE, sku: invoiced, issuer: RFC }));
  const shop = { service: 'woocommerce', accountId: 'tienda.example' } as const;
  const at = Temporal.Instant.from('2026-09-20T18:00:00Z');
  const own = { marketplace: shop.service, accountId: shop.accountId, id: '101' };
  await instance.record([anOrder({ ...own, status: 'delivered', dateCreated: at })]);
  const connectionId = await connect(shop.service, shop.accountId);
  await finishOrders(connectionId);
  await planStreams(app.exchange);
  const planned = await inside((scope) =>
    scope.rows(scope.select('schedules').select('every_seconds').where('task', '=', 'findings')),
  );

  assert.deepEqual(planned, [{ every_seconds: 86_400 }]);
  await findingsJob.run(app.exchange, {
    organizationId: organization.id,
    subject: connectionId,
  });
  const found = ['orders_without_cfdi', '2026-09', 'woocommerce', Number(anOrder().total), null];
  assert.deepEqual(await open(), [found]);
});

test('an account that left, and imported orders, are looked at every day, too', async (t) => {
  const seller = await openSeller(t);
  const { instance, inside, sell, upload, open, connect, finishOrders } = seller;
  const { app, organization } = instance;
  const shop = { marketplace: 'woocommerce', accountId: 'tienda.example' } as const;
  const [imported, invoiced] = [await sell({ on: '2026-09-05' }), await sell({ on: '2026-09-06' })];
  const at = Temporal.Instant.from('2026-09-20T18:00:00Z');
  await instance.record([anOrder({ ...shop, id: '101', status: 'delivered', dateCreated: at })]);
  const connectionId = await connect(shop.marketplace, shop.accountId);
  await finishOrders(connectionId);
  await upload(aCfdi({ uuid: folioOf(1), total: SALE, sku: invoiced, issuer: RFC }));
  await forgetConnection(app, organization.id, connectionId);
  await planStreams(app.exchange);
  const schedules = await inside((scope) =>
    scope.rows(scope.select('schedules').select(['task', 'subject', 'every_seconds'])),
  );
  const planned = { task: 'findings', subject: organization.id, every_seconds: 86_400 };
  assert.deepEqual(schedules, [planned]);

  const run = () =>
    findingsJob.run(app.exchange, { organizationId: organization.id, subject: planned.subject });
  await run();
  const left = ['orders_without_cfdi', '2026-09', 'woocommerce', Number(anOrder().total), null];
  const own = ['orders_without_cfdi', '2026-09', 'amazon', Number(SALE), null];
  assert.deepEqual(new Set(await open()), new Set([left, own]));
  await upload(aCfdi({ uuid: folioOf(2), total: SALE, sku: imported, issuer: RFC }));
  await run();
  assert.deepEqual(await open(), [left]);
});

test('two runs of one organisation look one after the other', async (t) => {
  const { instance, inside, find, sell, pay } = await openSeller(t);
  await sell({ on: '2026-09-05' });
  await pay('P-1', '2026-10-10');
  // A run that writes nothing waits for no row.
  await find();
  const hasLooked = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const first = inside(async (scope) => {
    await findProblems(scope, ACCOUNT, 'America/Mexico_City');
    hasLooked.resolve();
    await mayEnd.promise;
  });
  await hasLooked.promise;
  let isOver = false;
  const second = find().then(() => {
    isOver = true;
  });
  await Promise.race([second, someoneWaits(instance.app.database)]);
  const wasOver = isOver;
  mayEnd.resolve();
  await Promise.all([first, second]);

  assert.equal(wasOver, false);
});

test('a payout of a sync run that begins beside the rules is no finding before its movements', async (t) => {
  const { instance, inside, find, sell, pay, move, open, connect, finishOrders } =
    await openSeller(t);
  await sell({ on: '2026-09-05' });
  await pay('P-1', '2026-10-10');
  const id = await connect(ACCOUNT.marketplace, ACCOUNT.accountId);
  await finishOrders(id);
  const payments = async (scope: WriteScope, isOver: boolean) => {
    const to = scope.clock.now();
    await beginStream(scope, id, 'settlements', { from: null, to });
    if (isOver) await finishRun(scope, id, 'settlements', null, to);
  };
  await inside((scope) => payments(scope, true));
  const at = Temporal.Instant.from('2026-10-20T18:00:00Z');
  const holds = Promise.withResolvers<void>();
  const page = inside(async (scope) => {
    await scope.handle.sql('lock table movements in access exclusive mode', []);
    holds.resolve();
    // The rules know by now that no sync run was under way.
    await someoneWaits(instance.app.database);
    await payments(scope, false);
    const source = { ...ACCOUNT, connectionId: id };
    await recordSettlements(scope, source, [aPayout('P-2', '850', at)], { announce: false });
  });
  await holds.promise;
  assert.equal(await find(), 0);
  await page;
  assert.deepEqual(await open(), []);

  const rest = { currency: 'MXN', at, nativeType: 'x', orderId: null, isOpen: false } as const;
  await move([{ ...rest, key: 'x', kind: 'other', amount: decimal('840'), payoutId: 'P-2' }]);
  await inside((scope) => payments(scope, true));
  assert.equal(await find(), 1, 'the end of the sync run');
  assert.deepEqual(await open(), [['payout_unexplained', 'P-2', 'amazon', 10, 840]]);
});

test('a payout of a sync run that failed half way is no finding until its movements were read', async (t) => {
  const { instance, inside, find, sell, pay, open, connect, finishOrders } = await openSeller(t);
  await sell({ on: '2026-09-05' });
  await pay('P-1', '2026-10-10');
  const id = await connect(ACCOUNT.marketplace, ACCOUNT.accountId);
  await finishOrders(id);
  const [first, second] = [instance.clock.now(), instance.clock.now().add({ hours: 12 })];
  await inside(async (scope) => {
    await beginStream(scope, id, 'settlements', { from: null, to: first });
    await finishRun(scope, id, 'settlements', null, first);
  });
  instance.clock.advance({ hours: 12 });
  const at = Temporal.Instant.from('2026-10-20T18:00:00Z');
  await inside(async (scope) => {
    await beginStream(scope, id, 'settlements', { from: first, to: second });
    const source = { ...ACCOUNT, connectionId: id };
    await recordSettlements(scope, source, [aPayout('P-2', '850', at)], { announce: false });
    await noteFailure(scope, id, 'settlements', 'no answer');
  });
  assert.equal(await find(), 0);

  await inside((scope) => finishRun(scope, id, 'settlements', null, second));
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [['payout_unexplained', 'P-2', 'amazon', 850, 0]]);
});

test('orders of a month in two currencies are two findings, which end apart', async (t) => {
  const { find, sell, pay, upload, open } = await openSeller(t);
  const first = await sell({ on: '2026-09-05' });
  const second = await sell({ on: '2026-09-06' });
  await pay('P-1', '2026-11-10');
  await sell({ on: '2026-09-07', currency: 'USD' });
  await upload(aCfdi({ uuid: folioOf(1), total: SALE, sku: first, issuer: RFC }));
  assert.equal(await find(), 2);
  const dollars = ['orders_without_cfdi', '2026-09 USD', 'amazon', 232, null];
  const pesos = ['orders_without_cfdi', '2026-09', 'amazon', 232, null];
  assert.deepEqual(new Set(await open()), new Set([dollars, pesos]));

  await upload(aCfdi({ uuid: folioOf(2), total: SALE, sku: second, issuer: RFC }));
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [dollars]);
});

test('a month is whole until it is looked at no more, and has no copies of other orders', {
  tags: ['slow'],
}, async (t) => {
  const { instance, inside, find, sell, pay, upload, open, connect } = await openSeller(t);
  const invoiced = await sell({ on: '2026-09-05' });
  for (const on of ['2026-09-12', '2026-09-28']) await sell({ on });
  await pay('P-1', '2026-10-10');
  await upload(aCfdi({ uuid: folioOf(1), total: SALE, sku: invoiced, issuer: RFC }));
  const shop = { marketplace: 'tiendanube', accountId: '1' } as const;
  const at = Temporal.Instant.from('2026-09-20T18:00:00Z');
  const copy = {
    id: '900',
    status: 'delivered',
    tags: ['storefront:meli'],
    dateCreated: at,
  } as const;
  await instance.record([anOrder({ ...shop, ...copy })]);
  const findThere = () => inside((scope) => findProblems(scope, shop, 'America/Mexico_City'));
  await find();
  await findThere();
  const month = ['orders_without_cfdi', '2026-09', 'amazon', 2 * Number(SALE), null];
  const copied = ['orders_without_cfdi', '2026-09', 'tiendanube', Number(anOrder().total), null];
  assert.deepEqual(
    new Set(await open()),
    new Set([month, copied]),
    'Mercado Libre is not connected',
  );

  await connect('mercado_libre', '2');
  assert.equal(await findThere(), 1);
  assert.deepEqual(await open(), [month]);
  for (let weeks = 0; weeks < 64; weeks++) {
    instance.clock.advance({ hours: 24 * 7 });
    assert.equal(await find(), 0, `after ${weeks + 1} weeks`);
  }
  assert.deepEqual(await open(), [month]);
});

test('a CFDI of one order with another total is found, and then that of two orders', async (t) => {
  const { instance, inside, find, sell, pay, upload, open } = await openSeller(t);
  const orders = [await sell({ on: '2026-11-05' }), await sell({ on: '2026-11-06' })];
  await pay('P-1', '2026-11-10');
  await upload(aCfdi({ uuid: folioOf(1), total: '230.00', sku: 'LAP-01', issuer: RFC }));
  const { orderListeners, announce } = instance.app.exchange;
  const link = (id: string | undefined, state: 'linked' | 'rejected') =>
    inside((scope) =>
      decideLink(scope, folioOf(1), { ...ACCOUNT, id: id as string }, state, [
        ...orderListeners,
        announce,
      ]),
    );
  await link(orders[0], 'linked');
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [['cfdi_total_differs', orders[0], 'amazon', -2, 232]]);
  await link(orders[1], 'linked');
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [['cfdi_total_differs', orders[0], 'amazon', -234, 464]]);
});

test('a CFDI of what the buyer paid is right, where the total leaves out shipping and a coupon', async (t) => {
  const { instance, find, sell, pay, upload, open } = await openSeller(t);
  await sell({ on: '2026-11-05' });
  await pay('P-1', '2026-11-10');
  const totalIncludes = { shipping: false, tax: true, orderDiscount: false };
  const money = { shippingTotal: decimal('29.00'), orderDiscount: decimal('20.00'), totalIncludes };
  const at = Temporal.Instant.from('2026-11-05T18:00:00Z');
  const order = { ...ACCOUNT, ...money, dateCreated: at, total: decimal('100.00') };
  const amounts = ['100.00', '129.00', '80.00', '109.00', '149.00'];
  const ids = amounts.map((_, place) => `20000000000005${place}0`);
  await instance.record(ids.map((id) => anOrder({ ...order, id })));
  const { orderListeners, announce } = instance.app.exchange;
  for (const [place, total] of amounts.entries()) {
    await upload(aCfdi({ uuid: folioOf(place), total, issuer: RFC }));
    await instance.app.database
      .within(instance.organization.id)
      .write((scope) =>
        decideLink(scope, folioOf(place), { ...ACCOUNT, id: ids[place] as string }, 'linked', [
          ...orderListeners,
          announce,
        ]),
      );
  }
  await find();
  const differs = (await open()).filter(([kind]) => kind === 'cfdi_total_differs');
  assert.deepEqual(differs, [['cfdi_total_differs', ids[4], 'amazon', 49, 100]]);
});

test('a CFDI of which its receiver keeps taxes is compared as it was before them', async (t) => {
  const { instance, inside, find, sell, pay, upload, open } = await openSeller(t);
  await sell({ on: '2026-11-05' });
  await pay('P-1', '2026-11-10');
  const ids = ['116.00', '117.00'].map((total) => ({ total, id: `2000000000000${total}` }));
  const dateCreated = Temporal.Instant.from('2026-11-05T18:00:00Z');
  await instance.record(
    ids.map(({ id, total }) => anOrder({ ...ACCOUNT, id, dateCreated, total: decimal(total) })),
  );
  const { orderListeners, announce } = instance.app.exchange;
  for (const [place, { id }] of ids.entries()) {
    await upload(aCfdiWithIsr(folioOf(place), ['LAP-01']));
    await inside((scope) =>
      decideLink(scope, folioOf(place), { ...ACCOUNT, id }, 'linked', [
        ...orderListeners,
        announce,
      ]),
    );
  }
  await find();
  const differs = (await open()).filter(([kind]) => kind === 'cfdi_total_differs');
  assert.deepEqual(differs, [['cfdi_total_differs', ids[1]?.id, 'amazon', -1, 117]]);
});

test('an invoice that its issuer substituted is compared with nothing', async (t) => {
  const { instance, inside, find, sell, pay, upload, open } = await openSeller(t);
  const order = await sell({ on: '2026-11-05' });
  await pay('P-1', '2026-11-10');
  const { orderListeners, announce } = instance.app.exchange;
  const link = async (number: number, total: string, head = '') => {
    await upload(aCfdi({ uuid: folioOf(number), total, head, issuer: RFC }));
    const listeners = [...orderListeners, announce];
    await inside((scope) =>
      decideLink(scope, folioOf(number), { ...ACCOUNT, id: order }, 'linked', listeners),
    );
  };
  await link(1, '230.00');
  await find();
  assert.deepEqual(await open(), [['cfdi_total_differs', order, 'amazon', -2, 232]]);
  await link(2, SALE, substituting(1));
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [], 'the new one is right');
  await link(3, '231.00', substituting(2));
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [['cfdi_total_differs', order, 'amazon', -1, 232]]);
});

test('certificates of a month are compared with the taxes of all accounts, where none is missing', async (t) => {
  const { instance, find, sell, pay, upload, open } = await openSeller(t);
  await sell({ on: '2026-10-05' });
  await pay('P-1', '2026-10-10');
  await upload(aCertificate({ uuid: folioOf(1) }).replace('AAAA010101AAA', RFC));
  await find();
  assert.deepEqual(await open(), [], 'a certificate may be rounded: 21.11 for 21.00');

  await sell({ on: '2026-10-06' });
  await pay('P-2', '2026-10-12');
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [['certificate_differs', '2026-10', '', -20.89, 42]]);

  const at = Temporal.Instant.from('2026-10-20T18:00:00Z');
  const unseen = { id: 'W-1', marketplace: 'walmart' as const, accountId: 'W', dateCreated: at };
  await instance.record([anOrder({ ...unseen, status: 'shipped' })]);
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [], 'the taxes that Walmart withheld are not in a ledger');
});

test("a bank's certificate of interest is none of the marketplaces'", async (t) => {
  const { find, sell, pay, upload, open } = await openSeller(t);
  await sell({ on: '2026-10-05' });
  await pay('P-1', '2026-10-10');
  const interest = aCertificate({ uuid: folioOf(1) })
    .replace('CveRetenc="26"', 'CveRetenc="16"')
    .replace('AAAA010101AAA', RFC)
    .replace(MARKETPLACE, 'BAN010101BAN')
    .replace('MontoRet="5.03"', 'MontoRet="905.03"');
  await upload(interest);
  await find();
  assert.deepEqual(await open(), [], 'it is compared with no ledger');

  await sell({ on: '2026-10-06' });
  await pay('P-2', '2026-10-12');
  await upload(aCertificate({ uuid: folioOf(2) }).replace('AAAA010101AAA', RFC));
  assert.equal(await find(), 1);
  assert.deepEqual(
    await open(),
    [['certificate_differs', '2026-10', '', -20.89, 42]],
    'and hides no difference',
  );
});

test('a month of a certificate may be that of Mexico City, where the seller has another clock', async (t) => {
  const { inside, sell, pay, upload, open } = await openSeller(t);
  const find = () => inside((scope) => findProblems(scope, ACCOUNT, 'America/Tijuana'));
  await sell({ on: '2026-10-05' });
  // The last hour of October in Tijuana.
  await sell({ on: '2026-11-01', hour: 6 });
  await pay('P-1', '2026-11-10');
  await upload(aCertificate({ uuid: folioOf(1) }).replace('AAAA010101AAA', RFC));
  await find();
  assert.deepEqual(await open(), []);

  await sell({ on: '2026-10-06' });
  await pay('P-2', '2026-11-12');
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [['certificate_differs', '2026-10', '', -41.89, 63]]);
});

test("a month of the marketplace's invoices may be that of Mexico City, too", async (t) => {
  const { instance, inside, sell, pay, upload, open } = await openSeller(t);
  const find = () => inside((scope) => findProblems(scope, ACCOUNT, 'America/Tijuana'));
  await sell({ on: '2026-10-05' });
  // The last hour of October in Tijuana, and that of November.
  await sell({ on: '2026-11-01', hour: 6 });
  await sell({ on: '2026-11-03', fee: '41.00' });
  await sell({ on: '2026-11-30', fee: '20.00' });
  await sell({ on: '2026-12-01', hour: 7, fee: '35.00' });
  await pay('P-1', '2026-12-10');
  await upload(aCertificate({ uuid: folioOf(2) }).replace('AAAA010101AAA', RFC));
  instance.clock.advance({ hours: 24 * 30 });
  const invoice = (number: number, total: string) =>
    aCfdi({ uuid: folioOf(number), total, issuer: MARKETPLACE, receiver: RFC });
  await upload(invoice(1, '91.00'));
  await find();
  assert.deepEqual(await open(), []);

  await upload(invoice(3, '12.00'));
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [['fee_invoices_differ', '2026-11', '', 7, 96]]);
});

test('a certificate whose period is no months is kept, and compared with nothing', async (t) => {
  const { find, sell, pay, upload, open } = await openSeller(t);
  await sell({ on: '2026-10-05' });
  await pay('P-1', '2026-10-10');
  const odd = aCertificate({ uuid: folioOf(1) }).replace('AAAA010101AAA', RFC);
  await upload(odd.replace('MesIni="10" MesFin="10"', 'MesIni="60" MesFin="61"'));
  await find();
  assert.deepEqual(await open(), []);
});

test("a shop of the seller's own withholds nothing, and hides no difference", async (t) => {
  const { instance, find, sell, pay, upload, open } = await openSeller(t);
  for (const on of ['2026-10-05', '2026-10-06']) await sell({ on });
  await pay('P-1', '2026-10-10');
  const at = Temporal.Instant.from('2026-10-20T18:00:00Z');
  await instance.record([anOrder({ id: 'W-1', marketplace: 'woocommerce', dateCreated: at })]);
  await upload(aCertificate({ uuid: folioOf(1) }).replace('AAAA010101AAA', RFC));
  await find();
  assert.deepEqual(await open(), [['certificate_differs', '2026-10', '', -20.89, 42]]);
});

test("the marketplace's invoices of a month are compared with its fees of that month or the one before", async (t) => {
  const { instance, find, sell, pay, upload, open } = await openSeller(t);
  await sell({ on: '2026-10-05' });
  for (const on of ['2026-11-03', '2026-11-04']) await sell({ on });
  await pay('P-1', '2026-11-10');
  instance.clock.advance({ hours: 24 * 20 });
  const invoice = (number: number, total: string, type = 'I', head = '') =>
    aCfdi({ uuid: folioOf(number), total, type, head, issuer: MARKETPLACE, receiver: RFC });
  await upload(invoice(1, '75.00'));
  await find();
  assert.deepEqual(await open(), [], 'the issuer is not known to be a marketplace');

  await upload(aCertificate({ uuid: folioOf(2) }).replace('AAAA010101AAA', RFC));
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [['fee_invoices_differ', '2026-11', '', 15, 60]]);
  await upload(invoice(3, '15.00', 'E'));
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [], 'with its credit note it is the fees of November');
  await upload(invoice(4, '30.00', 'E'));
  assert.equal(await find(), 0, 'or those of October');
  await upload(invoice(5, '4.00', 'E'));
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [['fee_invoices_differ', '2026-11', '', -34, 60]]);
  await upload(invoice(6, '0.50', 'E', substituting(5)));
  assert.equal(await find(), 1);
  assert.deepEqual(await open(), [], 'the last one was substituted');
});

test("a marketplace's month of fees may begin on any day, and explains no other marketplace's", async (t) => {
  const { instance, inside, find, sell, pay, upload, open } = await openSeller(t);
  const fees = ['41.00', '52.00', '63.00', '74.00', '85.00'];
  const days = ['2026-09-20', '2026-10-05', '2026-10-20', '2026-11-03', '2026-11-20'];
  for (const [place, on] of days.entries()) await sell({ on, fee: fees[place] as string });
  await pay('P-1', '2026-11-25');
  const shop = { marketplace: 'coppel', accountId: 'C1', connectionId: newId() } as const;
  const charged = { kind: 'commission', currency: 'MXN', nativeType: 'fee' } as const;
  const charge = (on: string, amount: string) => ({
    ...{
      ...charged,
      key: on,
      amount: decimal(amount),
      at: Temporal.Instant.from(`${on}T18:00:00Z`),
    },
    ...{ orderId: null, payoutId: null, isOpen: false },
  });
  const ledger = { id: 'L', report: 'log', covers: null, changedAt: null, opening: null };
  await inside((scope) =>
    recordLedgers(scope, shop, [{ ...ledger, movements: [charge('2026-11-10', '-500.00')] }]),
  );
  instance.clock.advance({ hours: 24 * 20 });
  const invoice = (number: number, total: string, issuer: string) =>
    upload(aCfdi({ uuid: folioOf(number), total, issuer, receiver: RFC }));
  for (const [number, issuer] of [MARKETPLACE, 'QQQ010101QQQ'].entries())
    await upload(
      aCertificate({ uuid: folioOf(90 + number) })
        .replace('AAAA010101AAA', RFC)
        .replace(MARKETPLACE, issuer),
    );
  // From 16 October to 15 November.
  await invoice(1, '137.00', MARKETPLACE);
  await invoice(2, '500.00', 'QQQ010101QQQ');
  await find();
  const differing = async () => (await open()).filter(([kind]) => kind === 'fee_invoices_differ');
  assert.deepEqual(await differing(), []);
  await invoice(3, '20.00', 'QQQ010101QQQ');
  await find();
  assert.deepEqual(await differing(), [['fee_invoices_differ', '2026-11', '', 20, 500]]);
});

/** What a document has that substitutes another one. */
function substituting(number: number): string {
  return `<cfdi:CfdiRelacionados TipoRelacion="04"><cfdi:CfdiRelacionado UUID="${folioOf(number)}"/></cfdi:CfdiRelacionados>`;
}
