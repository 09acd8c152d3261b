import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  type Paquetexpress,
  type PaquetexpressOptions,
  startPaquetexpress,
} from './paquetexpress/index.ts';

const START = Date.parse('2026-11-16T18:00:00Z');
const HOUR = 3_600_000;

test('everything is a 200 with an envelope, and success has the result', async (t) => {
  const { carrier } = await open(t);

  const bad = await logIn(carrier, 'equivocado');
  const good = await logIn(carrier);

  assert.equal(bad.status, 200);
  assert.equal(bad.response.success, false);
  assert.equal(bad.response.messages[0].code, '401');
  assert.equal(good.response.success, true);
  assert.match(good.response.data.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
});

test('a session lives for thirty seconds of the world’s clock', async (t) => {
  const { carrier, clock } = await open(t);
  const session = await sessionOf(carrier);
  const asked = () => list(carrier, session);

  clock.at += 29_000;
  assert.equal((await asked()).response.success, true);
  clock.at += 1_000;
  const late = await asked();

  assert.equal(late.status, 200);
  assert.match(late.response.messages[0].description, /^The Token has expired on/);
  assert.match((await list(carrier, 'nadie')).response.messages[0].description, /invalido/);
});

test('the listing goes by days of Mexico City and by pages', async (t) => {
  const { carrier, clock } = await open(t, { pageSize: 2 });
  for (const hours of [30, 3, 2, 1]) carrier.document({ at: clock.at - hours * HOUR });
  const session = await sessionOf(carrier);

  const first = await list(carrier, session, { dateFrom: '2026-11-16', dateTo: '2026-11-16' });
  const second = await list(carrier, session, {
    dateFrom: '2026-11-16',
    dateTo: '2026-11-16',
    page: 2,
  });
  const whole = await list(carrier, session, { dateFrom: '2026-01-01', dateTo: '2026-11-16' });
  const odd = await list(carrier, session, { dateFrom: '16/11/2026', dateTo: '2026-11-16' });

  assert.deepEqual([first.response.data.rows.length, first.response.data.pages], [2, 2]);
  assert.equal(second.response.data.rows.length, 1);
  assert.equal(whole.response.data.total, 4);
  assert.equal(odd.response.success, false);
});

test('what is packed in the shop is a parcel, and its events move with the clock', async (t) => {
  const { carrier, clock } = await open(t);
  const order = carrier.world.place();
  carrier.world.pay(order.id);
  assert.equal(carrier.parcels().length, 0);
  carrier.world.pack(order.id);
  const session = await sessionOf(carrier);
  const [parcel] = carrier.parcels();
  const codes = async () =>
    (await history(carrier, parcel?.tracking ?? '', session)).response.data.map(
      (event: { eventoId: string }) => event.eventoId,
    );

  assert.equal(parcel?.reference, order.id);
  assert.deepEqual(await codes(), ['SWB']);
  clock.at += 10_000;
  carrier.world.ship(order.id);
  carrier.world.deliver(order.id);
  assert.deepEqual(await codes(), ['SWB', 'HCA', 'TRN', 'EAD', 'ENT']);
});

test('the history: dates in words, "null" as a word, and one field that is an instant', async (t) => {
  const { carrier } = await open(t);
  const { tracking } = carrier.document();
  const session = await sessionOf(carrier);

  const [event] = (await history(carrier, tracking, session)).response.data;
  const unknown = await history(carrier, '999', session);

  assert.equal(event.fecha, ' 16 De Noviembre Del 2026');
  assert.equal(event.hora, '12:00');
  assert.equal(event.eventoDescripcion, 'null');
  assert.equal(event.fechahora, START);
  assert.equal(unknown.status, 200);
  assert.equal(typeof unknown.response.messages, 'string');
});

test('a guide costs credit, has a life of its own, and can be cancelled until it is collected', async (t) => {
  const { carrier, clock } = await open(t, { credit: '1000.00' });

  const made = await makeGuide(carrier);
  const spent = 1_000 - Number(carrier.credit());
  const tracking = made.response.data;
  const cancelled = await cancel(carrier, tracking);
  const again = await makeGuide(carrier);
  clock.at += 21 * HOUR;
  const late = await cancel(carrier, again.response.data);

  assert.match(made.response.objectDTO, /^folioLetterPorte: GDL01WE\d{7}$/);
  assert.equal(made.response.additionalData.totalAmnt, Number(spent.toFixed(2)));
  assert.equal(cancelled.response.success, true);
  assert.equal(late.response.success, false);
  assert.equal(carrier.credit(), (1_000 - spent).toFixed(2));
  assert.deepEqual(
    carrier.parcels().map(({ events }) => events.at(-1)?.code),
    ['CWB', 'ENT'],
  );
});

for (const [code, what, given] of [
  ['31', 'without credit', { credit: '10.00' }],
  ['45', 'to a postal code that does not exist', { zip: '00000' }],
  ['44', 'to a postal code without coverage', { zip: '23999' }],
  ['23', 'that is too heavy', { weight: '71' }],
  ['17', 'without a weight', { weight: '' }],
  ['17', 'whose weight is no text', { weight: 4 }],
  ['19', 'without a content', { content: '' }],
  ['35', 'of a service without a contract', { service: 'SEG-MD' }],
] as const)
  test(`a guide ${what} is refused with ${code}, and costs nothing`, async (t) => {
    const { credit = '500.00', ...asked } = { ...given } as { credit?: string };
    const { carrier } = await open(t, { credit });

    const refused = await makeGuide(carrier, asked);

    const [message] = [refused.response.messages].flat();
    assert.equal(refused.status, 200);
    assert.equal(refused.response.success, false);
    assert.equal(message.code, code);
    assert.equal(carrier.credit(), credit);
    assert.equal(carrier.parcels().length, 0);
  });

test('an answer is lost after the guide was made', async (t) => {
  const { carrier } = await open(t);
  await sessionOf(carrier);
  carrier.faults.next({ kind: 'reset', match: /v1\/guia/ });

  await assert.rejects(makeGuide(carrier));

  assert.equal(carrier.parcels().length, 1);
});

test('labels: text for printers, and a page that is a PDF', async (t) => {
  const { carrier } = await open(t);
  const { tracking } = carrier.document();
  const session = await sessionOf(carrier);
  const zpl = async (figure: string) =>
    (await track(carrier, tracking, session, figure)).response.data.retornoSolicitud
      .cadenaImpresion;

  const pdf = await fetch(
    `${carrier.url}/wsReportPaquetexpress/GenCartaPorte?trackingNoGen=${tracking}`,
  );
  const bytes = Buffer.from(await pdf.arrayBuffer());
  const excuse = await fetch(`${carrier.url}/wsReportPaquetexpress/GenCartaPorte?trackingNoGen=9`);

  assert.equal(await zpl('0'), null);
  assert.match(await zpl('1'), /^\^XA[\s\S]*\^XZ$/);
  assert.equal(bytes.subarray(0, 5).toString(), '%PDF-');
  assert.deepEqual([...bytes.subarray(10, 14)], [0xe2, 0xe3, 0xcf, 0xd3]);
  const table = Number(/startxref\n(\d+)/.exec(bytes.toString('latin1'))?.[1]);
  assert.equal(bytes.subarray(table, table + 4).toString(), 'xref');
  assert.equal(excuse.status, 200);
  assert.equal(excuse.headers.get('content-type'), 'text/html');
});

test('webhooks go to the address with its secret, one event each, and again until they are taken', async (t) => {
  const { carrier, clock } = await open(t);
  const taken: { url: string; body: { eventoId: string; fechahora: number } }[] = [];
  let status = 503;
  const receiver = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    if (status === 200) taken.push({ url: request.url ?? '', body: JSON.parse(text) });
    response.writeHead(status).end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => receiver.once('listening', resolve));
  t.after(() => receiver.close());
  const { port } = receiver.address() as AddressInfo;
  carrier.document();
  carrier.webhooks.sendTo(`http://127.0.0.1:${port}/aqui?secret=s`);
  const { tracking } = carrier.document();
  clock.at += HOUR;
  carrier.happen(tracking, 'HCA');

  const refused = await carrier.webhooks.deliver();
  status = 200;
  const accepted = await carrier.webhooks.deliver();
  const nothing = await carrier.webhooks.deliver();

  assert.deepEqual(
    refused.map((one) => one.status),
    [503, 503],
  );
  assert.equal(accepted.length, 2);
  assert.equal(nothing.length, 0);
  assert.deepEqual(
    taken.map(({ url, body }) => [url, body.eventoId]),
    [
      ['/aqui?secret=s', 'SWB'],
      ['/aqui?secret=s', 'HCA'],
    ],
  );
  assert.equal(taken[1]?.body.fechahora, clock.at);
});

