import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { gaveBillingData } from '../../simulators/mercado_libre/billing.ts';
import { hasPack } from '../../simulators/mercado_libre/facts.ts';
import { type MercadoLibre, startMercadoLibre } from '../../simulators/mercado_libre/index.ts';
import type { Shop } from '../../simulators/mercado_libre/shop.ts';
import { cents, decimal } from '../../simulators/order.ts';
import type { StreamName } from '../../src/connectors/contract.ts';
import { runHousekeeping } from '../../src/exchange/jobs/housekeeping.ts';
import { listenersByOrigin } from '../../src/exchange/sync/follow-up.ts';
import { syncOrganization } from '../../src/exchange/sync/sync-organization.ts';
import { listBalances, listSettlements } from '../../src/features/balances/index.ts';
import {
  dueForSat,
  invoicesOfOrder,
  noteSatAnswers,
  recordCfdis,
  setFiscalProfile,
  xmlOf,
} from '../../src/features/cfdi/index.ts';
import { cursorMaker } from '../../src/platform/cursor.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { aCfdi, folioOf } from '../support/cfdi-files.ts';
import { query } from '../support/market.ts';
import { readCfdi } from '../support/read-cfdi.ts';

// Mercado Libre's money: Mercado Pago's reports, what it still holds, and the documents of packs.

const shared = await openApp(WHOLE_FILE);

const FEE = 0.13;

test('the balance is what the report ends with, and held money is listed with the days of its release', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  const [free, held, lost] = [shop.world.place(), shop.world.place(), shop.world.place()];
  shop.world.deliver(free.id);
  shop.world.pay(held.id);
  shop.world.refund(lost.id);
  shop.switches.withdrawals.push({ at: instance.clock.now().epochMilliseconds, amount: '1000.00' });
  instance.clock.advance({ minutes: 5 });

  const [ordered] = await sync('balances');
  instance.clock.advance({ minutes: 1 });
  const [brought] = await sync('balances');

  assert.deepEqual(
    [ordered?.items, ordered?.error, brought?.items, brought?.changed],
    [0, undefined, 1, 1],
  );
  const [balance, ...others] = (await balancesOf(instance)).balances;
  assert.deepEqual(others, []);
  assert.deepEqual(
    {
      purse: balance?.purse,
      currency: balance?.currency,
      available: Number(balance?.available),
      pending: Number(balance?.pending),
      isDerived: balance?.isDerived,
    },
    {
      purse: '',
      currency: 'MXN',
      available: Number(decimal(cents('12500.00') + netOf(free.total) - cents('1000.00'))),
      pending: Number(decimal(netOf(held.total))),
      isDerived: true,
    },
  );
  assert.deepEqual(
    balance?.releases?.map(({ amount }) => Number(amount)),
    [Number(decimal(netOf(held.total)))],
  );
  const age = balance?.asOf.until(instance.clock.now()).total('minutes');
  assert.ok(age && age >= 1 && age < 10, `as of ${age} minutes ago`);
});

test('a report that is being prepared is looked for after seconds, then minutes, and not ordered twice', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  shop.switches.reportSeconds = 150;
  // As the tick leaves it when it claims a turn.
  const claim = async () => {
    const next = instance.clock.now().add({ hours: 4 }).toString();
    await within(instance).write((scope) =>
      scope.rows(scope.update('schedules').set({ due_at: next })),
    );
  };
  const pauses: number[] = [];

  await claim();
  await sync('balances');
  while ((await balancesOf(instance)).balances.length === 0 && pauses.length < 10) {
    const pause = instance.clock.now().until(await dueOf(instance, 'balances'));
    pauses.push(pause.total('seconds'));
    instance.clock.advance(pause);
    await claim();
    await sync('balances');
  }

  assert.deepEqual(pauses, [6, 6, 12, 24, 48, 60]);
  const orders = shop.requests.filter(
    ({ method, path }) => method === 'POST' && path.endsWith('/release_report'),
  );
  assert.equal(orders.length, 1);
});

test('a report that never comes is ordered again the next day', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  shop.switches.reportSeconds = Number.POSITIVE_INFINITY;
  await sync('balances');
  shop.switches.reportSeconds = 30;
  instance.clock.advance({ hours: 25 });

  await sync('balances');
  await sync('balances');
  instance.clock.advance({ minutes: 1 });
  await sync('balances');

  assert.equal((await balancesOf(instance)).balances.length, 1);
});

