import { createHash } from 'node:crypto';
import type { App } from '../app/app.ts';
import { listenersWith } from '../app/services.ts';
import {
  fiscalProfile,
  type ReadDocument,
  reading,
  recordCfdis,
  setFiscalProfile,
} from '../features/cfdi/index.ts';
import { listConnections } from '../features/connections/index.ts';
import { announceOrders } from '../features/order-events/index.ts';
import { ordersOfPeriod } from '../features/orders/index.ts';
import type { Organization } from '../features/organizations/index.ts';
import { hasten } from '../features/schedules/index.ts';
import { INSTANCE_ACTOR } from '../features/trail/index.ts';
import { compare, type Decimal, divide, subtract, ZERO } from '../platform/money.ts';

const PROFILE = {
  person: 'legal',
  regime: '601',
  hasBorderVat: false,
  rfcs: ['TDE200115AB1'],
} as const;
const PERIOD = { hours: 24 * 45 };
const LOOKED_AT = 200;
/** Of so many delivered orders the others wait for an invoice. */
const INVOICED_OF = 3;
const LISTENERS = listenersWith([announceOrders]);

interface Sold {
  readonly id: string;
  readonly total: Decimal;
  /** `2026-11-16T11:59:59`, in Mexico City. */
  readonly at: string;
}

/**
 * The organisation as a taxpayer, with the CFDI of some of its delivered orders; those of last month
 * that have none are found soon.
 */
export async function prepareInvoices(
  { database, exchange }: App,
  { id, timezone }: Organization,
): Promise<void> {
  const organization = database.within(id);
  const now = exchange.clock.now();
  const sold = await organization.read(async (scope): Promise<Sold[]> => {
    const orders = ordersOfPeriod(scope, { from: now.subtract(PERIOD), to: now });
    let looked = 0;
    const found: Sold[] = [];
    for await (const { id: orderId, status, total, currency, dateCreated } of orders) {
      if (++looked > LOOKED_AT) break;
      if (status !== 'delivered' || currency !== 'MXN') continue;
      if (total === null || compare(total, ZERO) <= 0 || !isInvoiced(orderId)) continue;
      const at = dateCreated.toZonedDateTimeISO(timezone);
      found.push({
        id: orderId,
        total,
        at: at.toPlainDateTime().toString({ smallestUnit: 'second' }),
      });
    }
    return found;
  });
  const documents = await reading(async ({ read }) => {
    const all: ReadDocument[] = [];
    for (const one of sold) all.push(await read(Buffer.from(cfdiOf(id, one))));
    return all;
  });
  await organization.write(async (scope) => {
    if ((await fiscalProfile(scope)).rfcs.length === 0)
      await setFiscalProfile(scope, INSTANCE_ACTOR, PROFILE);
    await recordCfdis(scope, 'upload', documents, LISTENERS);
    for (const { id: connectionId } of await listConnections(scope))
      await hasten(scope, 'findings', connectionId, now);
  });
}

/** Its folio is the order; the same one each time, so that a second run of the demo adds none. */
function cfdiOf(organizationId: string, { id, total, at }: Sold): string {
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
    `<cfdi:Emisor Rfc="${PROFILE.rfcs[0]}" Nombre="TIENDA DE DEMOSTRACION" RegimenFiscal="601"/>`,
    '<cfdi:Receptor Rfc="XAXX010101000" Nombre="PUBLICO EN GENERAL"',
    ' DomicilioFiscalReceptor="44100" RegimenFiscalReceptor="616" UsoCFDI="S01"/>',
    '<cfdi:Conceptos><cfdi:Concepto ClaveProdServ="01010101" Cantidad="1" ClaveUnidad="ACT"',
    ` Descripcion="Venta ${id}" ValorUnitario="${base}" Importe="${base}" ObjetoImp="02">`,
    `${transfer('')}</cfdi:Concepto></cfdi:Conceptos>`,
    transfer(` TotalImpuestosTrasladados="${tax}"`),
    '<cfdi:Complemento><tfd:TimbreFiscalDigital',
    ' xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1"',
    ` UUID="${folioOf(`${organizationId} ${id}`)}" FechaTimbrado="${at}"/></cfdi:Complemento>`,
    '</cfdi:Comprobante>',
  ].join('');
}

/** The same orders each time. */
function isInvoiced(orderId: string): boolean {
  return Number.parseInt(digestOf(orderId).slice(0, 8), 16) % INVOICED_OF === 0;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function folioOf(name: string): string {
  const digits = digestOf(name);
  return [0, 8, 12, 16, 20]
    .map((at, index) => digits.slice(at, [8, 12, 16, 20, 32][index]))
    .join('-');
}
