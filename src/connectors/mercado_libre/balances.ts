import { add, type Decimal, ZERO } from '../../platform/money.ts';
import { formatMillis, type Instant } from '../../platform/time.ts';
import type { Call, Page, SourceBalance, Stream, StreamRequest } from '../contract.ts';
import { readEach } from '../read-rows.ts';
import { tooLargeIn } from '../too-large.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import {
  advance,
  PAYMENTS,
  REPORTS,
  type ReportPosition,
  reportOver,
  shorterReport,
} from './reports.ts';
import {
  type Coming,
  closingBalanceOf,
  PaymentPage,
  REPORT_CURRENCY,
  toComing,
} from './wire-money.ts';

type MercadoLibreCall = Call<MercadoLibreCredentials>;

/** The shortest report is one day; its opening balance includes everything before. */
const REPORT_HOURS = 48;
const PAGE_SIZE = 100;
/** Deep offsets fail; a span with more payments is halved before. */
const MOST_IN_SPAN = 9_000;
/** Money is held for weeks; instalments for longer. */
const HORIZON_DAYS = 365;
const DAY = 86_400_000;

/** First the report with the available money, then the payments whose money is still held. */
type Position =
  | { readonly phase: 'report'; readonly report: ReportPosition }
  | {
      readonly phase: 'payments';
      readonly asOf: string;
      readonly available: Decimal | null;
      /** The span of release dates under way, in epoch milliseconds. */
      readonly from: number;
      readonly to: number;
      readonly offset: number;
      readonly releases: readonly Release[];
    };

/** The amount that becomes available on one day. */
interface Release extends Omit<Coming, 'at'> {
  readonly day: string;
  /** The last time of the day's releases. */
  readonly at: string;
}

/** Mercado Pago has no call for a balance: it is the end of a report that must be ordered. */
export const balances: Stream<SourceBalance, MercadoLibreCredentials> = {
  every: { minutes: 240 },
  overlap: { minutes: 0 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const position = positionOf(call, request);
    return position.phase === 'report'
      ? readReport(call, position.report)
      : readPayments(call, position, request.limit);
  },

  /**
   * A payment that cannot be read is left out of the releases. Of the report only the end matters;
   * where that cannot be read either, the available amount is unknown.
   */
  async tooLarge(call, request) {
    const position = positionOf(call, request);
    if (position.phase === 'payments')
      return {
        items: [tooLargeIn('/v1/payments/search')],
        next: pack({ ...position, offset: position.offset + 1 }),
      };
    const report = shorterReport(position.report, 'to');
    return report
      ? { items: [], next: pack({ phase: 'report', report }) }
      : { items: [tooLargeIn(REPORTS)], next: paymentsAfter(position.report, null) };
  },
};

function positionOf(call: MercadoLibreCall, { position }: StreamRequest): Position {
  return position === null ? { phase: 'report', report: reportUpTo(call) } : JSON.parse(position);
}

function reportUpTo(call: MercadoLibreCall): ReportPosition {
  return reportOver(call, call.now().subtract({ hours: REPORT_HOURS }), call.now());
}

async function readReport(
  call: MercadoLibreCall,
  report: ReportPosition,
): Promise<Page<SourceBalance>> {
  const step = await advance(call, report);
  if (!step.isReady) {
    const { position, pauseSeconds } = step;
    return { items: [], next: pack({ phase: 'report', report: position }), pauseSeconds };
  }
  return { items: [], next: paymentsAfter(report, closingBalanceOf(step.rows)) };
}

function paymentsAfter(report: ReportPosition, available: Decimal | null): string {
  const { epochMilliseconds: from } = Temporal.Instant.from(report.to);
  const span = { from, to: from + HORIZON_DAYS * DAY, offset: 0 };
  return pack({ phase: 'payments', asOf: report.to, available, ...span, releases: [] });
}

async function readPayments(
  call: MercadoLibreCall,
  position: Position & { phase: 'payments' },
  limit: number,
): Promise<Page<SourceBalance>> {
  const { from, to, offset } = position;
  const asOf = Temporal.Instant.from(position.asOf);
  const { results, paging } = await call.get('/v1/payments/search', PaymentPage, {
    query: {
      status: 'approved',
      range: 'money_release_date',
      begin_date: iso(from),
      end_date: iso(to),
      sort: 'money_release_date',
      criteria: 'asc',
      offset,
      limit,
    },
    ...PAYMENTS,
  });
  if (paging.total > MOST_IN_SPAN && offset === 0 && to - from > DAY)
    return { items: [], next: pack({ ...position, to: from + Math.floor((to - from) / 2) }) };

  const reads = readEach(results, (row) => toComing(row, call.credentials.user_id, asOf));
  const unreadable = reads.filter((read) => !read.ok);
  const coming = reads.filter((read) => read.ok).map(({ item }) => item);
  // Both ends of a span belong to it; its last instant is the next one's first.
  const isOwn = ({ at }: Coming) => at.epochMilliseconds >= from && at.epochMilliseconds < to;
  const own = coming.filter((one) => one !== null).filter(isOwn);
  const releases = addAll(position.releases, own);
  const seen = offset + results.length;
  if (results.length > 0 && seen < paging.total)
    return { items: unreadable, next: pack({ ...position, releases, offset: seen }) };
  const end = asOf.epochMilliseconds + HORIZON_DAYS * DAY;
  if (to < end)
    return {
      items: unreadable,
      next: pack({ ...position, releases, from: to, to: end, offset: 0 }),
    };
  const found = balancesOf(asOf, position.available, releases).map((item) => ({
    ok: true as const,
    item,
  }));
  return { items: [...unreadable, ...found], next: null };
}

function addAll(releases: readonly Release[], coming: readonly Coming[]): Release[] {
  const days = new Map(releases.map((release) => [`${release.currency} ${release.day}`, release]));
  for (const { currency, amount, at } of coming) {
    const time = formatMillis(at);
    const day = time.slice(0, 10);
    const known = days.get(`${currency} ${day}`) ?? { amount: ZERO, at: time };
    days.set(`${currency} ${day}`, {
      currency,
      day,
      amount: add(known.amount, amount),
      at: known.at > time ? known.at : time,
    });
  }
  return [...days.values()];
}

function balancesOf(
  asOf: Instant,
  available: Decimal | null,
  releases: readonly Release[],
): SourceBalance[] {
  const currencies = new Set([REPORT_CURRENCY, ...releases.map(({ currency }) => currency)]);
  return [...currencies].map((currency) => {
    const own = releases.filter((release) => release.currency === currency);
    return {
      purse: '',
      currency,
      available: currency === REPORT_CURRENCY ? available : null,
      pending: add(...own.map(({ amount }) => amount)),
      releases: own
        .toSorted((a, b) => (a.day < b.day ? -1 : 1))
        .map(({ amount, at }) => ({ amount, at: Temporal.Instant.from(at) })),
      asOf,
      isDerived: true,
    };
  });
}

function iso(epochMilliseconds: number): string {
  return formatMillis(Temporal.Instant.fromEpochMilliseconds(epochMilliseconds));
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
