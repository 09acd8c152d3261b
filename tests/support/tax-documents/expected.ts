import { instantAt, zoneOf } from '../../../src/features/cfdi/xml/zones.ts';
import type { Element } from './element.ts';
import { Expected, Fields } from './fields.ts';
import { CFD3, CFD4, PAGO10, PAGO20, PLAT, RET2, TFD } from './schema.ts';

// The record that a document has to give, by the table of its fields: from the whole tree, without
// the reader's code.

const READ = [TFD, PAGO20, PAGO10, PLAT];
const CENTRAL = '06000';

/** @throws Expected where the document has to be refused */
export function expectedOf(root: Element): object {
  const fields = new Fields(root, root.name);
  const isCfdi = root.name === 'Comprobante' && [CFD4, CFD3].includes(root.namespace);
  const isCertificate = root.name === 'Retenciones' && root.namespace === RET2;
  if (!isCfdi && !isCertificate) throw new Expected('no_es_cfdi');
  const record = isCfdi ? cfdi(fields) : withholding(fields);
  return { ...record, ...stampOf(fields) };
}

function stampOf(root: Fields) {
  const nodes = root.all('Complemento');
  const stamps = nodes.flatMap((node) => node.all('TimbreFiscalDigital', TFD));
  const read = stamps.map((stamp) => ({
    uuid: stamp.uuid('UUID'),
    stamped_at: instantOf(stamp, 'FechaTimbrado', CENTRAL),
  }));
  if (new Set(read.map(({ uuid }) => uuid)).size > 1) throw new Expected('varios_timbres');
  if (!read[0]) throw new Expected('sin_timbre');
  const complements = nodes.flatMap(({ element }) =>
    element.children.map(({ namespace, name }) => ({
      ...{ namespace, name },
      is_read: READ.includes(namespace),
    })),
  );
  return { ...read.at(-1), complements };
}

function instantOf(at: Fields, name: string, zip: string): string {
  return instantAt(at.time(name), zoneOf(zip)) ?? at.refuse(name);
}

function cfdi(root: Fields) {
  const place = root.needed('LugarExpedicion');
  const version = root.needed('Version');
  if (!['4.0', '3.3'].includes(version)) root.refuse('Version');
  const issuer = root.theOne('Emisor');
  const receiver = root.theOne('Receptor');
  const taxes = root.one('Impuestos');
  const period = root.one('InformacionGlobal');
  const payments = root
    .all('Complemento')
    .flatMap((node) => [...node.all('Pagos', PAGO20), ...node.all('Pagos', PAGO10)]);
  return {
    kind: 'cfdi',
    version,
    serie: root.text('Serie'),
    folio: root.text('Folio'),
    issued_at_text: root.time('Fecha'),
    issued_at: instantOf(root, 'Fecha', place),
    certificate_no: root.text('NoCertificado'),
    seal_end: sealEnd(root),
    type: root.needed('TipoDeComprobante'),
    issuer_rfc: issuer.needed('Rfc'),
    issuer_name: issuer.text('Nombre'),
    issuer_regime: issuer.text('RegimenFiscal'),
    is_by_receiver: issuer.text('FacAtrAdquirente') !== null,
    receiver_rfc: receiver.needed('Rfc'),
    receiver_name: receiver.text('Nombre'),
    receiver_regime: receiver.text('RegimenFiscalReceptor'),
    receiver_zip: receiver.text('DomicilioFiscalReceptor'),
    cfdi_use: receiver.text('UsoCFDI'),
    payment_form: root.text('FormaPago'),
    payment_method: root.text('MetodoPago'),
    currency: root.needed('Moneda'),
    exchange_rate: root.amount('TipoCambio'),
    subtotal: root.neededAmount('SubTotal'),
    discount: root.amount('Descuento'),
    total: root.neededAmount('Total'),
    export: root.text('Exportacion'),
    place_zip: place,
    conditions: root.text('CondicionesDePago'),
    total_transferred: taxes?.amount('TotalImpuestosTrasladados') ?? null,
    total_withheld: taxes?.amount('TotalImpuestosRetenidos') ?? null,
    ...taxesIn(taxes ? [taxes] : []),
    items: root.all('Conceptos').flatMap((list) => list.all('Concepto').map(item)),
    global_info: period && {
      periodicity: period.needed('Periodicidad'),
      months: period.needed('Meses'),
      year: period.needed('Año'),
    },
    related: root.all('CfdiRelacionados').map((group) => ({
      relation: group.needed('TipoRelacion'),
      uuids: group.all('CfdiRelacionado').map((one) => one.uuid('UUID')),
    })),
    payments: payments.flatMap((list) => list.all('Pago').map(payment)),
    payments_total: payments.flatMap((list) => list.all('Totales')).map(paymentsTotal)[0] ?? null,
  };
}

function paymentsTotal(at: Fields) {
  return at.amount('MontoTotalPagos');
}

function sealEnd(root: Fields): string | null {
  return root.element.attributes.get('Sello')?.trim().slice(-8) || null;
}

function taxesIn(nodes: readonly Fields[]) {
  const taxes = (list: string, one: string) =>
    nodes.flatMap((node) => node.all(list).flatMap((each) => each.all(one).map(tax)));
  return {
    taxes_transferred: taxes('Traslados', 'Traslado'),
    taxes_withheld: taxes('Retenciones', 'Retencion'),
  };
}

function tax(at: Fields) {
  return {
    base: at.amount('Base'),
    tax: at.needed('Impuesto'),
    factor: at.text('TipoFactor'),
    rate: at.amount('TasaOCuota'),
    amount: at.amount('Importe'),
  };
}

