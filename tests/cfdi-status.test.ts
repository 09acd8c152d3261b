import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { recordCfdis, setFiscalProfile } from '../src/features/cfdi/index.ts';
import { decimal } from '../src/platform/money.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { aCfdi, folioOf } from './support/cfdi-files.ts';
import { query } from './support/market.ts';
import { readCfdi } from './support/read-cfdi.ts';

// The status of CFDI by the SAT's service, and the events of CFDI.

const closers: (() => unknown)[] = [];
const whole = { after: (close: unknown) => void closers.push(close as () => unknown) };
/** What the simulated SAT says of each folio. */
const states = new Map<string, string>();
const asked: string[] = [];
/** The state of a folio that the SAT fails at. */
const BROKEN = 'falla';
let instance: TestApp;
let isDown = false;

before(async () => {
  const sat = createServer(async (request, response) => {
    const text = await Array.fromAsync(request).then((parts) => Buffer.concat(parts).toString());
    const expression = /expresionImpresa>([^<]*)</.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    asked.push(expression);
    if (isDown) return void response.writeHead(503).end();
    const uuid = new URLSearchParams(expression).get('id') ?? '';
    const state = states.get(uuid) ?? 'No Encontrado';
    if (state === BROKEN) return void response.writeHead(500).end();
    response.end(
      `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><ConsultaResponse xmlns="http://tempuri.org/"><ConsultaResult xmlns:a="urn:a"><a:CodigoEstatus>S - Comprobante obtenido satisfactoriamente.</a:CodigoEstatus><a:Estado>${state}</a:Estado></ConsultaResult></ConsultaResponse></s:Body></s:Envelope>`,
    );
  });
  await new Promise<void>((resolve) => sat.listen(0, '127.0.0.1', resolve));
  whole.after(() => sat.close());
  const { port } = sat.address() as AddressInfo;
  instance = await openApp(whole, {
    env: { SAT_STATUS_URL: `http://127.0.0.1:${port}/ConsultaCFDIService.svc` },
  });
  const own = { person: null, regime: null, hasBorderVat: false, rfcs: ['AAA010101AAA'] };
  await within().write((scope) => setFiscalProfile(scope, 'operator', own));
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

test('a CFDI is asked for until it is found; its cancellation moves its order and emits one event', {
  tags: ['slow'],
}, async () => {
  await instance.record([anOrder({ id: '2000000000000077', total: decimal('116.00') })]);
  await upload(aCfdi({ uuid: folioOf(1), total: '116.00', sku: '2000000000000077' }));
  assert.deepEqual(await reported(), [['cfdi.issued', folioOf(1), 'desconocido']]);

  await tick();
  assert.deepEqual(asked.splice(0), [
    `?id=${folioOf(1)}&re=AAA010101AAA&rr=XAXX010101000&tt=116.00&fe=12345678`,
  ]);
  assert.equal(await statusOf(1), 'desconocido');
  states.set(folioOf(1), 'Vigente');
  await tick();
  assert.deepEqual(asked.splice(0), [], 'not before an hour');
  instance.clock.advance({ hours: 1 });
  await tick();
  assert.equal(await statusOf(1), 'vigente');
  assert.equal(await statusOfOrder(), 'vigente');

  states.set(folioOf(1), 'Cancelado');
  instance.clock.advance({ hours: 24 });
  await tick();
  assert.equal(await statusOf(1), 'cancelado');
  assert.equal(await statusOfOrder(), 'cancelado');
  assert.deepEqual(await reported(), [
    ['cfdi.issued', folioOf(1), 'desconocido'],
    ['cfdi.cancelled', folioOf(1), 'cancelado'],
  ]);
  asked.splice(0);
  instance.clock.advance({ hours: 24 * 60 });
  await tick();
  assert.deepEqual(asked.splice(0), [], 'a cancelled one is never asked for again');
});

test('while the service is down nothing changes, and an alert reports it', async () => {
  await upload(aCfdi({ uuid: folioOf(2) }));
  states.set(folioOf(2), 'Vigente');
  isDown = true;
  await tick();
  assert.equal(await statusOf(2), 'desconocido');
  const alerts = await query(
    instance,
    "select subject from alerts where resolved_at is null and kind = 'housekeeping'",
  );
  assert.deepEqual(alerts, [{ subject: 'ask-sat' }]);
  isDown = false;
  await tick();
  assert.equal(await statusOf(2), 'vigente');
});

test('questions that always fail keep no other one from being asked', async () => {
  const broken = Array.from({ length: 25 }, (_, at) => 100 + at);
  for (const number of broken) states.set(folioOf(number), BROKEN);
  await upload(...broken.map((number) => aCfdi({ uuid: folioOf(number) })));
  instance.clock.advance({ minutes: 1 });
  await upload(aCfdi({ uuid: folioOf(4) }));
  states.set(folioOf(4), 'Vigente');

  await tick();
  instance.clock.advance({ hours: 1 });
  await tick();

  assert.equal(await statusOf(4), 'vigente');
  assert.equal(await statusOf(100), 'desconocido');
  for (const number of broken) states.set(folioOf(number), 'Vigente');
  instance.clock.advance({ hours: 1 });
  await tick();
  assert.equal(await statusOf(124), 'vigente');
});

test('an ampersand of an RFC is in the expression as in XML', async () => {
  asked.splice(0);
  const receiver = 'B&amp;B010101BBB';
  await upload(aCfdi({ uuid: folioOf(5), issuer: 'A&amp;A010101AAA', receiver }));
  await tick();
  assert.deepEqual(
    asked.filter((expression) => expression.includes(folioOf(5))),
    [`?id=${folioOf(5)}&re=A&amp;A010101AAA&rr=${receiver}&tt=34.80&fe=12345678`],
  );
});

test('received ones and certificates are not reported as issued', async () => {
  const before = await reported();
  await upload(aCfdi({ uuid: folioOf(3), issuer: 'MKT010101AA1', receiver: 'AAA010101AAA' }));
  assert.deepEqual(await reported(), before);
});

function within() {
  return instance.app.database.within(instance.organization.id);
}

function upload(...texts: string[]) {
  const documents = texts.map((text) => readCfdi(Buffer.from(text)));
  const { orderListeners, announce } = instance.app.exchange;
  return within().write((scope) =>
    recordCfdis(scope, 'upload', documents, [...orderListeners, announce]),
  );
}

async function tick() {
  await runHousekeeping(instance.app.exchange);
}

async function statusOf(number: number) {
  const [row] = await query(instance, `select status from cfdis where uuid = '${folioOf(number)}'`);
  return row?.status;
}

async function statusOfOrder() {
  const { body } = await instance.api('/v1/orders/2000000000000077');
  return body.data.cfdi.status;
}

async function reported() {
  const rows = await query(
    instance,
    "select type, data from events where type like 'cfdi.%' order by logged_at",
  );
  return rows.map(({ type, data }) => {
    const { uuid, status } = JSON.parse(String(data));
    return [type, uuid, status];
  });
}
