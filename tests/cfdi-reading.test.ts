import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { recordCfdis, setFiscalProfile } from '../src/features/cfdi/index.ts';
import { createKey, type KeyScope, listKeys, revokeKey } from '../src/features/keys/index.ts';
import { setSuspended } from '../src/features/organizations/index.ts';
import { decimal } from '../src/platform/money.ts';
import { anAgent, disconnect } from './support/agents.ts';
import { type ApiOptions, anOrder, callApi, openApp, type TestApp } from './support/app.ts';
import { aCertificate, aCfdi, folioOf } from './support/cfdi-files.ts';
import { runHere } from './support/command.ts';
import { query, workOff } from './support/market.ts';
import { callTool } from './support/mcp.ts';
import { readCfdi } from './support/read-cfdi.ts';
import { namesIn, zipOf } from './support/zip.ts';

// `/manage/v1/cfdis`: CFDI out by a key: lists, one with all that belongs to it, XML and ZIP.

const closers: (() => unknown)[] = [];
const whole = { after: (close: unknown) => void closers.push(close as () => unknown) };
const CFDIS = '/manage/v1/cfdis';
const PPD = {
  uuid: folioOf(1),
  total: '116.00',
  root: 'Serie="A"',
  head: '<cfdi:CfdiRelacionados TipoRelacion="04"><cfdi:CfdiRelacionado UUID="5F0C8A34-9D1E-4B7A-8C52-000000000009"/></cfdi:CfdiRelacionados>',
};
let instance: TestApp;
let key: string;

