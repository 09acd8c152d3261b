import { z } from 'zod';
import { documentOrNull, parseOrNull } from '../../connectors/answer-document.ts';
import type { WireAnswer } from '../../connectors/contract.ts';
import { Rows } from '../../connectors/lists.ts';
import { amount, id, optional } from '../../connectors/wire-fields.ts';
import { compare, type Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import type {
  ShipmentLocation,
  ShipmentPackage,
  SourceShipment,
  SourceShipmentEvent,
  Standing,
} from '../contract.ts';
import { CODES, categoryOf } from './codes.ts';
import { detailsOf } from './details.ts';
import {
  anything,
  type Client,
  Document,
  HistoryRow,
  money,
  type Parcel,
  text,
} from './documents.ts';
import { currentOf, standingOf } from './standing.ts';

export const ZONE = 'America/Mexico_City';

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

/** @returns null where the body is no envelope: a page of a proxy, a document */
export function readEnvelope(body: string): Envelope | null {
  const found = Enveloped.safeParse(parseOrNull(body));
  return found.success ? (found.data.body.response as Envelope) : null;
}

/** Throws ZodError where the body is no envelope: such an answer does not give the outcome. */
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

/** Reads an event of a history or a webhook. Throws ZodError. */
export function readEvent(row: unknown): SourceShipmentEvent {
  return eventOf(HistoryRow.parse(row), JSON.stringify(row));
}

/**
 * Reads a webhook: one event, or several under one name. Throws ZodError with the path of the first
 * wrong field.
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

interface Reading {
  readonly fetchedAt: Instant;
  /** Its tracking history, oldest first as received; null = not requested. */
  readonly history: readonly unknown[] | null;
}

/** The shipper's references; none where the document cannot be read. */
export function referencesOf(document: unknown): string[] {
  const found = Document.safeParse(document);
  return found.success ? referencesIn(found.data) : [];
}

/** Throws ZodError. An event that cannot be read is skipped. */
export function readShipment(document: unknown, { fetchedAt, history }: Reading): SourceShipment {
  const row = Document.parse(document);
  const rows = (history ?? [row.evento]).flatMap(eventIn);
  const events = rows.map(({ event }) => event);
  const reported = events.map((event) => ({ ...event, seenAt: fetchedAt }));
  const { formerCategory: _, ...standing } = standingOf(reported) ?? NOT_COLLECTED;
  const documentedAt = readDay(row.fecha, row.hora);
  const promisedAt = promiseIn(rows.map((one) => one.row.promesa));
  const { importe, totldeclVlue } = row.servicios;
  const shipment = {
    id: row.rastreo,
    trackingNumber: row.rastreo,
    guideNumber: row.guiaNoFormat ?? row.guiaNo,
    ...standing,
    isReturn: false,
    parentId: null,
    finalCarrier: null,
    serviceType: row.shipType,
    cost: importe.totalAmnt,
    currency: 'MXN',
    declaredValue: totldeclVlue,
    // The document gives the day only; the first known event gives the hour.
    createdAt: firstOf(events) ?? documentedAt ?? fetchedAt,
    estimatedDelivery: promisedAt,
    origin: locationOf(row.originClient),
    destination: locationOf(row.destinationClient),
    packages: row.detalleEmbarque.map(packageOf),
    orderReference: referencesIn(row)[0] ?? null,
    relations: [],
    events,
    fetchedAt,
    raw: JSON.stringify(history === null ? document : { document, history }),
  };
  const current = currentOf(reported);
  const last = rows[current ? reported.indexOf(current) : -1]?.row ?? null;
  return { ...shipment, details: detailsOf(row, shipment, last, { documentedAt, promisedAt }) };
}

/** A shipment without events. */
const NOT_COLLECTED: Omit<Standing, 'changedAt'> & { readonly changedAt: null } = {
  category: 'PREPARACION',
  formerCategory: null,
  carrierStatus: 'SWB',
  isFinal: false,
  isDamaged: false,
  pickedUpAt: null,
  deliveredAt: null,
  changedAt: null,
};

/** One row of a history, as a list that is empty where the row cannot be read. */
function eventIn(given: unknown): { row: HistoryRow; event: SourceShipmentEvent }[] {
  const { data: row } = HistoryRow.safeParse(given);
  return row ? [{ row, event: eventOf(row, JSON.stringify(given)) }] : [];
}

function firstOf(events: readonly SourceShipmentEvent[]): Instant | null {
  return events
    .map(({ occurredAt }) => occurredAt)
    .reduce<Instant | null>(
      (first, at) => (first && Temporal.Instant.compare(first, at) <= 0 ? first : at),
      null,
    );
}

function referencesIn({ servicios }: Document): string[] {
  return (servicios.referencias?.referencia ?? []).flatMap(({ claveRef }) => claveRef ?? []);
}

function locationOf(client: Client | null): ShipmentLocation | null {
  if (!client) return null;
  const { address } = client;
  return {
    city: address.city,
    state: address.state,
    zipcode: address.zipCode,
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
 * « 05 de Noviembre del 2021», or 2021-11-05: kept if the parcel arrives by the end of that day in
 * Mexico City.
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
 * Reads the answer to a guide request. Throws ZodError where it names no parcel: the outcome is
 * then unknown.
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
    // Zero where the account has no tariff: then the amount is unknown.
    amount: total !== null && compare(total, '0' as Decimal) > 0 ? total : null,
    availableBalance: amounts.success ? amounts.data.creditAmnt : null,
  };
}
