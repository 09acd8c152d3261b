import type { Attributes } from './attributes.ts';
import type { Draft, Kind, Rules } from './draft.ts';
import type { PlatformServices, WithholdingRecord } from './record.ts';
import { DocumentRefusal } from './refusal.ts';
import { instantAt, zoneOf } from './zones.ts';

const ROOT = 'ret:Retenciones';
const REPLACED = `${ROOT}/ret:CfdiRetenRelacionados`;
const TOTALS = `${ROOT}/ret:Totales`;
const RECEIVER = `${ROOT}/ret:Receptor`;
const NEEDED = [`${ROOT}/ret:Emisor`, RECEIVER, `${ROOT}/ret:Periodo`, TOTALS];
const PLATFORM = `${ROOT}/ret:Complemento/plat:ServiciosPlataformasTecnologicas`;
const SALE = `${PLATFORM}/plat:Servicios/plat:DetallesDelServicio`;

/** What each element adds to the record. The other names are those of 1.0. */
const RULES: Rules<WithholdingRecord> = {
  [ROOT]: begin,
  [REPLACED]: (draft, at) => {
    draft.replaces = at.neededUuid('UUID');
  },
  [`${ROOT}/ret:Emisor`]: (draft, at) => {
    draft.issuer_rfc = at.neededRfc('RfcE', 'RFCEmisor');
    draft.issuer_name = at.text('NomDenRazSocE');
  },
  [`${RECEIVER}/ret:Nacional`]: (draft, at) => {
    draft.receiver_rfc = at.neededRfc('RfcR', 'RFCRecep');
    draft.receiver_name = at.text('NomDenRazSocR');
  },
  [`${RECEIVER}/ret:Extranjero`]: (draft, at) => {
    draft.receiver_name = at.text('NomDenRazSocR');
  },
  [`${ROOT}/ret:Periodo`]: (draft, at) => {
    draft.first_month = at.needed('MesIni');
    draft.last_month = at.needed('MesFin');
    draft.year = at.text('Ejerc') ?? at.needed('Ejercicio');
  },
  [TOTALS]: (draft, at) => {
    draft.operation_total = at.amount('montoTotOperacion') ?? at.neededAmount('MontoTotOperacion');
    draft.taxed_total = at.amount('MontoTotGrav') ?? at.amount('montoTotGrav');
    draft.exempt_total = at.amount('MontoTotExent') ?? at.amount('montoTotExent');
    draft.withheld_total = at.amount('montoTotRet') ?? at.neededAmount('MontoTotRet');
  },
  [`${TOTALS}/ret:ImpRetenidos`]: (draft, at) => {
    draft.withheld.push({
      base: at.amount('BaseRet'),
      tax: at.text('ImpuestoRet') ?? at.text('Impuesto'),
      amount: at.amount('montoRet') ?? at.neededAmount('MontoRet'),
      payment_type: at.text('TipoPagoRet'),
    });
  },
  [PLATFORM]: (draft, at) => {
    draft.platform = platformOf(at);
  },
  [SALE]: (draft, at) => {
    platformIn(draft).details.push({
      payment_form: at.text('FormaPagoServ'),
      service_type: at.text('TipoDeServ'),
      service_subtype: at.text('SubTipServ'),
      date: at.needed('FechaServ'),
      price: at.neededAmount('PrecioServSinIVA'),
      vat: null,
      commission: null,
    });
  },
  [`${SALE}/plat:ImpuestosTrasladadosdelServicio`]: (draft, at) => {
    saleIn(draft).vat = at.amount('Importe');
  },
  [`${SALE}/plat:ComisionDelServicio`]: (draft, at) => {
    saleIn(draft).commission = at.amount('Importe');
  },
};

/** How a withholding certificate is read. */
export const RETENCIONES: Kind<WithholdingRecord> = {
  root: ROOT,
  complements: `${ROOT}/ret:Complemento`,
  rules: new Map(Object.entries(RULES)),
  needed: new Set(NEEDED),
  single: new Set([
    ...NEEDED,
    `${RECEIVER}/ret:Nacional`,
    `${RECEIVER}/ret:Extranjero`,
    REPLACED,
    PLATFORM,
  ]),
  begin: () => ({
    kind: 'withholding',
    receiver_rfc: null,
    receiver_name: null,
    withheld: [],
    replaces: null,
    platform: null,
  }),
};

function begin(draft: Draft<WithholdingRecord>, at: Attributes): void {
  const issuedAt = at.neededTimes('FechaExp');
  // Only 2.0 has the place; 1.0 has an offset.
  const instant = instantAt(issuedAt, zoneOf(at.text('LugarExpRetenc') ?? ''));
  if (!instant) throw at.fault('FechaExp', 'no es una fecha con hora');
  Object.assign(draft, {
    version: at.needed('Version'),
    folio: at.text('FolioInt'),
    issued_at_text: issuedAt,
    issued_at: instant,
    certificate_no: at.text('NoCertificado') ?? at.text('NumCert'),
    seal_end: at.end('Sello', 8),
    withholding_code: at.needed('CveRetenc'),
  } satisfies Partial<Draft<WithholdingRecord>>);
}

function platformOf(at: Attributes): Draft<PlatformServices> {
  return {
    periodicity: at.needed('Periodicidad'),
    services: at.needed('NumServ'),
    total_without_tax: at.neededAmount('MonTotServSIVA'),
    vat_transferred: at.neededAmount('TotalIVATrasladado'),
    vat_withheld: at.neededAmount('TotalIVARetenido'),
    isr_withheld: at.neededAmount('TotalISRRetenido'),
    vat_difference: at.amount('DifIVAEntregadoPrestServ'),
    platform_fees: at.amount('MonTotalporUsoPlataforma'),
    details: [],
  };
}

function platformIn({ platform }: Draft<WithholdingRecord>): Draft<PlatformServices> {
  if (!platform) throw new DocumentRefusal('mal_formado');
  return platform;
}

function saleIn(draft: Draft<WithholdingRecord>) {
  const sale = platformIn(draft).details.at(-1);
  if (!sale) throw new DocumentRefusal('mal_formado');
  return sale;
}