before(async () => {
  instance = await openApp(whole);
  key = await keyWith(['cfdi:write', 'cfdi:read']);
  const id = instance.organization.id;
  const set = await runHere(
    [
      'fiscal-profile',
      '--organization',
      id,
      '--rfcs',
      'AAA010101AAA',
      '--person',
      'legal',
      '--json',
    ],
    instance.env,
  );
  assert.deepEqual(set.json.rfcs, ['AAA010101AAA']);
  await instance.record([anOrder({ id: '2000000000000001', total: decimal('280.00') })]);
  const body = await zipOf({
    '1.xml': aCfdi(PPD).replace('MetodoPago="PUE"', 'MetodoPago="PPD"'),
    '2.xml': aCfdi({ uuid: folioOf(2), total: '40.00', type: 'E' }),
    '3.xml': aCertificate({ uuid: folioOf(3) }),
    '4.xml': aCfdi({ uuid: folioOf(4), issuer: 'MKT010101AA1', receiver: 'AAA010101AAA' }),
    '5.xml': aPayment(folioOf(5), folioOf(1), '100.00'),
    '6.xml': aCfdi({ uuid: folioOf(6), total: '280.00', sku: 'TAZA-AZUL' }),
  });
  await call(CFDIS, { method: 'POST', headers: { 'content-type': 'application/zip' }, body });
  await workOff(instance);
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

test('lists have every filter, pages and figures: credit notes are negative', async () => {
  const all = await list({});
  assert.equal(all.length, 6);
  const first = await call(`${CFDIS}?limit=4`);
  const rest = await call(`${CFDIS}?limit=4&cursor=${first.body.pagination.next_cursor}`);
  assert.deepEqual([...first.body.data, ...rest.body.data], all);
  const folios = async (query: Record<string, string>) =>
    (await list(query)).map(({ uuid }) => Number(uuid.slice(-2))).sort();
  assert.deepEqual(await folios({ type: 'egreso' }), [2]);
  assert.deepEqual(await folios({ type: 'retencion' }), [3]);
  assert.deepEqual(await folios({ direction: 'received' }), [4]);
  assert.deepEqual(await folios({ direction: 'issued', type: 'ingreso' }), [1, 6]);
  assert.deepEqual(await folios({ status: 'vigente' }), []);
  assert.deepEqual(await folios({ rfc: 'mkt010101aa1' }), [4]);
  assert.deepEqual(await folios({ rfc: 'AAA010101AAA' }), [1, 2, 4, 5, 6]);
  assert.deepEqual(await folios({ uuid: folioOf(2).toLowerCase() }), [2]);
  assert.deepEqual(await folios({ order_id: 'x' }), []);
  assert.deepEqual(await folios({ from: '2026-11-20T00:00:00Z' }), []);
  assert.deepEqual(
    all.map(({ uuid, counted_total }) => [Number(uuid.slice(-2)), counted_total]).sort(),
    [
      [1, 116],
      [2, -40],
      [3, null],
      [4, null],
      [5, null],
      [6, 280],
    ],
  );
});

test('what was cancelled or substituted, and what others issued, adds nothing to the sales', async () => {
  const { organization } = await instance.tenant();
  const within = instance.app.database.within(organization.id);
  const reader = await keyWith(['cfdi:read'], organization.id);
  const head = `<cfdi:CfdiRelacionados TipoRelacion="04"><cfdi:CfdiRelacionado UUID="${folioOf(31)}"/></cfdi:CfdiRelacionados>`;
  const documents = [
    aCfdi({ uuid: folioOf(31), total: '116.00' }),
    aCfdi({ uuid: folioOf(32), total: '116.00', head }),
    aCfdi({ uuid: folioOf(33), total: '58.00' }),
    aCfdi({ uuid: folioOf(34), total: '29.00', issuer: 'MKT010101AA1' }),
  ].map((text) => readCfdi(Buffer.from(text)));
  const profile = { person: null, regime: null, hasBorderVat: false, rfcs: ['AAA010101AAA'] };
  await within.write(async (scope) => {
    await setFiscalProfile(scope, 'operator', profile);
    await recordCfdis(scope, 'upload', documents, []);
  });
  await query(instance, `update cfdis set status = 'cancelado' where uuid = '${folioOf(33)}'`);

  const { data } = (await callApi(instance.url, CFDIS, {}, { key: reader })).body;
  const counted = (data as { uuid: string; counted_total: number | null }[])
    .map(({ uuid, counted_total }) => [Number(uuid.slice(-2)), counted_total])
    .sort();
  assert.deepEqual(counted, [
    [31, null],
    [32, 116],
    [33, null],
    [34, null],
  ]);
});

test('one has its items, its payments and what names it; candidates are shown and never linked', async () => {
  const { data: ppd } = (await call(`${CFDIS}/${folioOf(1).toLowerCase()}`)).body;
  assert.deepEqual([ppd.paid_total, ppd.payment_state, ppd.document.serie], [100, 'partial', 'A']);
  assert.deepEqual(ppd.named_by, [
    { uuid: folioOf(5), relation: 'pago', amount: 100, status: 'desconocido' },
  ]);
  const { data: alike } = (await call(`${CFDIS}/${folioOf(6)}`)).body;
  assert.deepEqual([alike.links, alike.orders], [[], []]);
  assert.deepEqual(
    alike.candidates.map(({ order_id, reason, total }: Record<string, unknown>) => [
      ...[order_id, reason, total],
    ]),
    [['2000000000000001', 'sku_total_and_date', 280]],
  );
  const [{ reason: _, total: __, currency: ___, date_created: ____, ...order }] = alike.candidates;
  const settle = async (state: string) =>
    (
      await call(`${CFDIS}/${folioOf(6)}/links`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...order, state }),
      })
    ).body.data;
  assert.deepEqual((await settle('linked')).links, [{ ...order, origin: 'person' }]);
  const shown = await instance.api('/v1/orders/2000000000000001');
  assert.equal(shown.body.data.cfdi.uuid, folioOf(6));
  assert.deepEqual((await settle('rejected')).links, []);
  const back = await instance.api('/v1/orders/2000000000000001');
  assert.equal(back.body.data.cfdi.uuid, null);
  assert.ok(back.body.data.last_updated > shown.body.data.last_updated);

  const gone = await call(`${CFDIS}/${folioOf(99)}`);
  assert.deepEqual([gone.status, gone.body.error.code], [404, 'not_found']);
});

