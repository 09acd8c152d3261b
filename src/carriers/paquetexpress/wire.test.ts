import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireAnswer, WireRequest } from '../../connectors/contract.ts';
import { parseLossless } from '../../platform/json.ts';
import { decimal } from '../../platform/money.ts';
import type { GuideAddress, GuideRequest } from '../contract.ts';
import { CODES, categoryOf, rankOf } from './codes.ts';
import { paquetexpress } from './connector.ts';
import { PaquetexpressCredentials } from './credentials.ts';
import { guideDocument, refusalOf } from './guide.ts';
import { standingOf } from './standing.ts';
import { readDay, readEnvelope, readEvent, readMade, readPromise, readShipment } from './wire.ts';

const NOW = Temporal.Instant.from('2026-11-16T18:00:00Z');
const CREDENTIALS = { username: 'TIENDA01', token: 'ficha-del-cliente', session: 'la.sesion.jwt' };

const enveloped = (response: object) =>
  JSON.stringify({ header: null, body: { request: null, response: { data: null, ...response } } });
const judge = (body: string, status = 200) =>
  paquetexpress.verdict?.({ status, headers: {}, body, fetchedAt: NOW } satisfies WireAnswer);

test('an answer is judged by `success`, whatever its HTTP status says', () => {
  assert.equal(judge(enveloped({ success: true, messages: null })), 'ok');
  assert.equal(judge(enveloped({ success: true, messages: null }), 500), 'ok');
  assert.equal(judge(enveloped({ success: false, messages: null })), 'refuse');
  assert.equal(judge('<html>mantenimiento</html>', 502), null);
  assert.equal(judge('{"success":true}'), null);
});

test('a session that is over is renewed, and so is an unknown one; nothing else is', () => {
  const said = (code: string, description: string) =>
    judge(enveloped({ success: false, messages: [{ code, description, typeError: 'ERROR' }] }));

  assert.equal(said('500', 'The Token has expired on Mon Nov 16 11:31:38 CST 2026.'), 'renew');
  assert.equal(said('500', 'Token inválido'), 'renew');
  assert.equal(said('401', 'Error: Combinacion de usuario y contraseña incorrecta'), 'renew');
  assert.equal(said('500', 'Error al guardar la guía'), 'refuse');
  assert.equal(said('31', 'Crédito insuficiente'), 'refuse');
});

test('messages come as nothing, a list, a text or an object', () => {
  const messagesOf = (messages: unknown) =>
    readEnvelope(enveloped({ success: false, messages }))?.messages;

  assert.deepEqual(messagesOf(null), []);
  assert.deepEqual(messagesOf('no hay saldo'), [{ code: null, description: 'no hay saldo' }]);
  assert.deepEqual(messagesOf({ code: 31, description: 'saldo' }), [
    { code: '31', description: 'saldo' },
  ]);
  assert.deepEqual(messagesOf([{ code: '44', description: null }]), [
    { code: '44', description: '' },
  ]);
  assert.deepEqual(messagesOf([7]), [{ code: null, description: '' }]);
});

test('the session is put into the envelope and into the path of a history, and nowhere else', () => {
  const moment = { application: null, now: NOW };
  const sign = (request: Partial<WireRequest>) =>
    paquetexpress.auth.sign(
      {
        method: 'GET',
        url: new URL('https://cc.example/ptxws/x'),
        headers: {},
        body: undefined,
        ...request,
      },
      CREDENTIALS,
      moment,
    );
  const history = new URL('https://cc.example/ptxws/rest/api/v3/guia/historico/911/session');

  const posted = sign({ method: 'POST', body: '{"header":{},"body":{"request":{"data":[]}}}' });
  const got = sign({ url: history });
  const pdf = sign({ url: new URL('https://cc.example/wsReportPaquetexpress/GenCartaPorte') });

  assert.deepEqual(JSON.parse(posted.body ?? ''), {
    header: { security: { user: 'TIENDA01', type: 0, token: 'la.sesion.jwt' } },
    body: { request: { data: [] } },
  });
  assert.equal(got.url.pathname, '/ptxws/rest/api/v3/guia/historico/911/la.sesion.jwt');
  assert.ok(history.pathname.endsWith('/session'), 'the request in the error stays as it was');
  assert.ok(!pdf.url.href.includes('sesion'));
});