test('a report that is not in the list any more is ordered again after a quarter of an hour', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  await sync('balances');
  instance.clock.advance({ seconds: 1 });
  shop.switches.reportsLostBefore = instance.clock.now().epochMilliseconds;
  const orders = () =>
    shop.requests.filter(
      ({ method, path }) => method === 'POST' && path.endsWith('/release_report'),
    ).length;

  instance.clock.advance({ minutes: 14 });
  await sync('balances');
  assert.equal(orders(), 1);
  instance.clock.advance({ minutes: 2 });
  await sync('balances');
  await sync('balances');
  assert.equal(orders(), 2);
  instance.clock.advance({ minutes: 1 });
  await sync('balances');

  assert.equal((await balancesOf(instance)).balances.length, 1);
});

test('a seller without a configuration of reports gets one', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  shop.switches.reportConfigured = false;

  await sync('balances');
  instance.clock.advance({ minutes: 1 });
  await sync('balances');

  assert.deepEqual(configCalls(shop), ['GET', 'POST']);
  assert.equal((await balancesOf(instance)).balances.length, 1);
});

test('a configuration that is there is left alone', async (t) => {
  const { shop, sync } = await openShop(t);

  await sync('balances');

  assert.deepEqual(configCalls(shop), ['GET']);
});

test('withdrawals are settlements, of which Mercado Pago keeps its fee', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  const at = instance.clock.now().epochMilliseconds;
  const DAY = 86_400_000;
  shop.switches.withdrawals.push(
    { at: at - 80 * DAY, amount: '2000.00' },
    { at: at - 10 * DAY, amount: '813.45' },
  );
  shop.world.deliver(shop.world.place().id);
  instance.clock.advance({ minutes: 5 });

  for (let minute = 0; minute < 6; minute++) {
    await sync('settlements');
    instance.clock.advance({ minutes: 1 });
  }

  const { settlements } = await settlementsOf(instance);
  assert.deepEqual(
    settlements.map(({ status, marketplaceStatus, gross, fees, net, currency, paidAt }) => [
      status,
      marketplaceStatus,
      Number(gross),
      Number(fees),
      Number(net),
      currency,
      paidAt?.epochMilliseconds,
    ]),
    [
      ['paid', 'withdrawal', 813.45, 3, 810.45, 'MXN', at - 10 * DAY],
      ['paid', 'withdrawal', 2000, 3, 1997, 'MXN', at - 80 * DAY],
    ],
  );
});

test('a withdrawal that the bank sends back failed, with the amounts that it had', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  const at = instance.clock.now().epochMilliseconds;
  const DAY = 86_400_000;
  const back = (days: number, description: string) => ({ at: at - days * DAY, description });
  shop.switches.withdrawals.push(
    { at: at - 75 * DAY, amount: '700.00', back: back(10, 'withdrawal') },
    { at: at - 20 * DAY, amount: '813.45', back: back(19, 'withdrawal') },
    { at: at - 15 * DAY, amount: '500.00', back: back(14, 'withdrawal_cancel') },
    { at: at - 5 * DAY, amount: '600.00' },
  );
  instance.clock.advance({ minutes: 5 });

  for (let minute = 0; minute < 6; minute++) {
    await sync('settlements');
    instance.clock.advance({ minutes: 1 });
  }

  const { settlements } = await settlementsOf(instance);
  assert.deepEqual(
    settlements
      .map(({ status, gross, fees, net, paidAt }) => [
        status,
        Number(gross),
        Number(fees),
        Number(net),
        paidAt?.epochMilliseconds,
      ])
      .toSorted((a, b) => Number(a[1]) - Number(b[1])),
    [
      ['failed', 500, 3, 497, undefined],
      ['paid', 600, 3, 597, at - 5 * DAY],
      ['failed', 700, 3, 697, undefined],
      ['failed', 813.45, 3, 810.45, undefined],
    ],
  );
});

test('a report that is too large is ordered again over half its span, and brings every withdrawal', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  const at = instance.clock.now().epochMilliseconds;
  const DAY = 86_400_000;
  const MB = 2 ** 20;
  shop.switches.withdrawals.push(
    { at: at - 80 * DAY, amount: '2000.00' },
    { at: at - 40 * DAY, amount: '900.00' },
    { at: at - 10 * DAY, amount: '813.45' },
  );
  const rows = ['8100000000', '8100000001', '8100000002'];
  shop.faults.swell({
    match: /release_report\/.+\.csv/,
    bytes: new Map(rows.map((id) => [id, 5 * MB])),
  });
  instance.clock.advance({ minutes: 5 });

  for (let minute = 0; minute < 12; minute++) {
    const [report] = await sync('settlements');
    assert.equal(report?.error, undefined);
    instance.clock.advance({ minutes: 1 });
  }

  const { settlements } = await settlementsOf(instance);
  assert.deepEqual(settlements.map(({ gross }) => Number(gross)).sort(), [2000, 813.45, 900]);
});

