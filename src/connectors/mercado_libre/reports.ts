import type { Instant } from '../../platform/time.ts';
import { parseOrNull } from '../answer-document.ts';
import type { Call } from '../contract.ts';
import { readTable, type TableRow } from '../table.ts';
import { id as anId } from '../wire-fields.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import { isOutdated, REPORT_CONFIG, ReportList } from './wire-money.ts';

type MercadoLibreCall = Call<MercadoLibreCredentials>;

export const REPORTS = '/v1/account/release_report';
/** Mercado Pago's own host and pace. */
export const PAYMENTS = { host: 'payments', rate: 'payments' } as const;
/** The shortest report that can be ordered. */
export const LEAST = { hours: 25 };
/** Reports take minutes; one that is not ready after so long never will be. */
const PATIENCE = { hours: 24 };
/** A report is in the list from its order on; one that is not there so long after it was lost. */
const UNLISTED_PATIENCE = { minutes: 15 };
/** Their clock may be behind ours, and no report may end in the future. */
const BEFORE_NOW = { minutes: 1 };
/** Between two looks, in seconds. */
const PAUSE = { least: 6, most: 60 };
const ACCEPTED = 202;

/** The state of a report, which is ordered first and ready later. Times are ISO texts. */
export interface ReportPosition {
  readonly from: string;
  readonly to: string;
  /** Null = not ordered yet. */
  readonly orderedAt: string | null;
  /** The id in the answer to the order, where it has one. */
  readonly id: string | null;
}

type ReportStep =
  | {
      readonly isReady: false;
      readonly position: ReportPosition;
      readonly pauseSeconds: number;
    }
  | { readonly isReady: true; readonly rows: readonly TableRow[] };

/** A report over a span, which ends at least a little before now. */
export function reportOver(call: MercadoLibreCall, from: Instant, to: Instant): ReportPosition {
  const last = call.now().subtract(BEFORE_NOW);
  const end = Temporal.Instant.compare(to, last) > 0 ? last : to;
  return { from: wholeSecond(from), to: wholeSecond(end), orderedAt: null, id: null };
}

/**
 * Half as long, with the same beginning or the same end, and not ordered yet; null = it cannot be
 * shorter.
 */
export function shorterReport(report: ReportPosition, kept: 'from' | 'to'): ReportPosition | null {
  const [from, to] = [Temporal.Instant.from(report.from), Temporal.Instant.from(report.to)];
  const length = from.until(to, { largestUnit: 'seconds' }).total('seconds');
  const seconds = Math.max(LEAST.hours * 3_600, Math.floor(length / 2));
  if (seconds >= length) return null;
  const span =
    kept === 'from'
      ? { from: report.from, to: from.add({ seconds }).toString() }
      : { from: to.subtract({ seconds }).toString(), to: report.to };
  return { ...span, orderedAt: null, id: null };
}

/** Orders the report, or checks whether it is ready. */
export async function advance(
  call: MercadoLibreCall,
  position: ReportPosition,
): Promise<ReportStep> {
  const { orderedAt } = position;
  if (orderedAt === null) return lookLater(call, await order(call, position));
  // Too late, unreadable or lost: a new report is ordered, so that none is awaited for ever.
  const again = lookLater(call, { ...position, orderedAt: null, id: null });
  const isOlderThan = (patience: { readonly hours: number } | { readonly minutes: number }) =>
    Temporal.Instant.compare(call.now(), Temporal.Instant.from(orderedAt).add(patience)) > 0;
  if (isOlderThan(PATIENCE)) return again;
  const reports = await listedReports(call, position);
  if (reports.length === 0 && isOlderThan(UNLISTED_PATIENCE)) return again;
  const fileName = reports.find(({ file_name }) => file_name !== null)?.file_name;
  if (!fileName) return lookLater(call, position);
  const path = `${REPORTS}/${encodeURIComponent(fileName)}`;
  const { body } = await call.request({
    method: 'GET',
    path,
    headers: { accept: 'text/csv' },
    ...PAYMENTS,
  });
  return { isReady: true, rows: readTable(body) };
}

/** After as long as it was awaited already: that of a small account takes seconds. */
function lookLater(call: MercadoLibreCall, position: ReportPosition): ReportStep {
  const { orderedAt } = position;
  const waited = orderedAt === null ? PAUSE.most : secondsSince(call, orderedAt);
  const pauseSeconds = Math.min(Math.max(waited, PAUSE.least), PAUSE.most);
  return { isReady: false, position, pauseSeconds };
}

function secondsSince(call: MercadoLibreCall, time: string): number {
  return Math.floor(call.now().since(Temporal.Instant.from(time)).total('seconds'));
}

async function order(call: MercadoLibreCall, position: ReportPosition): Promise<ReportPosition> {
  await ensureConfig(call);
  const { status, body } = await call.request({
    method: 'POST',
    path: REPORTS,
    body: { json: { begin_date: position.from, end_date: position.to } },
    ...PAYMENTS,
  });
  // 203: not available now.
  if (status !== ACCEPTED) return position;
  const answered = parseOrNull(body) as { id?: unknown } | null;
  const id = anId.safeParse(answered?.id).data ?? null;
  return { ...position, orderedAt: call.now().toString(), id };
}

/**
 * A seller's own configuration stays unchanged; without any, no report can be ordered. One that we
 * made gets the columns that it lacks.
 */
async function ensureConfig(call: MercadoLibreCall): Promise<void> {
  const path = `${REPORTS}/config`;
  const body = { json: REPORT_CONFIG };
  const known = await call.request({ method: 'GET', path, expect: [404], ...PAYMENTS });
  if (known.status === 404) await call.request({ method: 'POST', path, body, ...PAYMENTS });
  else if (isOutdated(parseOrNull(known.body)))
    await call.request({ method: 'PUT', path, body, ...PAYMENTS });
}

/** Those over the same span count, too: one may have been ordered before and come late. */
async function listedReports(call: MercadoLibreCall, { id, from, to }: ReportPosition) {
  const listed = await call.get(`${REPORTS}/list`, ReportList, PAYMENTS);
  return listed.filter(
    (report) =>
      (id !== null && report.id === id) ||
      (report.begin_date?.toString() === from && report.end_date?.toString() === to),
  );
}

function wholeSecond(instant: Instant): string {
  return instant.round({ smallestUnit: 'second', roundingMode: 'floor' }).toString();
}
