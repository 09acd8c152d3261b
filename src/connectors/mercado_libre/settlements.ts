import { earlier, type Instant } from '../../platform/time.ts';
import type { Call, SourceMoney, Stream, StreamRequest } from '../contract.ts';
import { tooLargeIn } from '../too-large.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import {
  advance,
  LEAST,
  REPORTS,
  type ReportPosition,
  reportOver,
  shorterReport,
} from './reports.ts';
import { readReport } from './wire-movements.ts';

/** The longest report that can be ordered. */
const MOST = { hours: 60 * 24 };

/** A report may be corrected for so long; its payouts and movements are read again. */
const CORRECTED_WITHIN_DAYS = 10;

/** All movements of the account, and of them the transfers to the seller's bank. */
export const settlements: Stream<SourceMoney, MercadoLibreCredentials> = {
  every: { minutes: 720 },
  overlap: { minutes: CORRECTED_WITHIN_DAYS * 24 * 60 },
  history: { days: 90 },

  async page(call, request) {
    const report = positionOf(call, request);
    const step = await advance(call, report);
    if (!step.isReady) {
      const { position, pauseSeconds } = step;
      return { items: [], next: JSON.stringify(position), pauseSeconds };
    }
    const items = readReport(step.rows, {
      from: Temporal.Instant.from(report.from),
      to: Temporal.Instant.from(report.to),
    });
    return { items, next: following(call, request, report) };
  },

  /** For a seller with very many movements a shorter report is ordered, or none. */
  async tooLarge(call, request) {
    const report = positionOf(call, request);
    const shorter = shorterReport(report, 'from');
    return shorter
      ? { items: [], next: JSON.stringify(shorter) }
      : { items: [tooLargeIn(REPORTS)], next: following(call, request, report) };
  },
};

function positionOf(call: Call<MercadoLibreCredentials>, request: StreamRequest): ReportPosition {
  return request.position === null
    ? reportFrom(call, request, startOf(request))
    : JSON.parse(request.position);
}

/** The next report, up to twice as long. */
function following(
  call: Call<MercadoLibreCredentials>,
  request: StreamRequest,
  report: ReportPosition,
): string | null {
  const [from, to] = [Temporal.Instant.from(report.from), Temporal.Instant.from(report.to)];
  // The rest is shorter than any report: the next sync run reads it.
  if (Temporal.Instant.compare(to.add(LEAST), request.window.to) > 0) return null;
  const twice = to.add(from.until(to)).add(from.until(to));
  return JSON.stringify(reportFrom(call, request, to, twice));
}

function startOf({ window }: StreamRequest): Instant {
  return earlier(window.from ?? window.to, window.to.subtract(LEAST));
}

function reportFrom(
  call: Call<MercadoLibreCredentials>,
  { window }: StreamRequest,
  from: Instant,
  until = from.add(MOST),
): ReportPosition {
  return reportOver(call, from, earlier(window.to, earlier(until, from.add(MOST))));
}