test('credentials: a user name and a token; another address for guides is https, and where it lists is a path', () => {
  const isRead = (given: object) =>
    PaquetexpressCredentials.safeParse({ username: 'A', token: 'b', ...given }).success;

  assert.ok(isRead({}));
  assert.ok(
    isRead({ guide_url: 'https://qaglp.paquetexpress.com.mx', list_path: '/ptxws/otra/consulta' }),
  );
  for (const guide_url of [
    'http://qaglp.paquetexpress.com.mx',
    'https://qaglp.paquetexpress.com.mx:8443',
    'https://localhost',
  ])
    assert.ok(!isRead({ guide_url }), guide_url);
  assert.ok(!isRead({ list_path: 'https://otro.example/consulta' }));
  assert.ok(!isRead({ password: 'x' }));
  assert.ok(!isRead({ token: '' }));
});

test('an event: the instant is epoch milliseconds, and the word "null" says nothing', () => {
  const event = readEvent(anEvent({ eventoDescripcion: 'null' }));

  assert.equal(event.trackingNumber, '8220001112223');
  assert.equal(event.code, 'TRN');
  assert.equal(event.category, 'EN_TRANSITO');
  assert.equal(event.description, 'Mercancía en tránsito');
  assert.equal(event.location, 'Zapopan, Jalisco, Mexico');
  assert.equal(event.occurredAt.toString(), '2026-11-14T21:10:49Z');
});

for (const [what, fechahora, instant] of [
  ['milliseconds as text', '1794690649000', '2026-11-14T21:10:49Z'],
  ['ISO with an offset', '2026-11-14T15:10:49-06:00', '2026-11-14T21:10:49Z'],
  ['ISO without an offset', '2026-11-14T15:10:49', null],
  ['seconds', 1_794_690_649, null],
  ['words', '14 de Noviembre', null],
  ['nothing', null, null],
] as const)
  test(`the time of an event as ${what} is ${instant ?? 'not one'}`, () => {
    const row = anEvent({ fechahora });

    if (instant === null) assert.throws(() => readEvent(row), { name: 'ZodError' });
    else assert.equal(readEvent(row).occurredAt.toString(), instant);
  });

test('an event of an unknown code keeps its code and has no category', () => {
  const event = readEvent(anEvent({ eventoId: 'ZZZ' }));

  assert.equal(event.code, 'ZZZ');
  assert.equal(event.category, null);
  assert.equal(categoryOf('constructor'), null);
});

test('29 codes: the official 27 and two of the specification, five of them in an order', () => {
  assert.equal(Object.keys(CODES).length, 29);
  const ranked = Object.keys(CODES).filter((code) => rankOf(code) !== null);
  assert.deepEqual(
    ranked.sort((a, b) => (rankOf(a) ?? 0) - (rankOf(b) ?? 0)),
    ['SWB', 'HCA', 'TRN', 'EAD', 'ENT'],
  );
});

test('the current event is the latest; at one instant the one further along, else the one that came last', () => {
  const at = (code: string, minute: number) => ({
    code,
    occurredAt: NOW.add({ minutes: minute }),
    seenAt: NOW,
  });
  const codeOf = (...events: ReturnType<typeof at>[]) => standingOf(events)?.carrierStatus;

  assert.equal(codeOf(at('TRN', 2), at('SWB', 1)), 'TRN');
  assert.equal(codeOf(at('ENT', 1), at('EAD', 1), at('TRN', 1)), 'ENT');
  assert.equal(codeOf(at('HDC', 1), at('TRN', 1)), 'TRN');
  assert.equal(codeOf(at('ENT', 1), at('HCE', 2)), 'HCE');
  assert.equal(codeOf(), undefined);
});

test('an unknown code stands, and what was known before it stays its category', () => {
  const reported = (code: string, minutes: number) => ({
    code,
    occurredAt: NOW.add({ minutes }),
    seenAt: NOW,
  });

  const standing = standingOf([reported('HCA', 1), reported('ZZZ', 2)]);

  assert.deepEqual(
    [standing?.carrierStatus, standing?.category, standing?.formerCategory],
    ['ZZZ', null, 'EN_TRANSITO'],
  );
});

const RETURNS: readonly (readonly [string, string, boolean])[] = [
  ['SWB HCM TRN HDR RGR', 'DEVOLUCION', false],
  ['SWB HCM TRN HDR RGR TRN', 'DEVOLUCION', false],
  ['SWB HCM TRN HDR RGR TRN WHU HTC HDC', 'DEVOLUCION', true],
  ['SWB HCM TRN HDR RGR TRN BDL', 'DEVOLUCION', true],
  ['SWB HCM TRN HDR RGR HDR', 'INCIDENCIA', false],
  ['SWB HCM TRN HDR RGR TRN CLS', 'SINIESTRADO', true],
  ['SWB HCM TRN HDR TRN HDC', 'ENTREGADO', true],
];

