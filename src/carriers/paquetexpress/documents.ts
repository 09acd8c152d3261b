import { z } from 'zod';
import { id, optional } from '../../connectors/wire-fields.ts';
import { isRawNumber } from '../../platform/json.ts';
import { type Decimal, parseDecimal } from '../../platform/money.ts';
import { type Instant, parseInstant } from '../../platform/time.ts';

// Only the fields that we use. Texts may be the word "null", and every date but `fechahora` is
// prose.

/** May be absent. */
export const anything = z.unknown().optional();

/** Trimmed; null where it is empty. */
export const text = anything.transform((value) => {
  const found = isRawNumber(value) ? value.rawJSON : typeof value === 'string' ? value.trim() : '';
  return found === '' || found === 'null' ? null : found;
});

/** Amounts are numbers, or text with commas. */
export const money = anything.transform((value): Decimal | null => {
  const found = isRawNumber(value) ? value.rawJSON : typeof value === 'string' ? value : '';
  return parseDecimal(found.replace(/[$,\s]/g, ''));
});

/** Epoch milliseconds, or ISO text with its offset: the only exact time of an event. */
const moment = z.unknown().transform((value, context): Instant => {
  const found = isRawNumber(value) ? value.rawJSON : value;
  const instant = typeof found === 'string' ? readMoment(found.trim()) : null;
  if (instant) return instant;
  context.addIssue({ code: 'custom', message: 'expected epoch milliseconds or an ISO 8601 time' });
  return z.NEVER;
}) as unknown as z.ZodType<Instant>;

/** Of 12 to 14 digits, from 1973 to 5138: any instant that can be stored. */
function readMoment(found: string): Instant | null {
  if (!/^\d{12,14}$/.test(found)) return parseInstant(found);
  return Temporal.Instant.fromEpochMilliseconds(Number(found));
}

/** Longer identifiers are not the carrier's, and too long for an index. */
const ownId = id.refine(
  (given) => given.trim() !== '' && given.length <= 64,
  'expected an identifier',
);

export const HistoryRow = z.looseObject({
  status: text,
  eventoId: ownId,
  eventoDescripcion: text,
  sucursal: text,
  sucursalOrigen: text,
  sucursalDestino: text,
  ciudadDestino: text,
  ciudadEvento: text,
  promesa: text,
  guia: text,
  rastreo: ownId,
  referencia: text,
  tipoEntrega: text,
  fechahora: moment,
});
export type HistoryRow = z.infer<typeof HistoryRow>;

const Address = z.object({
  state: text,
  city: text,
  strtName: text,
  drnr: text,
  colonyName: text,
  zipCode: text,
  phoneNo: text,
});
const NO_ADDRESS = Address.parse({});

const Client = z.object({
  clntId: text,
  clntName: text,
  branchId: text,
  rout: text,
  rfc: text,
  dlvyTxt: text,
  address: optional(Address).transform((address) => address ?? NO_ADDRESS),
});
export type Client = z.infer<typeof Client>;
export const NO_CLIENT = Client.parse({});

const Parcel = z.object({
  cont: text,
  productIdSAT: text,
  shpCode: text,
  qunt: money,
  weight: money,
  volL: money,
  volW: money,
  volH: money,
  volume: money,
  slabNo: text,
});
export type Parcel = z.infer<typeof Parcel>;
export const NO_PARCEL = Parcel.parse({});

/** One thing, a list, or a list under the thing's own name. */
function several<T>(row: z.ZodType<T>, wrapper: string) {
  return anything
    .transform((value) => {
      const isWrapped = typeof value === 'object' && value !== null && wrapper in value;
      const inner = isWrapped ? (value as Record<string, unknown>)[wrapper] : value;
      if (inner === null || inner === undefined) return [];
      return Array.isArray(inner) ? inner : [inner];
    })
    .pipe(z.array(row));
}

const Amounts = z.object({ subTotlAmnt: money, taxAmnt: money, totalAmnt: money });
const NO_AMOUNTS = Amounts.parse({});

const Services = z.object({
  comments: text,
  referencias: optional(
    z.object({ referencia: several(z.object({ claveRef: text }), 'referencia') }),
  ),
  ackType: text,
  ackTypeName: text,
  dlvyType: text,
  invType: text,
  totldeclVlue: money,
  importe: optional(Amounts).transform((amounts) => amounts ?? NO_AMOUNTS),
  shpTypeName: text,
});
const NO_SERVICES = Services.parse({});

/** A request for service: what infotrack returns, and a row of the listing. */
export const Document = z.object({
  rastreo: id,
  guiaNo: text,
  guiaNoFormat: text,
  numPack: money,
  pymtMode: text,
  pymtType: text,
  pymtTypeTxt: text,
  shipType: text,
  guiaType: text,
  docuType: text,
  fecha: text,
  hora: text,
  weight: money,
  volume: money,
  originClient: optional(Client),
  destinationClient: optional(Client),
  detalleEmbarque: several(Parcel, 'embarque'),
  servicios: optional(Services).transform((services) => services ?? NO_SERVICES),
  /** Only in the listing: the event that is the latest there. */
  evento: anything,
});
export type Document = z.infer<typeof Document>;
