import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateOf } from '../withheld.ts';
import { readDocument } from './read-document.ts';
import type { CfdiRecord, WithholdingRecord } from './record.ts';
import { DocumentRefusal, type RefusalReason } from './refusal.ts';
import { instantAt, zoneOf } from './zones.ts';

const UUID = '5F0C8A34-9D1E-4B7A-8C52-2A6B1F0E9D73';
const OTHER = '0A1B2C3D-4E5F-4678-9ABC-DEF012345678';
const STAMP = `<tfd:TimbreFiscalDigital xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1" UUID="${UUID.toLowerCase()}" FechaTimbrado="2026-11-16T12:00:05"/>`;
const EMISOR = '<cfdi:Emisor Rfc="AAA010101AAA" Nombre="Papelería Sol" RegimenFiscal="601"/>';
const RECEPTOR =
  '<cfdi:Receptor Rfc="XAXX010101000" Nombre="PUBLICO EN GENERAL" DomicilioFiscalReceptor="06000" RegimenFiscalReceptor="616" UsoCFDI="S01"/>';

interface Parts {
  readonly root?: string;
  readonly head?: string;
  readonly parties?: string;
  readonly items?: string;
  readonly taxes?: string;
  readonly complement?: string;
  readonly tail?: string;
}

/** A CFDI of ours, with invented values in the documented shape. */
function cfdi({
  root = '',
  head = '',
  parties = EMISOR + RECEPTOR,
  items = '<cfdi:Concepto ClaveProdServ="44121600" NoIdentificacion="LAP-01" Cantidad="3" ClaveUnidad="H87" Descripcion="Lápiz" ValorUnitario="10.00" Importe="30.00" ObjetoImp="02"/>',
  taxes = '',
  complement = STAMP,
  tail = '',
}: Parts = {}): string {
  const given: Record<string, string> = {
    Version: '4.0',
    Serie: 'A',
    Folio: '12',
    Fecha: '2026-11-16T11:59:59',
    Sello: 'abcdefghijklmnop/123==',
    FormaPago: '31',
    MetodoPago: 'PUE',
    SubTotal: '30.00',
    Moneda: 'MXN',
    Total: '34.80',
    TipoDeComprobante: 'I',
    Exportacion: '01',
    LugarExpedicion: '06000',
  };
  for (const [, name = '', value = ''] of root.matchAll(/(\S+)="([^"]*)"/g)) given[name] = value;
  const attributes = Object.entries(given)
    .filter(([, value]) => value !== '-')
    .map(([name, value]) => ` ${name}="${value}"`);
  return `<?xml version="1.0" encoding="UTF-8"?><cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4"${attributes.join('')}>${head}${parties}<cfdi:Conceptos>${items}</cfdi:Conceptos>${taxes}<cfdi:Complemento>${complement}</cfdi:Complemento>${tail}</cfdi:Comprobante>`;
}

function read(text: string): CfdiRecord {
  return readDocument(Buffer.from(text)) as CfdiRecord;
}

function refused(text: string | Uint8Array, reason: RefusalReason, path: string | null = null) {
  assert.throws(
    () => readDocument(typeof text === 'string' ? Buffer.from(text) : text),
    (error) => {
      assert.ok(error instanceof DocumentRefusal, String(error));
      assert.deepEqual([error.reason, error.path], [reason, path]);
      return true;
    },
  );
}