for (const [codes, category, isFinal] of RETURNS)
  test(`a parcel with the events ${codes} is ${category}`, () => {
    const inOrder = codes.split(' ').map((code, minute) => ({
      code,
      occurredAt: NOW.add({ minutes: minute }),
      seenAt: NOW,
    }));
    // Events may arrive in any order.
    const [standing, other] = [standingOf(inOrder), standingOf(inOrder.toReversed())];

    assert.deepEqual([standing?.category, standing?.isFinal], [category, isFinal]);
    assert.equal(standing?.deliveredAt === null, category !== 'ENTREGADO');
    assert.equal(other?.category, category);
  });

test('an event from years ahead counts from its arrival, so that it holds nothing back', () => {
  const reported = (code: string, occurredAt: string, seenAt: string) => ({
    code,
    occurredAt: Temporal.Instant.from(occurredAt),
    seenAt: Temporal.Instant.from(seenAt),
  });

  const standing = standingOf([
    reported('TRN', '2099-01-01T00:00:00Z', '2026-11-16T18:00:00Z'),
    reported('ENT', '2026-11-17T10:00:00Z', '2026-11-17T10:00:00Z'),
  ]);

  assert.equal(standing?.carrierStatus, 'ENT');
});

test('a shipment: 55 fields of its own, and the common words with exact amounts', () => {
  const read = readShipment(aDocument(), {
    fetchedAt: NOW,
    history: HISTORY,
  });

  assert.equal(read.id, '8220001112223');
  assert.equal(read.guideNumber, 'GDL01WE0009041');
  assert.equal(read.category, 'ENTREGADO');
  assert.equal(read.isFinal, true);
  assert.equal(read.cost, '1292.67');
  assert.equal(read.declaredValue, '1500.50');
  assert.equal(read.createdAt.toString(), '2026-11-14T01:10:49Z');
  assert.equal(read.pickedUpAt?.toString(), '2026-11-14T21:10:49Z');
  assert.equal(read.deliveredAt?.toString(), '2026-11-15T20:00:00Z');
  assert.equal(read.estimatedDelivery?.toString(), '2026-11-18T05:59:00Z');
  assert.equal(read.orderReference, 'ORD-2041');
  assert.equal(read.events.length, 3);
  assert.equal(read.changedAt?.toString(), '2026-11-15T20:00:00Z');
  assert.deepEqual(read.packages, [
    {
      sku: null,
      content: 'COLCHON',
      quantity: 1,
      weightKg: '12.5',
      lengthCm: '190',
      widthCm: '40',
      heightCm: '40',
    },
  ]);
  const fields = read.details ?? {};
  assert.equal(Object.keys(fields).length, 55);
  assert.equal(fields.ack_type, 'ACK-N');
  assert.equal(fields.comments, null);
  assert.equal(fields.documented_at, '2026-11-13T06:00:00Z');
});

test('a reverted delivery takes the delivery back', () => {
  const history = [
    ...HISTORY,
    anEvent({ eventoId: 'HCE', fechahora: millisOf('2026-11-15T22:00:00Z') }),
  ];

  const read = readShipment(aDocument(), { fetchedAt: NOW, history });

  assert.equal(read.category, 'INCIDENCIA');
  assert.equal(read.isFinal, false);
  assert.equal(read.deliveredAt, null);
});

test('one event that cannot be read does not cost the shipment', () => {
  const read = readShipment(aDocument(), {
    fetchedAt: NOW,
    history: [{ eventoId: 'TRN' }, ...HISTORY],
  });

  assert.equal(read.events.length, 3);
});

test('a shipment of which nothing is known but its number', () => {
  const read = readShipment({ rastreo: '822' }, { fetchedAt: NOW, history: null });

  assert.equal(read.category, 'PREPARACION');
  assert.equal(read.createdAt, NOW);
  assert.deepEqual(read.events, []);
});

test('days and promises are read in the time of Mexico City', () => {
  assert.equal(readDay('13/11/2026', '09:30')?.toString(), '2026-11-13T15:30:00Z');
  assert.equal(readDay('31/02/2026', null), null);
  assert.equal(readPromise('05 de Noviembre del 2026')?.toString(), '2026-11-06T05:59:00Z');
  assert.equal(readPromise('2026-11-05')?.toString(), '2026-11-06T05:59:00Z');
  assert.equal(readPromise('pronto'), null);
});

