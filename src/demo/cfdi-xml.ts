import { idOf } from '../platform/ids.ts';
import { divide, subtract } from '../platform/money.ts';
import type { Sold } from './sold-orders.ts';

/** Of the demo's taxpayer. */
export const RFC = 'TDE200115AB1';

/** Its folio is the order; the same one each time, so that a second run of the demo adds none. */
export function cfdiOf(organizationId: string, { id, total, at }: Sold): string {
  const base = divide(total, 1.16, 2);
  const tax = subtract(total, base);
  const transfer = (name: string) =>
    `<cfdi:Impuestos${name}><cfdi:Traslados><cfdi:Traslado Base="${base}" Impuesto="002" TipoFactor="Tasa" TasaOCuota="0.160000" Importe="${tax}"/></cfdi:Traslados></cfdi:Impuestos>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4" Version="4.0" Serie="D"',
    ` Folio="${id}" Fecha="${at}" Sello="demostracion" FormaPago="31" MetodoPago="PUE"`,
    ` SubTotal="${base}" Moneda="MXN" Total="${total}" TipoDeComprobante="I" Exportacion="01"`,
    ' LugarExpedicion="44100">',
    `<cfdi:Emisor Rfc="${RFC}" Nombre="TIENDA DE DEMOSTRACION" RegimenFiscal="601"/>`,
    '<cfdi:Receptor Rfc="XAXX010101000" Nombre="PUBLICO EN GENERAL"',
    ' DomicilioFiscalReceptor="44100" RegimenFiscalReceptor="616" UsoCFDI="S01"/>',
    '<cfdi:Conceptos><cfdi:Concepto ClaveProdServ="01010101" Cantidad="1" ClaveUnidad="ACT"',
    ` Descripcion="Venta ${id}" ValorUnitario="${base}" Importe="${base}" ObjetoImp="02">`,
    `${transfer('')}</cfdi:Concepto></cfdi:Conceptos>`,
    transfer(` TotalImpuestosTrasladados="${tax}"`),
    '<cfdi:Complemento><tfd:TimbreFiscalDigital',
    ' xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1"',
    ` UUID="${idOf(`${organizationId} ${id}`)}" FechaTimbrado="${at}"/></cfdi:Complemento>`,
    '</cfdi:Comprobante>',
  ].join('');
}
