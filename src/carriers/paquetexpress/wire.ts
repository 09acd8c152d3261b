import { z } from 'zod';
import type { WireAnswer } from '../../connectors/contract.ts';
import {
  amount,
  documentOrNull,
  id,
  inTable,
  optional,
  parseOrNull,
} from '../../connectors/kit.ts';
import { Rows } from '../../connectors/lists.ts';
import { isRawNumber } from '../../platform/json.ts';
import { add, compare, type Decimal, parseDecimal } from '../../platform/money.ts';
import { type Instant, parseInstant } from '../../platform/time.ts';
import type {
  ShipmentPackage,
  ShipmentPlace,
  SourceShipment,
  SourceShipmentEvent,
} from '../contract.ts';
import { CODES, categoryOf } from './codes.ts';
import type { Details } from './details.ts';
import { currentOf, standingOf } from './standing.ts';

// Only the fields that we use. Texts may be the word "null", and every date but `fechahora` is
// words for people.

/** May be absent. */
const anything = z.unknown().optional();

export const ZONE = 'America/Mexico_City';

/** What people call text: without edges, and null where it says nothing. */
const text = anything.transform((value) => {
  const found = isRawNumber(value) ? value.rawJSON : typeof value === 'string' ? value.trim() : '';
  return found === '' || found === 'null' ? null : found;
});

/** Amounts come as numbers and as text with commas. */
const money = anything.transform((value): Decimal | null => {
  const found = isRawNumber(value) ? value.rawJSON : typeof value === 'string' ? value : '';
  return parseDecimal(found.replace(/[$,\s]/g, ''));
});

/** Epoch milliseconds, or ISO text with its offset: the one instant that can be trusted. */
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

export interface Message {
  readonly code: string | null;
  readonly description: string;
}

export interface Envelope {
  readonly success: boolean;
  readonly messages: readonly Message[];
  readonly data: unknown;
  readonly objectDTO: unknown;
  readonly additionalData: unknown;
}

const AMessage = z.union([
  z.string().transform((description) => ({ code: null, description })),
  z
    .object({ code: text, description: text })
    .transform(({ code, description }) => ({ code, description: description ?? '' })),
]);

/** None, one or several, as an object, as text, or in a list. */
const Messages = anything
  .transform((value) =>
    value === null || value === undefined ? [] : Array.isArray(value) ? value : [value],
  )
  .pipe(z.array(AMessage.catch({ code: null, description: '' })));

const Enveloped = z.object({
  body: z.object({
    response: z.object({
      success: z.boolean(),
      messages: Messages,
      data: anything,
      objectDTO: anything,
      additionalData: anything,
    }),
  }),
});

/** @returns null where the body is none: a page of a proxy, a document */
export function readEnvelope(body: string): Envelope | null {
  const found = Enveloped.safeParse(parseOrNull(body));
  return found.success ? (found.data.body.response as Envelope) : null;
}

/**
 * Throws ZodError where the body is no envelope: such an answer says nothing about what was done.
 */
export function envelopeOf(answer: Pick<WireAnswer, 'body'>): Envelope {
  return Enveloped.parse(documentOrNull(answer)).body.response as Envelope;
}

export const Session = z.object({ token: z.string().min(1) });

/** A page of the listing. */
export const ListPage = z.object({
  page: optional(amount.transform(Number)),
  pages: optional(amount.transform(Number)),
  rows: Rows,
});

export const Tracked = z.object({ retornoSolicitud: z.unknown() });

/** Longer ones are nobody's, and would be too long to look up. */
const ownId = id.refine(
  (given) => given.trim() !== '' && given.length <= 64,
  'expected an identifier',
);