test('an invoice with its stamp, parties, items, taxes and totals', () => {
  const record = read(
    cfdi({
      root: 'Descuento="1.50" TipoCambio="1" CondicionesDePago="CONTADO" NoCertificado="00001000000500000001"',
      items:
        '<cfdi:Concepto ClaveProdServ="44121600" NoIdentificacion="LAP-01" Cantidad="3.5" ClaveUnidad="H87" Unidad="PZA" Descripcion="L&amp;piz" ValorUnitario="10.000000" Importe="35.00" Descuento="1.50" ObjetoImp="02"><cfdi:Impuestos><cfdi:Traslados><cfdi:Traslado Base="33.50" Impuesto="002" TipoFactor="Tasa" TasaOCuota="0.160000" Importe="5.36"/><cfdi:Traslado Base="1" Impuesto="003" TipoFactor="Exento"/></cfdi:Traslados><cfdi:Retenciones><cfdi:Retencion Base="33.50" Impuesto="001" TipoFactor="Tasa" TasaOCuota="0.025000" Importe="0.84"/></cfdi:Retenciones></cfdi:Impuestos><cfdi:ACuentaTerceros RfcACuentaTerceros="BBB020202BBB" NombreACuentaTerceros="Otra Tienda" RegimenFiscalACuentaTerceros="612" DomicilioFiscalACuentaTerceros="64000"/><cfdi:InformacionAduanera NumeroPedimento="26  24  3420  6000123"/></cfdi:Concepto>',
      taxes:
        '<cfdi:Impuestos TotalImpuestosTrasladados="5.36" TotalImpuestosRetenidos="0.84"><cfdi:Retenciones><cfdi:Retencion Impuesto="001" Importe="0.84"/></cfdi:Retenciones><cfdi:Traslados><cfdi:Traslado Base="33.50" Impuesto="002" TipoFactor="Tasa" TasaOCuota="0.160000" Importe="5.36"/></cfdi:Traslados></cfdi:Impuestos>',
    }),
  );

  const { issued_at, stamped_at, items, complements, ...rest } = record;
  assert.equal(issued_at, '2026-11-16T17:59:59.000Z');
  assert.equal(stamped_at, '2026-11-16T18:00:05.000Z');
  assert.deepEqual(
    complements.map(({ name, is_read }) => [name, is_read]),
    [['TimbreFiscalDigital', true]],
  );
  assert.deepEqual(items, [
    {
      product_code: '44121600',
      sku: 'LAP-01',
      quantity: '3.5',
      unit_code: 'H87',
      unit: 'PZA',
      description: 'L&piz',
      unit_value: '10.000000',
      amount: '35.00',
      discount: '1.50',
      tax_object: '02',
      taxes_transferred: [
        { base: '33.50', tax: '002', factor: 'Tasa', rate: '0.160000', amount: '5.36' },
        { base: '1', tax: '003', factor: 'Exento', rate: null, amount: null },
      ],
      taxes_withheld: [
        { base: '33.50', tax: '001', factor: 'Tasa', rate: '0.025000', amount: '0.84' },
      ],
      third_party: { rfc: 'BBB020202BBB', name: 'Otra Tienda', regime: '612', zip: '64000' },
      customs: ['26  24  3420  6000123'],
    },
  ]);
  assert.deepEqual(rest, {
    kind: 'cfdi',
    uuid: UUID,
    version: '4.0',
    issued_at_text: '2026-11-16T11:59:59',
    certificate_no: '00001000000500000001',
    seal_end: 'nop/123=='.slice(-8),
    serie: 'A',
    folio: '12',
    type: 'I',
    issuer_rfc: 'AAA010101AAA',
    issuer_name: 'Papelería Sol',
    issuer_regime: '601',
    is_by_receiver: false,
    receiver_rfc: 'XAXX010101000',
    receiver_name: 'PUBLICO EN GENERAL',
    receiver_regime: '616',
    receiver_zip: '06000',
    cfdi_use: 'S01',
    payment_form: '31',
    payment_method: 'PUE',
    currency: 'MXN',
    exchange_rate: '1',
    subtotal: '30.00',
    discount: '1.50',
    total: '34.80',
    export: '01',
    place_zip: '06000',
    conditions: 'CONTADO',
    total_transferred: '5.36',
    total_withheld: '0.84',
    taxes_transferred: [
      { base: '33.50', tax: '002', factor: 'Tasa', rate: '0.160000', amount: '5.36' },
    ],
    taxes_withheld: [{ base: null, tax: '001', factor: null, rate: null, amount: '0.84' }],
    global_info: null,
    related: [],
    payments: [],
    payments_total: null,
  });
});

test('elements are known by their namespace, whatever their prefix; a byte order mark is skipped', () => {
  const plain = read(cfdi());
  const renamed = cfdi().replaceAll('cfdi:', 'factura:').replace('xmlns:cfdi', 'xmlns:factura');
  const unprefixed = cfdi().replaceAll('cfdi:', '').replace('xmlns:cfdi', 'xmlns');
  assert.deepEqual(read(renamed), plain);
  assert.deepEqual(read(unprefixed), plain);
  assert.deepEqual(read(`\ufeff${cfdi()}`), plain);
  refused(cfdi().replace('sat.gob.mx/cfd/4', 'example.com/cfd/4'), 'no_es_cfdi');
});