test('a report of 25 hours that is too large is left out with an alert, and the others bring their withdrawals', {
  tags: ['slow'],
}, async (t) => {
  const { instance, shop, sync } = await openShop(t);
  const at = instance.clock.now().epochMilliseconds;
  const DAY = 86_400_000;
  shop.switches.withdrawals.push(
    { at: at - 80 * DAY, amount: '2000.00' },
    { at: at - 40 * DAY, amount: '900.00' },
    { at: at - 10 * DAY, amount: '813.45' },
  );
  const large = '8100000001';
  shop.faults.swell({ match: /release_report\/.+\.csv/, bytes: new Map([[large, 9 * 2 ** 20]]) });
  instance.clock.advance({ minutes: 5 });

  for (let minute = 0; minute < 45; minute++) {
    const [report] = await sync('settlements');
    assert.equal(report?.error, undefined);
    instance.clock.advance({ minutes: 1 });
  }

  const { settlements } = await settlementsOf(instance);
  assert.deepEqual(settlements.map(({ gross }) => Number(gross)).sort(), [2000, 813.45]);
  const alerts = await alertsOf(instance);
  assert.deepEqual(
    alerts.map(({ kind }) => kind),
    ['too_large'],
  );
});

test('where no report can be read the available money is unknown, and what is held is not', {
  tags: ['slow'],
}, async (t) => {
  const { instance, shop, sync } = await openShop(t);
  const [free, held] = [shop.world.place(), shop.world.place()];
  shop.world.deliver(free.id);
  shop.world.pay(held.id);
  shop.faults.swell({
    match: /release_report\/.+\.csv/,
    bytes: new Map([['initial_available_balance', 9 * 2 ** 20]]),
  });
  instance.clock.advance({ minutes: 5 });

  for (let minute = 0; minute < 6; minute++) {
    const [report] = await sync('balances');
    assert.equal(report?.error, undefined);
    instance.clock.advance({ minutes: 1 });
  }

  const [balance] = (await balancesOf(instance)).balances;
  assert.equal(balance?.available, null);
  assert.equal(Number(balance?.pending), Number(decimal(netOf(held.total))));
  assert.match(String((await alertsOf(instance))[0]?.message), /^Saldos: .+más datos de los que/);
});

test('Mercado Pago refusing the account stops neither the orders nor the connection, and raises an alert', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  shop.world.pay(shop.world.place().id);
  shop.switches.paymentsRefused = true;

  const [refused] = await sync('balances');
  const state = await stateOf(instance);
  const [orders] = await sync('orders');

  assert.match(refused?.error ?? '', /permiso/);
  assert.equal(state, 'ok');
  assert.deepEqual([orders?.error, orders?.items], [undefined, 1]);
  assert.deepEqual(
    (await alertsOf(instance)).map(({ kind, message, resolved_at }) => [
      kind,
      message.slice(0, 7),
      resolved_at,
    ]),
    [['stream', 'Saldos:', null]],
  );

  shop.switches.paymentsRefused = false;
  await sync('balances');
  instance.clock.advance({ minutes: 1 });
  await sync('balances');
  assert.ok((await alertsOf(instance))[0]?.resolved_at);
});

test('a payment that cannot be read is set aside, and the balance is still given', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  for (let count = 0; count < 3; count++) shop.world.pay(shop.world.place().id);
  await sync('balances');
  instance.clock.advance({ minutes: 1 });
  shop.faults.next({
    kind: 'wrong_type',
    match: /payments\/search/,
    field: 'transaction_details.net_received_amount',
    value: 'mucho',
  });

  const [report] = await sync('balances');

  assert.deepEqual([report?.items, report?.unreadable], [1, 1]);
});