function item(at: Fields) {
  const thirdParty = at.all('ACuentaTerceros').map((party) => ({
    rfc: party.needed('RfcACuentaTerceros'),
    name: party.text('NombreACuentaTerceros'),
    regime: party.text('RegimenFiscalACuentaTerceros'),
    zip: party.text('DomicilioFiscalACuentaTerceros'),
  }));
  return {
    product_code: at.text('ClaveProdServ'),
    sku: at.text('NoIdentificacion'),
    quantity: at.neededAmount('Cantidad'),
    unit_code: at.text('ClaveUnidad'),
    unit: at.text('Unidad'),
    description: at.needed('Descripcion'),
    unit_value: at.neededAmount('ValorUnitario'),
    amount: at.neededAmount('Importe'),
    discount: at.amount('Descuento'),
    tax_object: at.text('ObjetoImp'),
    ...taxesIn(at.all('Impuestos')),
    third_party: thirdParty.at(-1) ?? null,
    customs: [at, ...at.all('Parte')].flatMap((goods) =>
      goods.all('InformacionAduanera').map((one) => one.needed('NumeroPedimento')),
    ),
  };
}

function payment(at: Fields) {
  return {
    paid_at_text: at.time('FechaPago'),
    payment_form: at.text('FormaDePagoP'),
    currency: at.needed('MonedaP'),
    exchange_rate: at.amount('TipoCambioP'),
    amount: at.neededAmount('Monto'),
    operation_no: at.text('NumOperacion'),
    documents: at.all('DoctoRelacionado').map((paid) => ({
      uuid: folioOrNull(paid.text('IdDocumento')),
      serie: paid.text('Serie'),
      folio: paid.text('Folio'),
      currency: paid.text('MonedaDR'),
      exchange_rate: paid.amount('EquivalenciaDR') ?? paid.amount('TipoCambioDR'),
      installment: paid.text('NumParcialidad'),
      balance_before: paid.amount('ImpSaldoAnt'),
      paid: paid.amount('ImpPagado'),
      balance_after: paid.amount('ImpSaldoInsoluto'),
      tax_object: paid.text('ObjetoImpDR'),
    })),
  };
}

/** `IdDocumento` may be something else than a folio. */
function folioOrNull(text: string | null): string | null {
  return text !== null && /^[0-9A-F-]{36}$/i.test(text) ? text.toUpperCase() : null;
}

function withholding(root: Fields) {
  const issuer = root.theOne('Emisor');
  const receiver = root.theOne('Receptor');
  const period = root.theOne('Periodo');
  const totals = root.theOne('Totales');
  const national = receiver.one('Nacional');
  const replaced = root.one('CfdiRetenRelacionados');
  return {
    kind: 'withholding',
    version: root.needed('Version'),
    folio: root.text('FolioInt'),
    issued_at_text: root.time('FechaExp'),
    issued_at: instantOf(root, 'FechaExp', root.text('LugarExpRetenc') ?? CENTRAL),
    certificate_no: root.text('NoCertificado'),
    seal_end: sealEnd(root),
    withholding_code: root.needed('CveRetenc'),
    issuer_rfc: issuer.needed('RfcE'),
    issuer_name: issuer.text('NomDenRazSocE'),
    receiver_rfc: national?.needed('RfcR') ?? null,
    receiver_name: (national ?? receiver.one('Extranjero'))?.text('NomDenRazSocR') ?? null,
    first_month: period.needed('MesIni'),
    last_month: period.needed('MesFin'),
    year: period.needed('Ejercicio'),
    operation_total: totals.neededAmount('MontoTotOperacion'),
    taxed_total: totals.amount('MontoTotGrav'),
    exempt_total: totals.amount('MontoTotExent'),
    withheld_total: totals.neededAmount('MontoTotRet'),
    withheld: totals.all('ImpRetenidos').map((one) => ({
      base: one.amount('BaseRet'),
      tax: one.text('ImpuestoRet'),
      amount: one.neededAmount('MontoRet'),
      payment_type: one.text('TipoPagoRet'),
    })),
    replaces: replaced?.uuid('UUID') ?? null,
    platform: platformIn(root),
  };
}

function platformIn(root: Fields) {
  const found = root
    .all('Complemento')
    .flatMap((node) => node.all('ServiciosPlataformasTecnologicas', PLAT));
  const [at, second] = found;
  if (second) throw new Expected('dato_invalido', second.path);
  if (!at) return null;
  return {
    periodicity: at.needed('Periodicidad'),
    services: at.needed('NumServ'),
    total_without_tax: at.neededAmount('MonTotServSIVA'),
    vat_transferred: at.neededAmount('TotalIVATrasladado'),
    vat_withheld: at.neededAmount('TotalIVARetenido'),
    isr_withheld: at.neededAmount('TotalISRRetenido'),
    vat_difference: at.amount('DifIVAEntregadoPrestServ'),
    platform_fees: at.amount('MonTotalporUsoPlataforma'),
    details: at.all('Servicios').flatMap((list) => list.all('DetallesDelServicio').map(sale)),
  };
}

function sale(at: Fields) {
  const importeOf = (name: string) =>
    at
      .all(name)
      .map((one) => one.amount('Importe'))
      .at(-1) ?? null;
  return {
    payment_form: at.text('FormaPagoServ'),
    service_type: at.text('TipoDeServ'),
    service_subtype: at.text('SubTipServ'),
    date: at.needed('FechaServ'),
    price: at.neededAmount('PrecioServSinIVA'),
    vat: importeOf('ImpuestosTrasladadosdelServicio'),
    commission: importeOf('ComisionDelServicio'),
  };
}