test('XML and ZIP come by a link that needs no key and ends; they are byte by byte as they came', async () => {
  const { data: link } = (await call(`${CFDIS}/${folioOf(2)}/xml`)).body;
  const xml = await fetch(link.url);
  assert.equal(xml.headers.get('content-type'), 'application/xml');
  assert.equal(await xml.text(), aCfdi({ uuid: folioOf(2), total: '40.00', type: 'E' }));
  const { data: archive } = (await call('/manage/v1/cfdi-archive?direction=issued')).body;
  const names = await namesIn(Buffer.from(await (await fetch(archive.url)).arrayBuffer()));
  assert.deepEqual(
    names.sort(),
    [1, 2, 5, 6].map((at) => `${folioOf(at)}.xml`),
  );

  assert.equal((await fetch(`${link.url.slice(0, -3)}abc`)).status, 404);
  instance.clock.advance({ minutes: 10 });
  assert.equal((await fetch(link.url)).status, 404);
  assert.equal((await fetch(archive.url)).status, 404);
});

test('who downloads an XML or a ZIP is in the trail, with the folio or how many there were', async () => {
  const acts = () =>
    query(
      instance,
      `select a.label, a.address is not null as has_address
         from acts a join api_keys k on k.id = a.key_id
        where act = 'cfdis_downloaded' and k.name = 'para bajar' order by seq`,
    );
  const other = await keyWith(['cfdi:read'], instance.organization.id, 'para bajar');
  const { data: link } = (await call(`${CFDIS}/${folioOf(2)}/xml`, { key: other })).body;
  const { data: archive } = (await call('/manage/v1/cfdi-archive?direction=issued', { key: other }))
    .body;
  assert.deepEqual(await acts(), [], 'a link alone is no download');

  await (await fetch(link.url)).text();
  await (await fetch(archive.url)).arrayBuffer();

  assert.deepEqual(await acts(), [
    { label: folioOf(2), has_address: true },
    { label: '4', has_address: true },
  ]);
});

test('an agent gets the link to an XML with all the detail, and it ends with the agent’s grant', async () => {
  const agent = await anAgent(instance);
  const told = async (given: object) => {
    const { body } = await callTool(instance, agent, 'list_cfdis', { uuid: folioOf(2), ...given });
    return body.result.structuredContent.data[0] as { uuid: string; xml_url?: string };
  };
  assert.equal((await told({})).xml_url, undefined);
  const { xml_url: url = '' } = await told({ fields: 'full' });

  const xml = await fetch(url);
  assert.equal(await xml.text(), aCfdi({ uuid: folioOf(2), total: '40.00', type: 'E' }));
  const [act] = await query(
    instance,
    `select act, label, person_id as "personId" from acts order by seq desc limit 1`,
  );
  assert.deepEqual(act, {
    act: 'cfdis_downloaded',
    label: folioOf(2),
    personId: agent.personId,
  });

  await query(instance, 'update agent_grants set scopes = $2 where grant_id = $1', [
    agent.grantId,
    ['orders:read'],
  ]);
  assert.equal((await fetch(url)).status, 404, 'the grant no longer contains CFDI');

  const second = await anAgent(instance);
  const { body } = await callTool(instance, second, 'list_cfdis', {
    uuid: folioOf(2),
    fields: 'full',
  });
  const [{ xml_url: later }] = body.result.structuredContent.data;
  assert.equal((await fetch(later)).status, 200);
  await disconnect(instance, second);
  assert.equal((await fetch(later)).status, 404, 'the agent is disconnected');
});