for (const [what, data, objectDTO, tracking, guide] of [
  ['as text', '21166982999', 'folioLetterPorte:MEX01WE0048999', '21166982999', 'MEX01WE0048999'],
  [
    'with a space',
    '21166982999',
    'folioLetterPorte: MEX01WE0048999',
    '21166982999',
    'MEX01WE0048999',
  ],
  ['before a comma', '21166982999', 'folioLetterPorte:MEX01,otro:1', '21166982999', 'MEX01'],
  ['as an object', { rhGuiaNo: '21166982999', guiaNo: 'WE48999' }, null, '21166982999', 'WE48999'],
  ['without a folio', '21166982999', null, '21166982999', null],
] as const)
  test(`a guide that was made, reported ${what}`, () => {
    const made = readMade(envelope({ success: true, data, objectDTO }));

    assert.deepEqual([made.tracking, made.guide], [tracking, guide]);
    assert.deepEqual([made.amount, made.availableBalance], [null, null]);
  });

test('a guide’s amounts are exact, also where they come as text with commas', () => {
  const read = (additionalData: object) =>
    readMade(envelope({ success: true, data: '1', additionalData }));

  const numbers = read({ creditAmnt: 18450.1, totalAmnt: 292.67 });
  const words = read({ creditAmnt: '$18,450.10', totalAmnt: '1,292.67' });

  assert.deepEqual([numbers.availableBalance, numbers.amount], ['18450.1', '292.67']);
  assert.deepEqual([words.availableBalance, words.amount], ['18450.10', '1292.67']);
});

test('a success that names no parcel says nothing about what was done', () => {
  assert.throws(() => readMade(envelope({ success: true, data: null })), { name: 'ZodError' });
});

test('refusals are in Spanish, unknown ones in the carrier’s words', () => {
  const reported = (code: string, description = '') =>
    refusalOf(envelope({ success: false, messages: [{ code, description }] }));

  assert.match(reported('31').message, /saldo/);
  assert.match(reported('44').message, /código postal/);
  assert.match(reported('45').message, /código postal/);
  assert.match(reported('23').message, /pesa/);
  assert.match(reported('17').message, /contenido/);
  assert.match(reported('35').message, /contrato/);
  assert.deepEqual(reported('99', 'Calle no encontrada.'), {
    code: '99',
    message: 'Paquetexpress rechazó la solicitud: Calle no encontrada.',
  });
});

test('the request for a guide: the layout’s fields as text, long ones cut, the customer’s account to be billed', () => {
  const document = guideDocument(CREDENTIALS, aGuide());

  const [origin, destination] = document.radGuiaAddrDTOList;
  assert.equal(document.billClntId, 'TIENDA01');
  assert.equal(document.pymtMode, 'PAID');
  assert.equal(document.typeSrvcId, 'STD-T');
  assert.equal(document.dlvyType, '2');
  assert.deepEqual(document.listSrvcItemDTO, [{ srvcId: 'EAD', value1: '' }]);
  assert.deepEqual(document.listRefs, [{ grGuiaRefr: 'L-77' }]);
  assert.equal(origin?.addrType, 'ORIGIN');
  assert.ok(!('rfc' in (origin ?? {})));
  assert.deepEqual(destination, {
    addrLin1: 'MEXICO',
    addrLin3: 'Jalisco',
    addrLin4: 'Zapopan',
    addrLin5: 'Zapopan',
    addrLin6: 'Centro',
    strtName: 'Morelos',
    drnr: '12 interior 304',
    phno1: '3300000000',
    zipCode: '45100',
    clntName: 'Iñigo Peña',
    email: '',
    contacto: 'Iñigo Peña',
    rfc: 'XAXX010101000',
    addrType: 'DESTINATION',
  });
  assert.deepEqual(document.radSrvcItemDTOList, [
    {
      srvcId: 'PACKETS',
      shpCode: '3',
      productIdSAT: '56101508',
      weight: '12.5',
      volL: '190',
      volW: '40',
      volH: '40',
      cont: 'COLCHON',
      qunt: '2',
    },
  ]);
});

test('a guide to a branch, in an envelope, with acknowledgement and coverage', () => {
  const document = guideDocument(
    { ...CREDENTIALS, client_id: '5356379' },
    {
      ...aGuide(),
      deliveryType: '0',
      packageCode: '1',
      acknowledgement: 'C',
      coverage: 'A',
      serviceType: '2D',
    },
  );

  assert.equal(document.billClntId, '5356379');
  assert.equal(document.typeSrvcId, 'SEG-2D');
  assert.equal(document.radSrvcItemDTOList[0]?.srvcId, 'ENVELOPES');
  assert.deepEqual(document.listSrvcItemDTO, [
    { srvcId: 'ACK', value1: 'C' },
    { srvcId: 'INV', value1: 'A' },
  ]);
});