test('a global invoice, related documents in several groups, and codes that are new', () => {
  const record = read(
    cfdi({
      root: 'TipoDeComprobante="E" FormaPago="77"',
      head: `<cfdi:InformacionGlobal Periodicidad="04" Meses="11" Año="2026"/><cfdi:CfdiRelacionados TipoRelacion="01"><cfdi:CfdiRelacionado UUID="${OTHER}"/><cfdi:CfdiRelacionado UUID="${UUID}"/></cfdi:CfdiRelacionados><cfdi:CfdiRelacionados TipoRelacion="99"><cfdi:CfdiRelacionado UUID="${OTHER.toLowerCase()}"/></cfdi:CfdiRelacionados>`,
    }),
  );
  assert.deepEqual(record.global_info, { periodicity: '04', months: '11', year: '2026' });
  assert.deepEqual(record.related, [
    { relation: '01', uuids: [OTHER, UUID] },
    { relation: '99', uuids: [OTHER] },
  ]);
  assert.deepEqual([record.type, record.payment_form], ['E', '77']);
});

test('a payment complement names the paid invoices; one without their folio is read, too', () => {
  const record = read(
    cfdi({
      root: 'TipoDeComprobante="P" Moneda="XXX" SubTotal="0" Total="0"',
      complement: `<pago20:Pagos xmlns:pago20="http://www.sat.gob.mx/Pagos20" Version="2.0"><pago20:Totales MontoTotalPagos="150.00"/><pago20:Pago FechaPago="2026-11-15T10:00:00" FormaDePagoP="03" MonedaP="MXN" TipoCambioP="1" Monto="150.00" NumOperacion="77"><pago20:DoctoRelacionado IdDocumento="${OTHER.toLowerCase()}" Serie="A" Folio="9" MonedaDR="MXN" EquivalenciaDR="1" NumParcialidad="1" ImpSaldoAnt="200.00" ImpPagado="150.00" ImpSaldoInsoluto="50.00" ObjetoImpDR="02"/><pago20:DoctoRelacionado Folio="10" ImpPagado="0"/></pago20:Pago></pago20:Pagos>${STAMP}`,
    }),
  );
  const [payment] = record.payments;
  assert.deepEqual([record.currency, record.total, payment?.amount], ['XXX', '0', '150.00']);
  assert.deepEqual(
    payment?.documents.map(({ uuid, folio, paid, balance_after }) => [
      uuid,
      folio,
      paid,
      balance_after,
    ]),
    [
      [OTHER, '9', '150.00', '50.00'],
      [null, '10', '0', null],
    ],
  );
});

test('a complement that we do not read is kept by its name', () => {
  const porte =
    '<cartaporte31:CartaPorte xmlns:cartaporte31="http://www.sat.gob.mx/CartaPorte31" Version="3.1"><cartaporte31:Ubicaciones/></cartaporte31:CartaPorte>';
  assert.deepEqual(read(cfdi({ complement: porte + STAMP })).complements, [
    { namespace: 'http://www.sat.gob.mx/CartaPorte31', name: 'CartaPorte', is_read: false },
    {
      namespace: 'http://www.sat.gob.mx/TimbreFiscalDigital',
      name: 'TimbreFiscalDigital',
      is_read: true,
    },
  ]);
});