test('a link ends with the key that asked for it, and serves nobody while the organisation is suspended', async () => {
  const { database } = instance.app;
  const { organization } = instance;
  const other = await keyWith(['cfdi:read']);
  const { data: link } = (await call(`${CFDIS}/${folioOf(2)}/xml`, { key: other })).body;
  const suspend = (isSuspended: boolean) =>
    database.write((handle) => setSuspended(handle, instance.clock, organization.id, isSuspended));
  assert.equal((await fetch(link.url)).status, 200);
  await suspend(true);
  assert.equal((await fetch(link.url)).status, 403);
  await suspend(false);
  assert.equal((await fetch(link.url)).status, 200);

  const keys = await database.within(organization.id).read(listKeys);
  const id = keys.find(({ lastFour }) => other.endsWith(lastFour))?.id ?? '';
  assert.ok(await database.write((handle) => revokeKey(handle, 'operator', id)));

  assert.equal((await fetch(link.url)).status, 404);
});

test('a payment that its issuer substituted by another one counts once', async () => {
  const [ppd, first, second] = [folioOf(31), folioOf(32), folioOf(33)];
  const substitution = `<cfdi:CfdiRelacionados TipoRelacion="04"><cfdi:CfdiRelacionado UUID="${first}"/></cfdi:CfdiRelacionados>`;
  const body = await zipOf({
    '1.xml': aCfdi({ uuid: ppd, total: '116.00' }).replace('"PUE"', '"PPD"'),
    '2.xml': aPayment(first, ppd, '60.00'),
    '3.xml': aPayment(second, ppd, '50.00', substitution),
  });
  await call(CFDIS, { method: 'POST', headers: { 'content-type': 'application/zip' }, body });
  await workOff(instance);

  const { data } = (await call(`${CFDIS}/${ppd}`)).body;
  assert.deepEqual([data.paid_total, data.payment_state], [50, 'partial']);
  assert.deepEqual(
    data.named_by.map(({ uuid }: Record<string, string>) => uuid),
    [first, second],
  );
});

test('only another CFDI of its issuer substitutes one', async () => {
  const [invoice, foreign, own] = [folioOf(61), folioOf(62), folioOf(63)];
  const substitution = `<cfdi:CfdiRelacionados TipoRelacion="04"><cfdi:CfdiRelacionado UUID="${invoice}"/></cfdi:CfdiRelacionados>`;
  const add = async (files: Record<string, string>) => {
    const headers = { 'content-type': 'application/zip' };
    await call(CFDIS, { method: 'POST', headers, body: await zipOf(files) });
    await workOff(instance);
    const { data } = (await call(`${CFDIS}/${invoice}`)).body;
    return [data.replaced_by, data.counted_total];
  };
  const others = await add({
    '1.xml': aCfdi({ uuid: invoice, total: '61.00', head: substitution }),
    '2.xml': aCfdi({ uuid: foreign, issuer: 'MKT010101AA1', head: substitution }),
  });
  assert.deepEqual(others, [null, 61]);
  assert.deepEqual(await add({ '3.xml': aCfdi({ uuid: own, head: substitution }) }), [own, null]);
});

test('a payment of one invoice alone may leave out what it pays of it, as 1.0 allows', async () => {
  const [ppd, dollars] = [folioOf(34), folioOf(35)];
  const silent = (uuid: string, paid: string, currency: string) =>
    aPayment(uuid, paid, '116.00')
      .replace(' ImpPagado="116.00"', ` MonedaDR="${currency}"`)
      .replace('Pagos20" Version="2.0"', 'Pagos" Version="1.0"');
  const body = await zipOf({
    '1.xml': aCfdi({ uuid: ppd, total: '116.00' }).replace('"PUE"', '"PPD"'),
    '2.xml': silent(folioOf(36), ppd, 'MXN'),
    '3.xml': aCfdi({ uuid: dollars, total: '116.00' }).replace('"PUE"', '"PPD"'),
    '4.xml': silent(folioOf(37), dollars, 'USD'),
  });
  await call(CFDIS, { method: 'POST', headers: { 'content-type': 'application/zip' }, body });
  await workOff(instance);

  const stateOf = async (uuid: string) => {
    const { paid_total, payment_state } = (await call(`${CFDIS}/${uuid}`)).body.data;
    return [paid_total, payment_state];
  };
  assert.deepEqual(await stateOf(ppd), [116, 'paid']);
  assert.deepEqual(await stateOf(dollars), [0, 'unpaid'], 'of another currency it is not known');
});

