import { earlier, type Instant } from '../../platform/time.ts';
import type { Call, Pass, SourceSettlement, Stream } from '../contract.ts';
import { readEach } from '../kit.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import { advance, type ReportPosition, reportOver } from './reports.ts';
import { isPayout, toPayout } from './wire-money.ts';

/** The longest report that can be ordered. */
const MOST = { hours: 60 * 24 };
/** And the shortest. */
const LEAST = { hours: 25 };

/** What went to the seller's bank, out of the same reports as the balance. */
export const settlements: Stream<SourceSettlement, MercadoLibreCredentials> = {
  every: { minutes: 720 },
  overlap: { minutes: 3 * 24 * 60 },
  history: { days: 90 },

  async page(call, pass) {
    const report: ReportPosition =
      pass.position === null ? reportFrom(call, pass, startOf(pass)) : JSON.parse(pass.position);
    const step = await advance(call, report);
    if (!step.isReady) return { items: [], next: JSON.stringify(step.position), pause: true };
    const items = readEach(step.rows.filter(isPayout), toPayout);
    const end = Temporal.Instant.from(report.to);
    // What is left is shorter than any report: the next pass reads it.
    const isEnd = Temporal.Instant.compare(end.add(LEAST), pass.window.to) > 0;
    return { items, next: isEnd ? null : JSON.stringify(reportFrom(call, pass, end)) };
  },
};

function startOf({ window }: Pass): Instant {
  return earlier(window.from ?? window.to, window.to.subtract(LEAST));
}

function reportFrom(call: Call<MercadoLibreCredentials>, { window }: Pass, from: Instant): ReportPosition {
  return reportOver(call, from, earlier(window.to, from.add(MOST)));
}