test('complements of items are kept once; that of third parties in 3.3 and customs of parts are read', () => {
  const school = '<iedu:instEducativas xmlns:iedu="http://www.sat.gob.mx/iedu" version="1.0"/>';
  const owner =
    '<t:PorCuentadeTerceros xmlns:t="http://www.sat.gob.mx/terceros" version="1.1" rfc="TTT010101TTT" nombre="Dueña"><t:Impuestos/></t:PorCuentadeTerceros>';
  const item = (inside: string) =>
    `<cfdi:Concepto ClaveProdServ="1" Cantidad="1" ClaveUnidad="H87" Descripcion="x" ValorUnitario="1" Importe="1"><cfdi:InformacionAduanera NumeroPedimento="15  48  3009  0001234"/>${inside}<cfdi:Parte ClaveProdServ="1" Cantidad="1" Descripcion="y"><cfdi:InformacionAduanera NumeroPedimento="15  48  3009  0001235"/></cfdi:Parte></cfdi:Concepto>`;
  const nested = `<cfdi:ComplementoConcepto>${school}${STAMP.replace(UUID.toLowerCase(), OTHER)}</cfdi:ComplementoConcepto>`;
  const items =
    item(nested) + item(`<cfdi:ComplementoConcepto>${owner}</cfdi:ComplementoConcepto>`);
  const record = read(cfdi({ items: items + item(nested) }));
  assert.equal(record.uuid, UUID, 'a stamp of an item is none of the document');
  assert.deepEqual(
    record.complements.map(({ name, is_read }) => [name, is_read]),
    [
      ['instEducativas', false],
      ['TimbreFiscalDigital', true],
      ['PorCuentadeTerceros', true],
      ['TimbreFiscalDigital', true],
    ],
  );
  const party = { rfc: 'TTT010101TTT', name: 'Dueña', regime: null, zip: null };
  assert.deepEqual(
    record.items.map(({ third_party }) => third_party),
    [null, party, null],
  );
  assert.deepEqual(record.items[0]?.customs, ['15  48  3009  0001234', '15  48  3009  0001235']);
});

test('only a stamp in the complement node counts, and only one', () => {
  refused(cfdi({ complement: '' }), 'sin_timbre');
  refused(cfdi({ complement: '', tail: `<cfdi:Addenda>${STAMP}</cfdi:Addenda>` }), 'sin_timbre');
  refused(cfdi({ complement: `<x:y xmlns:x="urn:x">${STAMP}</x:y>` }), 'sin_timbre');
  refused(cfdi({ complement: STAMP + STAMP.replace(UUID.toLowerCase(), OTHER) }), 'varios_timbres');
  assert.equal(read(cfdi({ complement: STAMP + STAMP })).uuid, UUID);
  assert.equal(
    read(cfdi({ tail: `<cfdi:Addenda>${STAMP.replace(UUID.toLowerCase(), OTHER)}</cfdi:Addenda>` }))
      .uuid,
    UUID,
  );
});

test('a missing or wrong value is refused with its place', () => {
  for (const [root, path] of [
    ['Total="-"', 'Comprobante/@Total'],
    ['Total="34,80"', 'Comprobante/@Total'],
    ['Fecha="16/11/2026"', 'Comprobante/@Fecha'],
    ['Fecha="2026-11-31T10:00:00"', 'Comprobante/@Fecha'],
    ['Version="3.2"', 'Comprobante/@Version'],
    ['Moneda="-"', 'Comprobante/@Moneda'],
  ] as const)
    refused(cfdi({ root }), 'dato_invalido', path);
  assert.throws(
    () => read(cfdi({ root: 'Version="-" version="3.2"' })),
    /solo se leen las versiones 4\.0 y 3\.3/,
  );
  refused(cfdi({ parties: EMISOR }), 'dato_invalido', 'Comprobante/Receptor');
  refused(
    cfdi({ items: '<cfdi:Concepto Cantidad="1" Descripcion="x" Importe="1"/>' }),
    'dato_invalido',
    'Comprobante/Conceptos/Concepto/@ValorUnitario',
  );
  refused(
    cfdi({ complement: STAMP.replace(UUID.toLowerCase(), 'no') }),
    'dato_invalido',
    'Comprobante/Complemento/TimbreFiscalDigital/@UUID',
  );
});

test('an amount is any decimal of the schema, also without the zero before its point', () => {
  const items =
    '<cfdi:Concepto ClaveProdServ="1" Cantidad=".5" ClaveUnidad="H87" Descripcion="x" ValorUnitario="20." Importe="+10.00"><cfdi:Impuestos><cfdi:Traslados><cfdi:Traslado Base="10.00" Impuesto="002" TipoFactor="Tasa" TasaOCuota=".160000" Importe="1.60"/></cfdi:Traslados></cfdi:Impuestos></cfdi:Concepto>';
  const [item] = read(cfdi({ items })).items;
  assert.deepEqual(
    [item?.quantity, item?.unit_value, item?.amount, item?.taxes_transferred[0]?.rate],
    ['0.5', '20', '10.00', '0.160000'],
  );
  refused(cfdi({ root: 'Total="3.48e1"' }), 'dato_invalido', 'Comprobante/@Total');
});