test('credit notes lower what is due of an invoice, and a payment that leaves nothing ends it', async () => {
  const [credited, shared, other, left] = [folioOf(51), folioOf(52), folioOf(53), folioOf(54)];
  const ppd = (uuid: string) => aCfdi({ uuid, total: '116.00' }).replace('"PUE"', '"PPD"');
  const note = (uuid: string, ...of: string[]) => {
    const named = of.map((one) => `<cfdi:CfdiRelacionado UUID="${one}"/>`).join('');
    const head = `<cfdi:CfdiRelacionados TipoRelacion="01">${named}</cfdi:CfdiRelacionados>`;
    return aCfdi({ uuid, total: '16.00', type: 'E', head });
  };
  const rest = (amount: string) => `ImpSaldoInsoluto="${amount}" ImpPagado`;
  const body = await zipOf({
    ...Object.fromEntries(
      [credited, shared, other, left].map((uuid) => [`${uuid}.xml`, ppd(uuid)]),
    ),
    '1.xml': note(folioOf(55), credited),
    '2.xml': aPayment(folioOf(56), credited, '100.00'),
    '3.xml': note(folioOf(57), shared, other),
    '4.xml': aPayment(folioOf(58), shared, '100.00').replace('ImpPagado', rest('16.00')),
    '5.xml': aPayment(folioOf(59), left, '90.00').replace('ImpPagado', rest('0.00')),
  });
  await call(CFDIS, { method: 'POST', headers: { 'content-type': 'application/zip' }, body });
  await workOff(instance);

  const stateOf = async (uuid: string) => {
    const { paid_total, payment_state } = (await call(`${CFDIS}/${uuid}`)).body.data;
    return [paid_total, payment_state];
  };
  assert.deepEqual(await stateOf(credited), [100, 'paid']);
  assert.deepEqual(await stateOf(shared), [100, 'partial'], 'it does not say how much is for each');
  assert.deepEqual(await stateOf(other), [0, 'unpaid']);
  assert.deepEqual(await stateOf(left), [90, 'paid']);
});

test('a payment that leaves nothing does not make up for an earlier one that was cancelled', async () => {
  const [ppd, first, last, again] = [folioOf(71), folioOf(72), folioOf(73), folioOf(74)];
  const part = (uuid: string, amount: string, number: number, left: string) =>
    aPayment(uuid, ppd, amount).replace(
      'ImpPagado',
      `NumParcialidad="${number}" ImpSaldoInsoluto="${left}" ImpPagado`,
    );
  const add = async (files: Record<string, string>) => {
    const headers = { 'content-type': 'application/zip' };
    await call(CFDIS, { method: 'POST', headers, body: await zipOf(files) });
    await workOff(instance);
  };
  const state = async () => {
    const { data } = (await call(`${CFDIS}/${ppd}`)).body;
    return [data.paid_total, data.payment_state];
  };
  await add({
    '1.xml': aCfdi({ uuid: ppd, total: '116.00' }).replace('"PUE"', '"PPD"'),
    '2.xml': part(first, '60.00', 1, '56.00'),
    '3.xml': part(last, '56.00', 2, '0.00'),
  });
  assert.deepEqual(await state(), [116, 'paid']);
  await query(instance, "update cfdis set status = 'cancelado' where uuid = $1", [first]);
  assert.deepEqual(await state(), [56, 'partial']);
  // Without its cent, so that the balance of the second one decides.
  await add({ '4.xml': part(again, '59.99', 1, '56.00').replace('11-16T11', '11-15T11') });
  assert.deepEqual(await state(), [115.99, 'paid']);
});