async function open(t: TestContext, options: PaquetexpressOptions = {}) {
  const clock = { at: START };
  const carrier = await startPaquetexpress({ now: () => clock.at, ...options });
  t.after(carrier.close);
  return { carrier, clock };
}

async function post(carrier: Paquetexpress, path: string, security: object, data: unknown) {
  const answer = await fetch(carrier.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ header: { security }, body: { request: { data }, response: null } }),
  });
  return { status: answer.status, response: ((await answer.json()) as Enveloped).body.response };
}

function logIn(carrier: Paquetexpress, token?: string) {
  const { username, token: own } = carrier.credentials();
  const password = Buffer.from(token ?? own).toString('base64');
  return post(carrier, '/RadRestFul/api/rad/loginv1/login', { user: username, password }, null);
}

async function sessionOf(carrier: Paquetexpress): Promise<string> {
  return (await logIn(carrier)).response.data.token;
}

function list(carrier: Paquetexpress, token: string, asked: object = {}) {
  const data = { dateFrom: '2026-01-01', dateTo: '2026-12-31', page: 1, ...asked };
  return post(carrier, '/ptxws/rest/api/v1/guia/consulta', { token }, data);
}

function track(carrier: Paquetexpress, rastreo: string, token: string, figure: string) {
  const datoAdicional = [{ claveDataAd: 'getZPL', valorDataAd: figure }];
  const data = { solicitudEnvio: { rastreo, datosAdicionales: { datoAdicional } } };
  return post(carrier, '/RadRestFul/api/rad/v1/infotrack', { token }, data);
}

