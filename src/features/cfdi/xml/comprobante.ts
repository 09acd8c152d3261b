import type { Attributes } from './attributes.ts';
import type { Draft, Kind, Rules } from './draft.ts';
import type { CfdiItem, CfdiRecord, PaidDocument, Payment, Related, Tax } from './record.ts';
import { DocumentRefusal } from './refusal.ts';
import { instantAt, zoneOf } from './zones.ts';

const ROOT = 'cfdi:Comprobante';
const ITEM = `${ROOT}/cfdi:Conceptos/cfdi:Concepto`;
/** Complements of one item; that of third parties is how 3.3 names them. */
const ITEM_COMPLEMENTS = `${ITEM}/cfdi:ComplementoConcepto`;
const PAYMENTS = `${ROOT}/cfdi:Complemento/pago:Pagos`;
const PAYMENT = `${PAYMENTS}/pago:Pago`;
const PARTIES = [`${ROOT}/cfdi:Emisor`, `${ROOT}/cfdi:Receptor`];
const VERSIONS = ['4.0', '3.3'];

/** What each element adds to the record. */
const RULES: Rules<CfdiRecord> = {
  [ROOT]: begin,
  [`${ROOT}/cfdi:Emisor`]: (draft, at) => {
    draft.issuer_rfc = at.neededRfc('Rfc');
    draft.issuer_name = at.text('Nombre');
    draft.issuer_regime = at.text('RegimenFiscal');
    draft.is_by_receiver = at.text('FacAtrAdquirente') !== null;
  },
  [`${ROOT}/cfdi:Receptor`]: (draft, at) => {
    draft.receiver_rfc = at.neededRfc('Rfc');
    draft.receiver_name = at.text('Nombre');
    draft.receiver_regime = at.text('RegimenFiscalReceptor');
    draft.receiver_zip = at.text('DomicilioFiscalReceptor');
    draft.cfdi_use = at.text('UsoCFDI');
  },
  [`${ROOT}/cfdi:InformacionGlobal`]: (draft, at) => {
    draft.global_info = {
      periodicity: at.needed('Periodicidad'),
      months: at.needed('Meses'),
      year: at.needed('Año'),
    };
  },
  [`${ROOT}/cfdi:CfdiRelacionados`]: (draft, at) => {
    draft.related.push({ relation: at.needed('TipoRelacion'), uuids: [] });
  },
  [`${ROOT}/cfdi:CfdiRelacionados/cfdi:CfdiRelacionado`]: (draft, at) => {
    last<Draft<Related>>(draft.related).uuids.push(at.neededUuid('UUID'));
  },
  [`${ROOT}/cfdi:Impuestos`]: (draft, at) => {
    draft.total_transferred = at.amount('TotalImpuestosTrasladados');
    draft.total_withheld = at.amount('TotalImpuestosRetenidos');
  },
  [`${ROOT}/cfdi:Impuestos/cfdi:Traslados/cfdi:Traslado`]: (draft, at) => {
    draft.taxes_transferred.push(taxOf(at));
  },
  [`${ROOT}/cfdi:Impuestos/cfdi:Retenciones/cfdi:Retencion`]: (draft, at) => {
    draft.taxes_withheld.push(taxOf(at));
  },
  [ITEM]: (draft, at) => {
    draft.items.push(itemOf(at));
  },
  [`${ITEM}/cfdi:Impuestos/cfdi:Traslados/cfdi:Traslado`]: (draft, at) => {
    itemIn(draft).taxes_transferred.push(taxOf(at));
  },
  [`${ITEM}/cfdi:Impuestos/cfdi:Retenciones/cfdi:Retencion`]: (draft, at) => {
    itemIn(draft).taxes_withheld.push(taxOf(at));
  },
  [`${ITEM}/cfdi:ACuentaTerceros`]: (draft, at) => {
    itemIn(draft).third_party = {
      rfc: at.needed('RfcACuentaTerceros'),
      name: at.text('NombreACuentaTerceros'),
      regime: at.text('RegimenFiscalACuentaTerceros'),
      zip: at.text('DomicilioFiscalACuentaTerceros'),
    };
  },
  [`${ITEM_COMPLEMENTS}/terceros:PorCuentadeTerceros`]: (draft, at) => {
    const [rfc, name] = [at.needed('rfc'), at.text('nombre')];
    itemIn(draft).third_party = { rfc, name, regime: null, zip: null };
  },
  [`${ITEM}/cfdi:InformacionAduanera`]: addCustoms,
  [`${ITEM}/cfdi:Parte/cfdi:InformacionAduanera`]: addCustoms,
  [`${PAYMENTS}/pago:Totales`]: (draft, at) => {
    draft.payments_total = at.amount('MontoTotalPagos');
  },
  [PAYMENT]: (draft, at) => {
    draft.payments.push(paymentOf(at));
  },
  [`${PAYMENT}/pago:DoctoRelacionado`]: (draft, at) => {
    last<Draft<Payment>>(draft.payments).documents.push(paidDocumentOf(at));
  },
};