test('an installment that is invoiced again after the last one leaves its invoice paid', async () => {
  const [ppd, other, first] = [folioOf(85), folioOf(86), folioOf(87)];
  const named = (relation: string, ...uuids: string[]) => {
    const folios = uuids.map((uuid) => `<cfdi:CfdiRelacionado UUID="${uuid}"/>`).join('');
    return `<cfdi:CfdiRelacionados TipoRelacion="${relation}">${folios}</cfdi:CfdiRelacionados>`;
  };
  const part = (uuid: string, amount: string, [number, left, day]: string[], head = '') =>
    aPayment(uuid, ppd, amount, head)
      .replace('ImpPagado', `NumParcialidad="${number}" ImpSaldoInsoluto="${left}" ImpPagado`)
      .replace('11-16T11', `11-${day}T11`);
  const body = await zipOf({
    '1.xml': aCfdi({ uuid: ppd, total: '116.00' }).replace('"PUE"', '"PPD"'),
    '2.xml': aCfdi({ uuid: folioOf(88), total: '32.00', type: 'E', head: named('01', ppd, other) }),
    '3.xml': part(first, '60.00', ['1', '40.00', '17']),
    '4.xml': part(folioOf(89), '40.00', ['2', '0.00', '18']),
    '5.xml': part(folioOf(90), '60.00', ['1', '40.00', '19'], named('04', first)),
  });
  await call(CFDIS, { method: 'POST', headers: { 'content-type': 'application/zip' }, body });
  await workOff(instance);
  const { data } = (await call(`${CFDIS}/${ppd}`)).body;
  assert.deepEqual([data.paid_total, data.payment_state], [100, 'paid']);
});

test('payments in pesos of an invoice in dollars count in dollars, and a credit note in pesos not', async () => {
  const ppd = folioOf(91);
  const head = `<cfdi:CfdiRelacionados TipoRelacion="01"><cfdi:CfdiRelacionado UUID="${ppd}"/></cfdi:CfdiRelacionados>`;
  const inPesos = (number: number, dollars: string, pesos: string, rate: string, left: string) =>
    aPayment(folioOf(number), ppd, dollars)
      .replace(`Monto="${dollars}"`, `TipoCambioP="1" Monto="${pesos}"`)
      .replace('ImpPagado', `MonedaDR="USD" EquivalenciaDR="${rate}" ImpPagado`)
      .replace('ImpPagado', `ImpSaldoInsoluto="${left}" ImpPagado`);
  const add = async (files: Record<string, string>) => {
    const headers = { 'content-type': 'application/zip' };
    await call(CFDIS, { method: 'POST', headers, body: await zipOf(files) });
    await workOff(instance);
    const { data } = (await call(`${CFDIS}/${ppd}`)).body;
    return [data.paid_total, data.payment_state];
  };
  const dollars = (text: string) =>
    text.replace('Moneda="MXN"', 'Moneda="USD" TipoCambio="18.5000"');
  const invoice = dollars(aCfdi({ uuid: ppd, total: '116.00' })).replace('"PUE"', '"PPD"');
  const note = aCfdi({ uuid: folioOf(92), total: '185.00', type: 'E', head });
  assert.deepEqual(await add({ '1.xml': invoice, '2.xml': note }), [0, 'unpaid']);
  assert.deepEqual(
    await add({ '3.xml': inPesos(93, '50.00', '900.00', '0.0555555556', '66.00') }),
    [50, 'partial'],
  );
  const credit = dollars(aCfdi({ uuid: folioOf(94), total: '16.00', type: 'E', head }));
  assert.deepEqual(
    await add({ '4.xml': credit, '5.xml': inPesos(95, '50.00', '950.00', '0.0526315789', '0.00') }),
    [100, 'paid'],
  );
});

