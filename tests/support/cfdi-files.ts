/** Tax documents of ours: invented values in the documented shape. */

interface Given {
  /** Null = without a stamp. */
  readonly uuid: string | null;
  readonly total?: string;
  readonly sku?: string;
  readonly issuer?: string;
  readonly receiver?: string;
  /** Attributes of the root. */
  readonly root?: string;
  /** Elements between the root and the issuer. */
  readonly head?: string;
  readonly type?: string;
}

/**
 * An invoice of a person to a company, which keeps ISR of 1.25 % of each item: 100.00 with IVA of
 * 16.00 are 114.75.
 */
export function aCfdiWithIsr(uuid: string, skus: readonly string[], root = ''): string {
  const text = aCfdi({ uuid, receiver: 'EMP010101AB1', issuer: 'CACX7605101P8', root });
  const item = /<cfdi:Concepto .*?\/>/.exec(text)?.[0] as string;
  const [subtotal, iva, isr] = [100, 16, 1.25].map((each) => (each * skus.length).toFixed(2));
  const taxes = (base: string, vat: string, kept: string, rest = '') =>
    `<cfdi:Impuestos${rest}><cfdi:Traslados><cfdi:Traslado Base="${base}" Impuesto="002" TipoFactor="Tasa" TasaOCuota="0.160000" Importe="${vat}"/></cfdi:Traslados><cfdi:Retenciones><cfdi:Retencion Base="${base}" Impuesto="001" TipoFactor="Tasa" TasaOCuota="0.012500" Importe="${kept}"/></cfdi:Retenciones></cfdi:Impuestos>`;
  const items = skus.map((sku) =>
    item
      .replaceAll('34.80', '100.00')
      .replace('LAP-01', sku)
      .replace('/>', `>${taxes('100.00', '16.00', '1.25')}</cfdi:Concepto>`),
  );
  const whole = taxes(
    ...([subtotal, iva, isr] as [string, string, string]),
    ` TotalImpuestosRetenidos="${isr}" TotalImpuestosTrasladados="${iva}"`,
  );
  return text
    .replace('SubTotal="34.80"', `SubTotal="${subtotal}"`)
    .replace('Total="34.80"', `Total="${(114.75 * skus.length).toFixed(2)}"`)
    .replace(item, items.join(''))
    .replace('</cfdi:Conceptos>', `</cfdi:Conceptos>${whole}`);
}

export function aCfdi({
  uuid,
  total = '34.80',
  sku = 'LAP-01',
  issuer = 'AAA010101AAA',
  receiver = 'XAXX010101000',
  root = '',
  head = '',
  type = 'I',
}: Given): string {
  return `<?xml version="1.0" encoding="UTF-8"?><cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4" Version="4.0" Fecha="2026-11-16T11:59:59" Sello="abc12345678" FormaPago="31" MetodoPago="PUE" SubTotal="${total}" Moneda="MXN" Total="${total}" TipoDeComprobante="${type}" Exportacion="01" LugarExpedicion="06000" ${root}>${head}<cfdi:Emisor Rfc="${issuer}" Nombre="Papelería Sol" RegimenFiscal="601"/><cfdi:Receptor Rfc="${receiver}" Nombre="PUBLICO EN GENERAL" DomicilioFiscalReceptor="06000" RegimenFiscalReceptor="616" UsoCFDI="S01"/><cfdi:Conceptos><cfdi:Concepto ClaveProdServ="44121600" NoIdentificacion="${sku}" Cantidad="1" ClaveUnidad="H87" Descripcion="Lápiz" ValorUnitario="${total}" Importe="${total}" ObjetoImp="01"/></cfdi:Conceptos><cfdi:Complemento>${stamp(uuid)}</cfdi:Complemento></cfdi:Comprobante>`;
}

/** Of October 2026: ISR of 5.03 and IVA of 16.08 on 201.00. */
export function aCertificate({ uuid }: Pick<Given, 'uuid'>): string {
  return `<?xml version="1.0" encoding="UTF-8"?><retenciones:Retenciones xmlns:retenciones="http://www.sat.gob.mx/esquemas/retencionpago/2" Version="2.0" FolioInt="77" FechaExp="2026-11-05T09:30:00" Sello="abc12345678" CveRetenc="26"><retenciones:Emisor RfcE="PPP010101PPP" NomDenRazSocE="Plataforma" RegimenFiscalE="601"/><retenciones:Receptor NacionalidadR="Nacional"><retenciones:Nacional RfcR="AAAA010101AAA" NomDenRazSocR="Ana"/></retenciones:Receptor><retenciones:Periodo MesIni="10" MesFin="10" Ejercicio="2026"/><retenciones:Totales MontoTotOperacion="201.00" MontoTotGrav="201.00" MontoTotExent="0" MontoTotRet="21.11"><retenciones:ImpRetenidos BaseRet="201.00" ImpuestoRet="001" MontoRet="5.03"/><retenciones:ImpRetenidos BaseRet="201.00" ImpuestoRet="002" MontoRet="16.08"/></retenciones:Totales><retenciones:Complemento>${stamp(uuid)}</retenciones:Complemento></retenciones:Retenciones>`;
}

function stamp(uuid: string | null): string {
  return uuid === null
    ? ''
    : `<tfd:TimbreFiscalDigital xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1" UUID="${uuid}" FechaTimbrado="2026-11-16T12:00:05"/>`;
}

export function folioOf(number: number): string {
  return `5F0C8A34-9D1E-4B7A-8C52-${String(number).padStart(12, '0')}`;
}