/** How a CFDI 4.0 or 3.3 is read. */
export const COMPROBANTE: Kind<CfdiRecord> = {
  root: ROOT,
  complements: `${ROOT}/cfdi:Complemento`,
  itemComplements: ITEM_COMPLEMENTS,
  rules: new Map(Object.entries(RULES)),
  needed: new Set(PARTIES),
  single: new Set([...PARTIES, `${ROOT}/cfdi:InformacionGlobal`, `${ROOT}/cfdi:Impuestos`]),
  begin: () => ({
    kind: 'cfdi',
    is_by_receiver: false,
    global_info: null,
    total_transferred: null,
    total_withheld: null,
    taxes_transferred: [],
    taxes_withheld: [],
    items: [],
    related: [],
    payments: [],
    payments_total: null,
  }),
};

function begin(draft: Draft<CfdiRecord>, at: Attributes): void {
  // Versions up to 3.2 write it in lower case.
  const version = at.text('version') ?? at.needed('Version');
  if (!VERSIONS.includes(version))
    throw at.fault('Version', `solo se leen las versiones ${VERSIONS.join(' y ')}`);
  const placeZip = at.needed('LugarExpedicion');
  const issuedAt = at.neededTimes('Fecha');
  Object.assign(draft, {
    version,
    serie: at.text('Serie'),
    folio: at.text('Folio'),
    issued_at_text: issuedAt,
    issued_at: instantAt(issuedAt, zoneOf(placeZip)) ?? refuseTime(at),
    certificate_no: at.text('NoCertificado'),
    seal_end: at.end('Sello', 8),
    type: at.needed('TipoDeComprobante'),
    payment_form: at.text('FormaPago'),
    payment_method: at.text('MetodoPago'),
    currency: at.needed('Moneda'),
    exchange_rate: at.amount('TipoCambio'),
    subtotal: at.neededAmount('SubTotal'),
    discount: at.amount('Descuento'),
    total: at.neededAmount('Total'),
    export: at.text('Exportacion'),
    place_zip: placeZip,
    conditions: at.text('CondicionesDePago'),
  } satisfies Partial<Draft<CfdiRecord>>);
}

function refuseTime(at: Attributes): never {
  throw at.fault('Fecha', 'no es una fecha con hora');
}

function itemOf(at: Attributes): Draft<CfdiItem> {
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
    taxes_transferred: [],
    taxes_withheld: [],
    third_party: null,
    customs: [],
  };
}

/** Goods that were imported, or their parts. */
function addCustoms(draft: Draft<CfdiRecord>, at: Attributes): void {
  itemIn(draft).customs.push(at.needed('NumeroPedimento'));
}

function taxOf(at: Attributes): Tax {
  return {
    base: at.amount('Base'),
    tax: at.needed('Impuesto'),
    factor: at.text('TipoFactor'),
    rate: at.amount('TasaOCuota'),
    amount: at.amount('Importe'),
  };
}

function paymentOf(at: Attributes): Draft<Payment> {
  return {
    paid_at_text: at.neededTimes('FechaPago'),
    payment_form: at.text('FormaDePagoP'),
    currency: at.needed('MonedaP'),
    exchange_rate: at.amount('TipoCambioP'),
    amount: at.neededAmount('Monto'),
    operation_no: at.text('NumOperacion'),
    documents: [],
  };
}

/** `IdDocumento` may be the folio of an older invoice, or be missing in bad files. */
function paidDocumentOf(at: Attributes): PaidDocument {
  const uuid = at.text('IdDocumento')?.toUpperCase() ?? null;
  return {
    uuid: uuid !== null && /^[0-9A-F-]{36}$/.test(uuid) ? uuid : null,
    serie: at.text('Serie'),
    folio: at.text('Folio'),
    currency: at.text('MonedaDR'),
    exchange_rate: at.amount('EquivalenciaDR') ?? at.amount('TipoCambioDR'),
    installment: at.text('NumParcialidad'),
    balance_before: at.amount('ImpSaldoAnt'),
    paid: at.amount('ImpPagado'),
    balance_after: at.amount('ImpSaldoInsoluto'),
    tax_object: at.text('ObjetoImpDR'),
  };
}

function itemIn(draft: Draft<CfdiRecord>): Draft<CfdiItem> {
  return last<Draft<CfdiItem>>(draft.items);
}

/** Its element holds the one being read. */
function last<T>(list: readonly T[]): T {
  const found = list.at(-1);
  if (found === undefined) throw new DocumentRefusal('mal_formado');
  return found;
}