test('documents of packs are kept as received and linked to all orders of the pack', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  const cart = shop.world.placeCart([{}, {}]);
  const alone = shop.world.place();
  const [without, cancelled] = [shop.world.place(), shop.world.place()];
  for (const { id } of [...cart, alone, without, cancelled]) shop.world.pay(id);
  shop.world.cancel(cancelled.id);
  instance.clock.advance({ minutes: 20 });
  const xml =
    '<?xml version="1.0" encoding="UTF-8"?>\r\n<cfdi:Comprobante Total="1.00" Año="2026"/>\n';
  await upload(shop, packOf(shop, cart[0]?.id ?? ''), 'text/xml', 'F-1.xml', xml);
  await upload(shop, packOf(shop, cart[0]?.id ?? ''), 'application/pdf', 'F-1.pdf', '%PDF-1.7');
  await upload(shop, packOf(shop, alone.id), 'application/xml', 'F-2.xml', xml);

  const [first] = await sync('invoices');
  const [again] = await sync('invoices');

  const items = 3 + [...cart, alone, without].filter(gaveBillingData).length;
  assert.deepEqual([first?.items, first?.changed, first?.error], [items, items, undefined]);
  assert.deepEqual([again?.items, again?.changed], [items, 0]);
  for (const { id } of cart)
    assert.deepEqual(
      (await documentsOf(instance, id)).toSorted(),
      [
        ['F-1.pdf', null],
        ['F-1.xml', xml],
      ],
      `order ${id}`,
    );
  assert.deepEqual(await documentsOf(instance, alone.id), [['F-2.xml', xml]]);
  assert.deepEqual(await documentsOf(instance, without.id), []);
});

test('an XML keeps its bytes, and one in another encoding is refused and not repaired', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  const { exchange } = instance.app;
  const [marked, damaged] = [shop.world.place({ inPerson: true }), shop.world.place()];
  for (const { id } of [marked, damaged]) shop.world.pay(id);
  instance.clock.advance({ minutes: 20 });
  const withMark = Buffer.from(`\ufeff${aCfdi({ uuid: folioOf(1) })}`);
  const right = aCfdi({ uuid: folioOf(2), issuer: 'AÑA010101AAA' });
  const undeclared = right.replace(' encoding="UTF-8"', '');
  await upload(shop, packOf(shop, marked.id), 'text/xml', 'marca.xml', withMark);
  const latin = Buffer.from(undeclared, 'latin1');
  await upload(shop, packOf(shop, damaged.id), 'text/xml', 'roto.xml', latin);
  await sync('invoices');
  await runHousekeeping(exchange);

  const failures = await query(
    instance,
    'select file_name, read_failure from invoice_documents where organization_id = $1 order by 1',
    [instance.organization.id],
  );
  assert.deepEqual(
    failures.map(({ file_name, read_failure }) => [file_name, read_failure]),
    [
      ['marca.xml', null],
      ['roto.xml', 'No está en UTF-8.'],
    ],
  );
  const kept = await within(instance).read((scope) => xmlOf(scope, [folioOf(1), folioOf(2)]));
  assert.deepEqual([...kept], [[folioOf(1), withMark]]);
  const added = await within(instance).write((scope) =>
    recordCfdis(scope, 'upload', [readCfdi(Buffer.from(right))], exchange.orderListeners),
  );
  assert.deepEqual(added, [folioOf(2)]);
});

test('a first import of documents that comes before that of orders emits no events, and later ones do', {
  tags: ['slow'],
}, async (t) => {
  const { instance, shop, sync } = await openShop(t);
  const { exchange } = instance.app;
  const own = { person: null, regime: null, hasBorderVat: false, rfcs: ['AAA010101AAA'] };
  await within(instance).write((scope) => setFiscalProfile(scope, 'operator', own));
  const sell = async (uuid: string) => {
    const order = shop.world.place({ inPerson: true });
    shop.world.pay(order.id);
    instance.clock.advance({ minutes: 20 });
    const xml = aCfdi({ uuid, total: order.total });
    await upload(shop, packOf(shop, order.id), 'text/xml', 'factura.xml', xml);
    return order.id;
  };
  const askSat = () =>
    within(instance).write(async (scope) => {
      const due = await dueForSat(scope, 10);
      const answers = due.map((question) => ({ question, answer: 'cancelado' as const }));
      await noteSatAnswers(scope, answers, listenersByOrigin(exchange));
    });
  const events = async () => {
    const rows = await query(
      instance,
      'select type from events where organization_id = $1 order by type',
      [instance.organization.id],
    );
    return rows.map(({ type }) => type);
  };
  const shown = async (id: string) => (await instance.api(`/v1/orders/${id}`)).body.data;

  const old = await sell(folioOf(11));
  await sync('invoices');
  await runHousekeeping(exchange);
  instance.clock.advance({ minutes: 1 });
  await sync('orders');
  await runHousekeeping(exchange);
  await askSat();
  assert.equal((await shown(old)).cfdi.status, 'cancelado');
  assert.deepEqual(await events(), []);

  instance.clock.advance({ hours: 12 });
  const young = await sell(folioOf(12));
  await sync('orders');
  await sync('invoices');
  await runHousekeeping(exchange);
  await askSat();
  assert.equal((await shown(young)).cfdi.status, 'cancelado');
  assert.deepEqual(await events(), [
    'cfdi.cancelled',
    'cfdi.issued',
    'order.created',
    'order.updated',
    'order.updated',
  ]);
});