const HistoryRow = z.looseObject({
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
type HistoryRow = z.infer<typeof HistoryRow>;

/** An event as history and webhooks tell it. Throws ZodError. */
export function readEvent(row: unknown): SourceShipmentEvent {
  return eventOf(HistoryRow.parse(row), JSON.stringify(row));
}

/**
 * A push: one event, or several under one name. Throws ZodError with the path of the first wrong
 * field.
 */
export function readPushed(body: unknown): SourceShipmentEvent[] {
  if (typeof body !== 'object' || body === null || !('eventos' in body)) return [readEvent(body)];
  const { eventos } = z.object({ eventos: z.array(HistoryRow).min(1) }).parse(body);
  return eventos.map((row) => eventOf(row, JSON.stringify(row)));
}

function eventOf(row: HistoryRow, raw: string): SourceShipmentEvent {
  const code = row.eventoId.trim();
  return {
    trackingNumber: row.rastreo.trim(),
    code,
    category: categoryOf(code),
    description: row.eventoDescripcion ?? row.status ?? inTable(CODES, code)?.title ?? null,
    location: row.ciudadEvento ?? row.sucursal,
    occurredAt: row.fechahora,
    raw,
  };
}

const Address = z.object({
  state: text,
  city: text,
  strtName: text,
  drnr: text,
  colonyName: text,
  zipCode: text,
  phoneNo: text,
});
const Client = z.object({
  clntId: text,
  clntName: text,
  branchId: text,
  rout: text,
  rfc: text,
  dlvyTxt: text,
  address: optional(Address),
});
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
type Parcel = z.infer<typeof Parcel>;

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

/** A request for service: what infotrack returns, and a row of the listing. */
const Document = z.object({
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
  servicios: optional(
    z.object({
      comments: text,
      referencias: optional(
        z.object({ referencia: several(z.object({ claveRef: text }), 'referencia') }),
      ),
      ackType: text,
      ackTypeName: text,
      dlvyType: text,
      invType: text,
      totldeclVlue: money,
      importe: optional(z.object({ subTotlAmnt: money, taxAmnt: money, totalAmnt: money })),
      shpTypeName: text,
    }),
  ),
  /** Only in the listing: the event that is the latest there. */
  evento: anything,
});
type Document = z.infer<typeof Document>;

interface Reading {
  readonly fetchedAt: Instant;
  /** Its tracking history, oldest first as it came; null = not asked for. */
  readonly history: readonly unknown[] | null;
}

/** The references that the shipper gave; none where the document cannot be read. */
export function referencesOf(document: unknown): string[] {
  const found = Document.safeParse(document);
  return found.success ? referencesIn(found.data) : [];
}

/** Throws ZodError. An event that cannot be read does not cost the shipment. */
export function readShipment(document: unknown, { fetchedAt, history }: Reading): SourceShipment {
  const row = Document.parse(document);
  const rows = (history ?? [row.evento]).flatMap((one) => {
    const found = HistoryRow.safeParse(one);
    return found.success
      ? [{ row: found.data, event: eventOf(found.data, JSON.stringify(one)) }]
      : [];
  });
  const events = rows.map(({ event }) => event);
  const told = events.map((event) => ({ ...event, seenAt: fetchedAt }));
  const standing = standingOf(told);
  const first = events.reduce<Instant | null>(
    (oldest, { occurredAt }) =>
      oldest && Temporal.Instant.compare(oldest, occurredAt) <= 0 ? oldest : occurredAt,
    null,
  );
  const documentedAt = readDay(row.fecha, row.hora);
  const promisedAt = promiseIn(rows.map((one) => one.row.promesa));
  const { importe, totldeclVlue } = row.servicios ?? {};
  const shipment = {
    id: row.rastreo,
    trackingNumber: row.rastreo,
    guideNumber: row.guiaNoFormat ?? row.guiaNo,
    category: standing ? standing.category : ('PREPARACION' as const),
    carrierStatus: standing?.carrierStatus ?? 'SWB',
    isFinal: standing?.isFinal ?? false,
    isDamaged: standing?.isDamaged ?? false,
    isReturn: false,
    parentId: null,
    finalCarrier: null,
    serviceType: row.shipType,
    cost: importe?.totalAmnt ?? null,
    currency: 'MXN',
    declaredValue: totldeclVlue ?? null,
    // The document tells the day alone; where events are known, the first of them is its hour.
    createdAt: first ?? documentedAt ?? fetchedAt,
    pickedUpAt: standing?.pickedUpAt ?? null,
    deliveredAt: standing?.deliveredAt ?? null,
    estimatedDelivery: promisedAt,
    origin: placeOf(row.originClient),
    destination: placeOf(row.destinationClient),
    packages: row.detalleEmbarque.map(packageOf),
    orderReference: referencesIn(row)[0] ?? null,
    relations: [],
    events,
    changedAt: standing?.changedAt ?? null,
    fetchedAt,
    raw: JSON.stringify(history === null ? document : { document, history }),
  };
  const current = currentOf(told);
  const last = rows[current ? told.indexOf(current) : -1]?.row ?? null;
  return { ...shipment, details: detailsOf(row, shipment, last, { documentedAt, promisedAt }) };
}

function referencesIn({ servicios }: Document): string[] {
  return (servicios?.referencias?.referencia ?? []).flatMap(({ claveRef }) => claveRef ?? []);
}

function placeOf(client: z.infer<typeof Client> | null): ShipmentPlace | null {
  if (!client) return null;
  const { address } = client;
  return {
    name: client.clntName,
    city: address?.city ?? null,
    state: address?.state ?? null,
    zipcode: address?.zipCode ?? null,
  };
}

function packageOf(parcel: Parcel): ShipmentPackage {
  return {
    sku: null,
    content: parcel.cont,
    quantity: Math.max(1, Math.ceil(Number(parcel.qunt ?? 1))),
    weightKg: parcel.weight,
    lengthCm: parcel.volL,
    widthCm: parcel.volW,
    heightCm: parcel.volH,
  };
}

interface Facts {
  readonly documentedAt: Instant | null;
  readonly promisedAt: Instant | null;
}

/** The carrier's own data model, field by field. */
function detailsOf(
  row: Document,
  shipment: Omit<SourceShipment, 'details'>,
  last: HistoryRow | null,
  { documentedAt, promisedAt }: Facts,
): Details {
  const { servicios: services, originClient: from, destinationClient: to } = row;
  const [parcel] = row.detalleEmbarque;
  const weights = row.detalleEmbarque.flatMap(({ weight }) => weight ?? []);
  return {
    tracking_number: row.rastreo,
    guide_number: row.guiaNo,
    guide_number_formatted: row.guiaNoFormat ?? last?.guia ?? null,
    guide_type: row.guiaType,
    document_type: row.docuType,
    status_code: shipment.carrierStatus,
    status_text: last?.status ?? inTable(CODES, shipment.carrierStatus)?.title ?? null,
    status_category: shipment.category,
    status_at: shipment.changedAt?.toString() ?? null,
    service_type: row.shipType,
    service_id: services?.shpTypeName ?? null,
    payment_mode: row.pymtMode,
    payment_type: row.pymtType,
    payment_type_text: row.pymtTypeTxt,
    delivery_type: last?.tipoEntrega ?? services?.dlvyType ?? to?.dlvyTxt ?? null,
    ack_type: services?.ackType ?? null,
    ack_type_name: services?.ackTypeName ?? null,
    insurance_type: services?.invType ?? null,
    declared_value: services?.totldeclVlue ?? null,
    package_count: row.numPack === null ? null : Math.ceil(Number(row.numPack)),
    package_code: parcel?.shpCode ?? null,
    content: parcel?.cont ?? null,
    sat_product_id: parcel?.productIdSAT ?? null,
    weight_kg: row.weight ?? (weights.length > 0 ? add(...weights) : null),
    length_cm: parcel?.volL ?? null,
    width_cm: parcel?.volW ?? null,
    height_cm: parcel?.volH ?? null,
    volume_m3: row.volume ?? parcel?.volume ?? null,
    rate_slab: parcel?.slabNo ?? null,
    origin_client_id: from?.clntId ?? null,
    origin_name: from?.clntName ?? null,
    origin_branch: from?.branchId ?? last?.sucursalOrigen ?? null,
    origin_city: from?.address?.city ?? null,
    origin_state: from?.address?.state ?? null,
    origin_zip: from?.address?.zipCode ?? null,
    destination_client_id: to?.clntId ?? null,
    destination_name: to?.clntName ?? null,
    destination_tax_id: to?.rfc ?? null,
    destination_phone: to?.address?.phoneNo ?? null,
    destination_branch: to?.branchId ?? last?.sucursalDestino ?? null,
    destination_street: to?.address?.strtName ?? null,
    destination_number: to?.address?.drnr ?? null,
    destination_colony: to?.address?.colonyName ?? null,
    destination_city: to?.address?.city ?? last?.ciudadDestino ?? null,
    destination_state: to?.address?.state ?? null,
    destination_zip: to?.address?.zipCode ?? null,
    delivery_route: to?.rout ?? null,
    reference: shipment.orderReference ?? last?.referencia ?? null,
    comments: services?.comments ?? null,
    subtotal_amount: services?.importe?.subTotlAmnt ?? null,
    tax_amount: services?.importe?.taxAmnt ?? null,
    total_amount: services?.importe?.totalAmnt ?? null,
    documented_at: documentedAt?.toString() ?? null,
    promised_at: promisedAt?.toString() ?? null,
    delivered_at: shipment.deliveredAt?.toString() ?? null,
  };
}

/** dd/mm/yyyy and hh:mm, as the carrier's documents have them, in the time of Mexico City. */
export function readDay(day: string | null, hour: string | null): Instant | null {
  const [, date, month, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(day ?? '') ?? [];
  const [, hours = '0', minutes = '0'] = /^(\d{1,2}):(\d{2})/.exec(hour ?? '') ?? [];
  return localTime(year, month, date, `${hours.padStart(2, '0')}:${minutes}`);
}

const MONTHS = [
  'enero',
  'febrero',
  'marzo',
  'abril',
  'mayo',
  'junio',
  'julio',
  'agosto',
  'septiembre',
  'octubre',
  'noviembre',
  'diciembre',
];

/**
 * « 05 de Noviembre del 2021», or 2021-11-05: kept if it comes by the end of that day in Mexico
 * City.
 */
export function readPromise(words: string | null): Instant | null {
  const [, isoYear, isoMonth, isoDay] = /^(\d{4})-(\d{2})-(\d{2})/.exec(words ?? '') ?? [];
  if (isoYear) return localTime(isoYear, isoMonth, isoDay, '23:59');
  const [, day, name = '', year] = /^(\d{1,2}) de (\w+) del? (\d{4})$/i.exec(words ?? '') ?? [];
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  return month === 0 ? null : localTime(year, String(month), day, '23:59');
}

function promiseIn(promises: readonly (string | null)[]): Instant | null {
  return promises.map(readPromise).findLast((promise) => promise !== null) ?? null;
}

function localTime(year?: string, month?: string, day?: string, hour = '00:00'): Instant | null {
  if (!year || !month || !day) return null;
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${hour}`;
  try {
    return Temporal.PlainDateTime.from(text, { overflow: 'reject' })
      .toZonedDateTime(ZONE)
      .toInstant();
  } catch {
    return null;
  }
}

const Amounts = z.object({ creditAmnt: money, totalAmnt: money });
const Made = z.union([
  id.transform((tracking) => ({ tracking, guide: null })),
  z
    .object({ rastreo: text, rhGuiaNo: text, guiaNo: text })
    .transform(({ rastreo, rhGuiaNo, guiaNo }) => ({
      tracking: rastreo ?? rhGuiaNo,
      guide: guiaNo,
    })),
]);

interface MadeGuide {
  readonly tracking: string;
  readonly guide: string | null;
  readonly amount: Decimal | null;
  readonly availableBalance: Decimal | null;
}

/**
 * What a guide's answer says. Throws ZodError where it names no parcel: then nobody knows what was
 * done.
 */
export function readMade({ data, objectDTO, additionalData }: Envelope): MadeGuide {
  const made = Made.parse(data);
  const tracking = id.parse(made.tracking);
  const words = typeof objectDTO === 'string' ? objectDTO : '';
  const guide = /folioLetterPorte:\s*([^\s,;]+)/.exec(words)?.[1] ?? made.guide;
  const amounts = Amounts.safeParse(additionalData);
  const total = amounts.success ? amounts.data.totalAmnt : null;
  return {
    tracking,
    guide,
    // Quoted as nothing where the account has no tariff: then it is not known.
    amount: total !== null && compare(total, '0' as Decimal) > 0 ? total : null,
    availableBalance: amounts.success ? amounts.data.creditAmnt : null,
  };
}