test('what is no XML in UTF-8, declares a DOCTYPE, or is larger than any CFDI is refused', () => {
  const doctype = cfdi().replace('?>', '?><!DOCTYPE a [<!ENTITY b "c">]>');
  refused(doctype, 'doctype');
  refused(cfdi({ root: 'Serie="&b;"' }), 'mal_formado');
  refused(cfdi().slice(0, -5), 'mal_formado');
  refused(cfdi() + cfdi().slice(cfdi().indexOf('<cfdi')), 'mal_formado');
  refused('', 'mal_formado');
  refused('<html/>', 'no_es_cfdi');
  refused(`<sobre>${cfdi().slice(cfdi().indexOf('<cfdi'))}</sobre>`, 'no_es_cfdi');
  refused(Buffer.from(cfdi({ root: 'Serie="ñ"' }), 'latin1'), 'codificacion');
  refused(Buffer.from(`\ufeff${cfdi()}`, 'utf16le'), 'codificacion');
  refused(Buffer.from(cfdi(), 'utf16le'), 'codificacion');
  refused(Buffer.from(cfdi(), 'utf16le').swap16(), 'codificacion');
  refused(cfdi().replace('UTF-8', 'ISO-8859-1'), 'codificacion');
  const deep = '<a>'.repeat(70) + '</a>'.repeat(70);
  refused(cfdi({ tail: `<cfdi:Addenda>${deep}</cfdi:Addenda>` }), 'demasiado_grande');
  refused(
    cfdi({ tail: `<cfdi:Addenda>${'<a/>'.repeat(500_001)}</cfdi:Addenda>` }),
    'demasiado_grande',
  );
  refused(new Uint8Array(25 * 1_024 * 1_024 + 1).fill(32), 'demasiado_grande');
});

test('a withholding certificate of a platform, sale by sale', () => {
  const sale = (at: number) =>
    `<plat:DetallesDelServicio FormaPagoServ="03" TipoDeServ="11" SubTipServ="09" FechaServ="2026-10-${10 + at}" PrecioServSinIVA="${100 + at}.00"><plat:ImpuestosTrasladadosdelServicio Base="100.00" Impuesto="02" TipoFactor="Tasa" TasaCuota="0.160000" Importe="16.00"/><plat:ComisionDelServicio Porcentaje="0.1" Importe="10.00"/></plat:DetallesDelServicio>`;
  const text = `<?xml version="1.0" encoding="utf-8"?><retenciones:Retenciones xmlns:retenciones="http://www.sat.gob.mx/esquemas/retencionpago/2" Version="2.0" FolioInt="77" FechaExp="2026-11-05T09:30:00" Sello="zzzz12345678" NoCertificado="1" LugarExpRetenc="06000" CveRetenc="26" DescRetenc="Plataformas"><retenciones:Emisor RfcE="PPP010101PPP" NomDenRazSocE="Plataforma" RegimenFiscalE="601"/><retenciones:Receptor NacionalidadR="Nacional"><retenciones:Nacional RfcR="AAAA010101AAA" NomDenRazSocR="Ana" DomicilioFiscalR="06000"/></retenciones:Receptor><retenciones:Periodo MesIni="10" MesFin="10" Ejercicio="2026"/><retenciones:Totales MontoTotOperacion="201.00" MontoTotGrav="201.00" MontoTotExent="0" MontoTotRet="21.11"><retenciones:ImpRetenidos BaseRet="201.00" ImpuestoRet="001" MontoRet="5.03" TipoPagoRet="01"/><retenciones:ImpRetenidos BaseRet="201.00" ImpuestoRet="002" MontoRet="16.08" TipoPagoRet="01"/></retenciones:Totales><retenciones:Complemento><plat:ServiciosPlataformasTecnologicas xmlns:plat="http://www.sat.gob.mx/esquemas/retencionpago/1/PlataformasTecnologicas10" Version="1.0" Periodicidad="04" NumServ="2" MonTotServSIVA="201.00" TotalIVATrasladado="32.16" TotalIVARetenido="16.08" TotalISRRetenido="5.03" DifIVAEntregadoPrestServ="16.08" MonTotalporUsoPlataforma="20.00"><plat:Servicios>${sale(0)}${sale(1)}</plat:Servicios></plat:ServiciosPlataformasTecnologicas>${STAMP}</retenciones:Complemento></retenciones:Retenciones>`;
  const record = readDocument(Buffer.from(text)) as WithholdingRecord;

  assert.deepEqual(
    [record.kind, record.uuid, record.issuer_rfc, record.receiver_rfc, record.withholding_code],
    ['withholding', UUID, 'PPP010101PPP', 'AAAA010101AAA', '26'],
  );
  assert.deepEqual([record.first_month, record.last_month, record.year], ['10', '10', '2026']);
  assert.deepEqual(record.withheld, [
    { base: '201.00', tax: '001', amount: '5.03', payment_type: '01' },
    { base: '201.00', tax: '002', amount: '16.08', payment_type: '01' },
  ]);
  assert.deepEqual(
    [record.platform?.isr_withheld, record.platform?.vat_withheld, record.platform?.platform_fees],
    ['5.03', '16.08', '20.00'],
  );
  assert.deepEqual(record.platform?.details[1], {
    payment_form: '03',
    service_type: '11',
    service_subtype: '09',
    date: '2026-10-11',
    price: '101.00',
    vat: '16.00',
    commission: '10.00',
  });
  refused(text.replace(/<retenciones:Periodo[^>]*>/, ''), 'dato_invalido', 'Retenciones/Periodo');
  const issuedAt = (changed: string) => readDocument(Buffer.from(changed)).issued_at;
  assert.equal(issuedAt(text), '2026-11-05T15:30:00.000Z');
  assert.equal(
    issuedAt(text.replace('LugarExpRetenc="06000"', 'LugarExpRetenc="22000"')),
    '2026-11-05T17:30:00.000Z',
    'by the time of Tijuana',
  );

  const proven = (changed: string) => {
    const { isr, iva } = certificateOf(readDocument(Buffer.from(changed)) as WithholdingRecord);
    return [isr, iva];
  };
  const [isr, iva] = ['ImpuestoRet="001"', 'ImpuestoRet="002"'];
  assert.deepEqual(proven(text), ['5.03', '16.08']);
  assert.deepEqual(
    proven(text.replace(isr, 'ImpuestoRet="01"').replace(iva, 'ImpuestoRet="02"')),
    ['5.03', '16.08'],
    'by the codes of 1.0',
  );
  assert.deepEqual(
    proven(text.replace(isr, '').replace(iva, '')),
    ['5.03', '16.08'],
    "by the platform's totals",
  );
});