function envelope(response: object) {
  const found = readEnvelope(enveloped({ messages: null, ...response }));
  assert.ok(found);
  return found;
}

/** As it comes from the wire: numbers are their own text. */
function anEvent(given: object = {}): unknown {
  return received({
    fecha: ' 14 De Noviembre Del 2026',
    hora: '15:10',
    sucursal: 'Guadalajara',
    status: 'Mercancía en tránsito',
    eventoId: 'TRN',
    eventoDescripcion: 'null',
    eventoImagen: null,
    sucursalOrigen: 'GDL01',
    sucursalDestino: null,
    promesa: ' 17 de Noviembre del 2026',
    ciudadDestino: 'Puebla, Puebla, Mexico',
    ciudadEvento: 'Zapopan, Jalisco, Mexico',
    guia: 'GDL01WE9041',
    rastreo: '8220001112223',
    referencia: 'ORD-2041',
    tipoEntrega: 'ENT_EAD',
    fechahora: 1_794_690_649_000,
    ...given,
  });
}

const millisOf = (text: string) => Temporal.Instant.from(text).epochMilliseconds;

const HISTORY = [
  anEvent({ eventoId: 'SWB', fechahora: millisOf('2026-11-14T01:10:49Z') }),
  anEvent(),
  anEvent({ eventoId: 'HDC', fechahora: millisOf('2026-11-15T20:00:00Z') }),
];

function received(row: object): unknown {
  return parseLossless(JSON.stringify(row));
}

function aDocument(): unknown {
  const address = {
    country: 'MEXICO',
    state: 'JALISCO',
    city: 'ZAPOPAN',
    strtName: 'AV. INVENTADA 100',
    drnr: '100',
    colonyName: 'CENTRO',
    zipCode: '45100',
    phoneNo: '3300000000',
  };
  const client = {
    clntId: '700100',
    clntName: 'TIENDA DE PRUEBA',
    branchId: 'GDL01',
    rfc: null,
    address,
  };
  return received({
    originClient: client,
    destinationClient: { ...client, dlvyTxt: 'EAD', rout: 'RUTA-9' },
    detalleEmbarque: {
      embarque: [
        {
          cont: 'COLCHON',
          productIdSAT: '56101508',
          shpCode: '3',
          qunt: 1,
          weight: 12.5,
          volL: 190,
          volW: 40,
          volH: 40,
          volume: 0.304,
          slabNo: 'T4',
        },
      ],
    },
    servicios: {
      comments: 'null',
      referencias: { referencia: [{ claveRef: 'ORD-2041' }] },
      ackType: 'ACK-N',
      ackTypeName: 'SIN ACUSE',
      totldeclVlue: '1,500.50',
      importe: { subTotlAmnt: 1114.37, taxAmnt: 178.3, totalAmnt: 1292.67 },
    },
    rastreo: '8220001112223',
    guiaNo: 'WE9041',
    guiaNoFormat: 'GDL01WE0009041',
    numPack: 1,
    pymtMode: 'PAID',
    pymtType: 'C',
    pymtTypeTxt: 'CRE',
    shipType: 'ST',
    guiaType: 'H',
    docuType: 'Q',
    fecha: '13/11/2026',
    hora: '00:00',
  });
}

function aGuide(): GuideRequest {
  const address: GuideAddress = {
    name: 'Iñigo Peña',
    country: 'MEXICO',
    state: 'Jalisco',
    municipality: 'Zapopan',
    city: 'Zapopan',
    colony: 'Centro',
    street: 'Morelos',
    number: '12 interior 304 letra B',
    zipcode: '45100',
    phone: '3300000000',
    email: null,
  };
  return {
    reference: 'L-77',
    origin: address,
    destination: address,
    destinationTaxId: 'XAXX010101000',
    packages: 2,
    weightKg: decimal('12.5'),
    lengthCm: decimal('190'),
    widthCm: decimal('40'),
    heightCm: decimal('40'),
    packageCode: '3',
    content: 'COLCHON',
    deliveryType: '2',
    paymentForm: 'PAID',
    acknowledgement: 'N',
    coverage: 'N',
    serviceType: 'ST',
    productId: '56101508',
    comments: null,
  };
}
