import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dueForSat,
  noteSatAnswers,
  readInvoices,
  reading,
  recordInvoices,
  setFiscalProfile,
} from '../../src/features/cfdi/index.ts';
import type { Order } from '../../src/features/orders/index.ts';
import { decimal } from '../../src/platform/money.ts';
import { anAgent, mcpAddress } from '../support/agents.ts';
import { anOrder, openApp, type TestApp } from '../support/app.ts';
import { aCfdi, folioOf } from '../support/cfdi-files.ts';
import { invoice } from '../support/read-rows.ts';
import { connected } from '../support/reading.ts';
import { connectSdkClient, SDK_VERSIONS } from '../support/sdk-agent.ts';

// The prompt `conciliacion_cfdi` with the official clients: the calls that its words name, with the
// arguments in its words, find the faults of a month and nothing else.

const RFC = 'AAA010101AAA';
const ACCOUNT = { marketplace: 'mercado_libre', accountId: '468424240' } as const;
const SOURCE = { ...ACCOUNT, connectionId: '019a0000-0000-7000-8000-000000000003' };

for (const version of SDK_VERSIONS)
  test(`the prompt conciliacion_cfdi finds the faults of a month with client ${version}`, async (t) => {
    const own = await openApp(t);
    await fillMonth(own);
    const { headers } = await anAgent(own);
    const client = await connectSdkClient(t, version, mcpAddress(own), headers);

    const prompt = await client.getPrompt({
      name: 'conciliacion_cfdi',
      arguments: { mes: '2026-11' },
    });
    const words = prompt.messages[0]?.content.text ?? '';
    const [, first, last] = /get_sales_summary del (\S+) al (\S+) agrupado/.exec(words) ?? [];
    const [, from, to] = /fields full de (\S+) a (\S+);/.exec(words) ?? [];
    const call = async (name: string, given: object) =>
      (await client.callTool({ name, arguments: given })).structuredContent;
    const all = async (name: string) => {
      const rows: Row[] = [];
      let cursor: string | null = null;
      do {
        const page = await call(name, { from, to, fields: 'full', limit: 2, ...at(cursor) });
        rows.push(...page.data);
        cursor = page.pagination.next_cursor;
      } while (cursor);
      return rows;
    };

    const sales = await call('get_sales_summary', {
      from: first,
      to: last,
      group_by: 'marketplace',
    });
    const found = conciliate(await all('list_orders'), await all('list_cfdis'));

    assert.deepEqual(found, {
      orders: ['CANCELADA', 'DISTINTA', 'FACTURADA', 'PIDIO', 'SIN-PEDIR'],
      notInvoiced: ['PIDIO'],
      cancelled: ['CANCELADA'],
      withoutOrder: ['F4'],
      different: ['DISTINTA'],
    });
    assert.equal(sales.data[0].orders, found.orders.length);
  });

// biome-ignore lint/suspicious/noExplicitAny: rows as the tools answer them
type Row = any;

function conciliate(orders: readonly Row[], cfdis: readonly Row[]) {
  const byId = new Map(orders.map((order) => [order.id, order]));
  const issued = cfdis.filter(({ direction }) => direction === 'issued');
  const linked = issued.filter(({ order_ids }) => order_ids.length > 0);
  const ordersOf = (cfdi: Row): string[] => cfdi.order_ids.filter((id: string) => byId.has(id));
  const totalOf = (cfdi: Row) =>
    ordersOf(cfdi).reduce((sum, id) => sum + Number(byId.get(id).total), 0);
  const valid = linked.filter(({ status }) => status !== 'cancelado');
  return {
    orders: orders.map(({ id }) => id).sort(),
    notInvoiced: orders
      .filter(({ cfdi }) => cfdi.required && cfdi.uuid === null)
      .map(({ id }) => id),
    cancelled: linked.filter(({ status }) => status === 'cancelado').flatMap(ordersOf),
    withoutOrder: issued
      .filter(({ type, order_ids }) => type === 'ingreso' && order_ids.length === 0)
      .map(({ id }) => id),
    different: valid.filter((cfdi) => totalOf(cfdi) !== Number(cfdi.total)).flatMap(ordersOf),
  };
}

async function fillMonth(own: TestApp): Promise<void> {
  const { exchange, database } = own.app;
  await connected(own, 'mercado_libre', { accountId: ACCOUNT.accountId });
  await own.record([
    // The last half hour of October, and the last of November, in Mexico City.
    sold('DE-OCTUBRE', { dateCreated: Temporal.Instant.from('2026-11-01T05:30:00Z') }),
    sold('PIDIO', { dateCreated: Temporal.Instant.from('2026-12-01T05:30:00Z') }),
    sold('FACTURADA'),
    sold('CANCELADA'),
    sold('DISTINTA'),
    sold('SIN-PEDIR', { invoiceRequired: false }),
  ]);
  const documents = [
    [1, ['FACTURADA'], '100.00', RFC],
    [2, ['CANCELADA'], '100.00', RFC],
    [3, ['DISTINTA'], '120.00', RFC],
    [4, [], '55.00', RFC],
    [5, [], '9.00', 'MKT010101AA1'],
  ] as const;
  const sent = documents.map(([number, orderIds, total, issuer]) => {
    const receiver = issuer === RFC ? 'XAXX010101000' : RFC;
    const xml = aCfdi({ uuid: folioOf(number), sku: 'TAZA', total, issuer, receiver });
    return invoice(`F${number}`, { orderIds: [...orderIds], xml: Buffer.from(xml) });
  });
  const profile = { person: 'legal', regime: '601', hasBorderVat: false, rfcs: [RFC] } as const;
  const listeners = exchange.orderListeners;
  const tenant = database.within(own.organization.id);
  await tenant.write(async (scope) => {
    await setFiscalProfile(scope, 'operator', profile);
    await recordInvoices(scope, SOURCE, sent);
  });
  await reading((reader) => readInvoices(tenant, reader, () => listeners, documents.length));
  await tenant.write(async (scope) => {
    const question = (await dueForSat(scope, 10)).find(({ uuid }) => uuid === folioOf(2));
    assert.ok(question);
    await noteSatAnswers(scope, [{ question, answer: 'cancelado' }], () => listeners);
  });
}

function sold(id: string, given: Partial<Order> = {}): Order {
  return anOrder({
    ...ACCOUNT,
    ...{ id, total: decimal('100.00'), status: 'paid', invoiceRequired: true },
    dateCreated: Temporal.Instant.from('2026-11-10T15:00:00Z'),
    ...given,
  });
}

function at(cursor: string | null): { cursor?: string } {
  return cursor ? { cursor } : {};
}