test('the time of issue is that of the place of issue', () => {
  for (const [zip, zone] of [
    ['06000', 'America/Mexico_City'],
    ['22000', 'America/Tijuana'],
    ['23400', 'America/Mazatlan'],
    ['63734', 'America/Bahia_Banderas'],
    ['63000', 'America/Mazatlan'],
    ['32000', 'America/Ciudad_Juarez'],
    ['31000', 'America/Chihuahua'],
    ['77500', 'America/Cancun'],
    ['83000', 'America/Hermosillo'],
    ['88000', 'America/Matamoros'],
    ['00000', 'America/Mexico_City'],
    ['', 'America/Mexico_City'],
  ] as const)
    assert.equal(zoneOf(zip), zone, zip);
  const at = (text: string, zip: string) => instantAt(text, zoneOf(zip));
  assert.equal(at('2026-07-01T12:00:00', '06000'), '2026-07-01T18:00:00.000Z');
  assert.equal(at('2021-07-01T12:00:00', '06000'), '2021-07-01T17:00:00.000Z');
  assert.equal(at('2026-07-01T12:00:00', '22000'), '2026-07-01T19:00:00.000Z');
  assert.equal(at('2026-12-01T12:00:00', '22000'), '2026-12-01T20:00:00.000Z');
  assert.equal(at('2026-07-01T12:00:00', '83000'), '2026-07-01T19:00:00.000Z');
  assert.equal(at('2026-07-01T12:00:00', '77500'), '2026-07-01T17:00:00.000Z');
  assert.equal(at('2026-07-01T12:00:00', '32000'), '2026-07-01T18:00:00.000Z');
  assert.equal(instantAt('2026-02-30T12:00:00', 'America/Tijuana'), null);
  for (const year of ['0000', '0001', '1899', '2200', '9999'])
    assert.equal(instantAt(`${year}-01-01T12:00:00`, 'America/Tijuana'), null, year);
});