test('a document that is uploaded weeks later is found all the same', async (t) => {
  const { instance, shop, sync } = await openShop(t);
  const order = shop.world.place({ inPerson: true });
  shop.world.pay(order.id);
  instance.clock.advance({ minutes: 20 });
  await sync('invoices');

  instance.clock.advance({ hours: 24 * 20 });
  await upload(shop, packOf(shop, order.id), 'text/xml', 'tarde.xml', '<a/>');
  const [late] = await sync('invoices');

  assert.equal(late?.changed, 1);
  assert.deepEqual(await documentsOf(instance, order.id), [['tarde.xml', '<a/>']]);
});

// Arrangement

async function openShop(t: TestContext) {
  const instance = await shared.another();
  const shop = await startMercadoLibre({
    seed: 'money',
    now: () => instance.clock.now().epochMilliseconds,
    tokenSeconds: 100 * 86_400,
  });
  t.after(shop.close);
  await instance.connect('mercado_libre', { url: shop.url, credentials: shop.credentials() });
  const sync = (stream: StreamName) =>
    syncOrganization(instance.app.exchange, {
      organizationId: instance.organization.id,
      service: null,
      stream,
    });
  return { instance, shop, sync };
}

function configCalls({ requests }: MercadoLibre): string[] {
  return requests.filter(({ path }) => path.endsWith('/config')).map(({ method }) => method);
}

function within({ app: instance, organization }: TestApp) {
  return instance.database.within(organization.id);
}

function balancesOf(instance: TestApp) {
  return within(instance).read((scope) => listBalances(scope));
}

function settlementsOf(instance: TestApp) {
  const cursors = cursorMaker(instance.app.exchange.keyring);
  const query = { marketplace: [], status: [], from: null, to: null, limit: 20, cursor: null };
  return within(instance).read((scope) => listSettlements(scope, cursors, query));
}

async function documentsOf(
  instance: TestApp,
  id: string,
): Promise<[string | null, string | null][]> {
  const accountId = '468424241';
  const documents = await within(instance).read((scope) =>
    invoicesOfOrder(scope, { marketplace: 'mercado_libre', accountId, id }),
  );
  return documents.map(({ fileName, xml }) => [fileName, xml && Buffer.from(xml).toString()]);
}

function alertsOf(instance: TestApp) {
  return within(instance).read((scope) =>
    scope.rows(scope.select('alerts').select(['kind', 'message', 'resolved_at'])),
  );
}

async function stateOf(instance: TestApp): Promise<string | undefined> {
  const [row] = await within(instance).read((scope) =>
    scope.rows(scope.select('connections').select('state')),
  );
  return row?.state;
}

async function dueOf(instance: TestApp, stream: StreamName): Promise<Temporal.Instant> {
  const rows = await within(instance).read((scope) =>
    scope.rows(scope.select('schedules').select(['subject', 'due_at'])),
  );
  return rows.find(({ subject }) => subject.endsWith(`:${stream}`))?.due_at as Temporal.Instant;
}

function netOf(total: string): number {
  return cents(total) - Math.round(cents(total) * FEE);
}

function packOf({ sellers }: MercadoLibre, id: string): string {
  const [seller] = sellers as Shop['sellers'];
  const order = seller?.world.order(id);
  if (!seller || !order) throw new Error(`no order ${id}`);
  const first = seller.world.cartOf(order)[0];
  return hasPack(order, seller) && first
    ? String(seller.world.idBase + first.number + 50_000_000_000_000)
    : id;
}

async function upload(
  shop: MercadoLibre,
  pack: string,
  type: string,
  name: string,
  content: string | Buffer<ArrayBuffer>,
): Promise<void> {
  const form = new FormData();
  form.append('fiscal_document', new Blob([content], { type }), name);
  const headers = { authorization: `Bearer ${shop.credentials().access_token}` };
  const answer = await fetch(`${shop.url}/packs/${pack}/fiscal_documents`, {
    method: 'POST',
    headers,
    body: form,
  });
  assert.equal(answer.status, 201, await answer.text());
}