test('a credit note that replaces another one still lowers what is due of its invoice', async () => {
  const [ppd, wrong, right] = [folioOf(75), folioOf(76), folioOf(77)];
  const named = (relation: string, uuid: string) =>
    `<cfdi:CfdiRelacionados TipoRelacion="${relation}"><cfdi:CfdiRelacionado UUID="${uuid}"/></cfdi:CfdiRelacionados>`;
  const note = (uuid: string, total: string, head: string) =>
    aCfdi({ uuid, total, type: 'E', head });
  const body = await zipOf({
    '1.xml': aCfdi({ uuid: ppd, total: '116.00' }).replace('"PUE"', '"PPD"'),
    '2.xml': note(wrong, '61.00', named('01', ppd)),
    '3.xml': note(right, '16.00', named('04', wrong) + named('01', ppd)),
    '4.xml': aPayment(folioOf(78), ppd, '100.00'),
  });
  await call(CFDIS, { method: 'POST', headers: { 'content-type': 'application/zip' }, body });
  await workOff(instance);
  const { data } = (await call(`${CFDIS}/${ppd}`)).body;
  assert.deepEqual([data.paid_total, data.payment_state], [100, 'paid']);
});

test('a credit note that applies an advance lowers what is due of the invoice that it is for', async () => {
  const [advance, ppd] = [folioOf(81), folioOf(82)];
  const named = (uuid: string) =>
    `<cfdi:CfdiRelacionados TipoRelacion="07"><cfdi:CfdiRelacionado UUID="${uuid}"/></cfdi:CfdiRelacionados>`;
  const body = await zipOf({
    '1.xml': aCfdi({ uuid: advance, total: '16.00' }),
    '2.xml': aCfdi({ uuid: ppd, total: '116.00', head: named(advance) }).replace('"PUE"', '"PPD"'),
    '3.xml': aCfdi({ uuid: folioOf(83), total: '16.00', type: 'E', head: named(ppd) }),
    '4.xml': aPayment(folioOf(84), ppd, '100.00'),
  });
  await call(CFDIS, { method: 'POST', headers: { 'content-type': 'application/zip' }, body });
  await workOff(instance);
  const { data } = (await call(`${CFDIS}/${ppd}`)).body;
  assert.deepEqual([data.paid_total, data.payment_state], [100, 'paid']);
});

test('another organisation sees none of it, and a key without the permission nothing', async () => {
  const { organization } = await instance.tenant();
  const theirs = await keyWith(['cfdi:read'], organization.id);
  assert.deepEqual((await call(CFDIS, { key: theirs })).body.data, []);
  assert.equal((await call(`${CFDIS}/${folioOf(1)}`, { key: theirs })).status, 404);
  assert.equal((await call(`${CFDIS}/${folioOf(1)}/xml`, { key: theirs })).status, 404);
  const writer = await keyWith(['cfdi:write']);
  for (const path of [CFDIS, `${CFDIS}/${folioOf(1)}`, `${CFDIS}/${folioOf(1)}/xml`])
    assert.equal((await call(path, { key: writer })).status, 403);
});

async function list(
  query: Record<string, string>,
): Promise<{ uuid: string; counted_total: number | null }[]> {
  return (await callApi(instance.url, CFDIS, query, { key })).body.data;
}

function call(path: string, options: ApiOptions = {}) {
  return callApi(instance.url, path, {}, { key, ...options });
}

async function keyWith(
  scopes: KeyScope[],
  organizationId = instance.organization.id,
  name = 'lectura',
) {
  const { key: made } = await instance.app.database
    .within(organizationId)
    .write((scope) => createKey(scope, 'operator', { name, scopes }));
  return made;
}

function aPayment(uuid: string, paid: string, amount: string, head = ''): string {
  const complement = `<cfdi:Complemento><p:Pagos xmlns:p="http://www.sat.gob.mx/Pagos20" Version="2.0"><p:Pago FechaPago="2026-11-18T10:00:00" FormaDePagoP="03" MonedaP="MXN" Monto="${amount}"><p:DoctoRelacionado IdDocumento="${paid}" ImpPagado="${amount}"/></p:Pago></p:Pagos>`;
  return aCfdi({ uuid, total: '0', type: 'P', head }).replace('<cfdi:Complemento>', complement);
}
