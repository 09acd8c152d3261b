import { z } from 'zod';
import { apart } from '../../connectors/apart.ts';
import type {
  Call,
  CallRequest,
  Page,
  Read,
  Stream,
  StreamRequest,
} from '../../connectors/contract.ts';
import { Rows } from '../../connectors/lists.ts';
import { readOne } from '../../connectors/read-rows.ts';
import { id } from '../../connectors/wire-fields.ts';
import { earlier, type Instant } from '../../platform/time.ts';
import type { SourceShipment } from '../contract.ts';
import type { PaquetexpressCredentials } from './credentials.ts';
import { posted } from './session.ts';
import { type Envelope, envelopeOf, ListPage, readShipment, Tracked, ZONE } from './wire.ts';

type PaquetexpressCall = Call<PaquetexpressCredentials>;

/** The first day of the first import, by the specification. */
const FIRST_DAY = '2026-01-01';
/** Not documented, so the credentials may set another path. */
const LIST_PATH = '/ptxws/rest/api/v1/guia/consulta';
export const TRACK_PATH = '/RadRestFul/api/rad/v1/infotrack';
const HISTORY_PATH = '/ptxws/rest/api/v3/guia/historico';
const OPEN_AT_ONCE = 25;
/** Placeholder of the session in paths, so that no logged path holds a session. */
export const SESSION_PLACEHOLDER = 'session';

/**
 * First the parcels documented in the window, then, one by one, stored ones that may have moved.
 */
interface Position {
  readonly step: 'listed' | 'open';
  readonly page: number;
  readonly after: string | null;
}

const START: Position = { step: 'listed', page: 1, after: null };

/** The documented parcels and their progress. Webhooks bring most events sooner. */
export const shipments: Stream<SourceShipment, PaquetexpressCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 24 * 60 },

  page(call, request) {
    const position: Position = request.position === null ? START : JSON.parse(request.position);
    return position.step === 'listed'
      ? listed(call, request, position)
      : stillOpen(call, request, position);
  },

  async one(call, tracking) {
    return apart(tracking, () => track(call, tracking));
  },
};

/** Reads a page of the listing. */
export function readListPage({ data }: Envelope, page: number) {
  const { pages, rows } = ListPage.parse(data);
  return { rows, isLast: rows.length === 0 || page >= (pages ?? page) };
}

export function listPath({ list_path }: PaquetexpressCredentials): string {
  return list_path ?? LIST_PATH;
}

/** The carrier's days are Mexico City's. */
export function dayOf(instant: Instant): string {
  return instant.toZonedDateTimeISO(ZONE).toPlainDate().toString();
}

/** A row without a new state costs no call; for the others the whole history is read. */
async function listed(
  call: PaquetexpressCall,
  { window, states }: StreamRequest,
  { page }: Position,
): Promise<Page<SourceShipment>> {
  const days = { dateFrom: window.from ? dayOf(window.from) : FIRST_DAY, dateTo: dayOf(window.to) };
  const request = posted(listPath(call.credentials), { ...days, page });
  const answer = await call.request({ ...request, reads: true });
  const { fetchedAt } = answer;
  const { rows, isLast } = readListPage(envelopeOf(answer), page);
  const known = await states(rows.flatMap((row) => trackingOf(row) ?? []));
  const news = rows.filter((row) => {
    const state = known.get(trackingOf(row) ?? '');
    const reported = listedState(row);
    return state === undefined || (reported !== null && reported !== state);
  });
  const next: Position = isLast ? { ...START, step: 'open' } : { ...START, page: page + 1 };
  // A first import has just read all that is open.
  const isOver = isLast && window.from === null;
  const reads = news.map((row) => apart(trackingOf(row), () => withHistory(call, row, fetchedAt)));
  return {
    items: (await Promise.all(reads)).flat(),
    next: isOver ? null : JSON.stringify(next),
  };
}

async function withHistory(
  call: PaquetexpressCall,
  row: unknown,
  fetchedAt: Instant,
): Promise<Read<SourceShipment>> {
  const tracking = trackingOf(row);
  const history = tracking === null ? null : await historyOf(call, tracking);
  return readOne(
    row,
    (one) => readShipment(one, { fetchedAt, history: history?.events ?? null }),
    trackingOf,
  );
}

async function stillOpen(
  call: PaquetexpressCall,
  request: StreamRequest,
  { after }: Position,
): Promise<Page<SourceShipment>> {
  const ids = await request.nonFinalIds(after, OPEN_AT_ONCE);
  const found = await Promise.all(
    ids.map((tracking) => apart(tracking, () => track(call, tracking))),
  );
  const last = ids.at(-1);
  const isOver = last === undefined || ids.length < OPEN_AT_ONCE;
  return {
    items: found.flat(),
    next: isOver ? null : JSON.stringify({ step: 'open', page: 1, after: last } satisfies Position),
  };
}

/** A parcel's document with its history. @returns null when the carrier does not know it */
async function track(
  call: PaquetexpressCall,
  tracking: string,
): Promise<Read<SourceShipment> | null> {
  const [document, history] = await Promise.all([
    askAbout(call, posted(TRACK_PATH, solicitude(tracking, '0'))),
    historyOf(call, tracking),
  ]);
  if (!document.success) return null;
  const { retornoSolicitud } = Tracked.parse(document.data);
  const fetchedAt = earlier(document.fetchedAt, history.fetchedAt);
  return readOne(
    retornoSolicitud,
    (row) => readShipment(row, { fetchedAt, history: history.events ?? [] }),
    trackingOf,
  );
}

/** Of a parcel without one, as before its first event, `events` is null. */
async function historyOf(call: PaquetexpressCall, tracking: string) {
  const path = `${HISTORY_PATH}/${encodeURIComponent(tracking)}/${SESSION_PLACEHOLDER}`;
  const { success, data, fetchedAt } = await askAbout(call, { method: 'GET', path });
  return { events: success ? Rows.parse(data ?? []) : null, fetchedAt };
}

/**
 * The request to infotrack about a parcel.
 * @param labels `0` none, `1` with ZPL, …: the carrier's own figures
 */
export function solicitude(tracking: string, labels: string): unknown {
  return {
    solicitudEnvio: {
      rastreo: tracking,
      datosAdicionales: { datoAdicional: [{ claveDataAd: 'getZPL', valorDataAd: labels }] },
    },
  };
}

/** The refusal of an unknown parcel is returned as an answer. */
async function askAbout(
  call: PaquetexpressCall,
  request: CallRequest,
): Promise<Envelope & { readonly fetchedAt: Instant }> {
  const answer = await call.request({ ...request, reads: true, mayBeRefused: true });
  return { ...envelopeOf(answer), fetchedAt: answer.fetchedAt };
}

function trackingOf(row: unknown): string | null {
  const found = z.object({ rastreo: id }).safeParse(row);
  return found.success ? found.data.rastreo : null;
}

/** The state in a row of the listing; null = none, so that the row brings no news. */
function listedState(row: unknown): string | null {
  const found = z.object({ evento: z.object({ eventoId: id }) }).safeParse(row);
  return found.success ? found.data.evento.eventoId.trim() : null;
}