async function history(carrier: Paquetexpress, tracking: string, session: string) {
  const answer = await fetch(
    `${carrier.url}/ptxws/rest/api/v3/guia/historico/${tracking}/${session}`,
  );
  return { status: answer.status, response: ((await answer.json()) as Enveloped).body.response };
}

interface Asked {
  readonly zip?: string;
  readonly weight?: unknown;
  readonly content?: string;
  readonly service?: string;
}

async function makeGuide(carrier: Paquetexpress, asked: Asked = {}) {
  const { zip = '72000', weight = '4', content = 'COLCHON', service = 'STD-T' } = asked;
  const data = {
    radGuiaAddrDTOList: [{ addrType: 'DESTINATION', zipCode: zip, drnr: '7' }],
    radSrvcItemDTOList: [{ weight, volL: '30', volW: '20', volH: '10', qunt: '1', cont: content }],
    typeSrvcId: service,
    listRefs: [{ grGuiaRefr: 'L-1' }],
  };
  return post(carrier, '/RadRestFul/api/rad/v1/guia', { token: await sessionOf(carrier) }, [data]);
}

async function cancel(carrier: Paquetexpress, tracking: string) {
  const token = await sessionOf(carrier);
  return post(carrier, '/RadRestFul/api/rad/v1/cancelguia', { token }, [tracking]);
}

interface Enveloped {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: { readonly response: any };
}
