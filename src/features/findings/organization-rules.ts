import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { type Decimal, ZERO } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { Certificate } from '../cfdi/index.ts';
import { BOOKS_TIMEZONE } from '../sales/index.ts';
import { isNear, unexplainedOf } from './fee-invoices.ts';
import { chargingIn, feesOf } from './fees-by-day.ts';
import type { FindingKind } from './kinds.ts';
import * as store from './store-organization.ts';
import type { FoundRow } from './store-rule.ts';
import { periodsOf, platformCertificates } from './withheld-periods.ts';

/** Codes of a certificate are kept as they are, also those that are no months. */
const MONTHS = /^\d{4}-(0[1-9]|1[0-2])(\/\d{4}-(0[1-9]|1[0-2]))?$/;

interface Times {
  /** Nothing older is read. */
  readonly from: Instant;
  readonly now: Instant;
  readonly timezone: string;
}

/**
 * What concerns no single account, since tax documents do not name one: certificates and invoices of
 * the marketplaces, beside the whole ledger of their months.
 */
export async function foundOfOrganization(
  scope: ReadScope,
  times: Times,
): Promise<ReadonlyMap<FindingKind, readonly FoundRow[]>> {
  const certificates = await platformCertificates(scope);
  const issuers = new Set(certificates.map(({ issuer_rfc }) => issuer_rfc));
  return new Map([
    [
      'certificate_differs' as const,
      await byBothClocks(times, (clock) => certificatesThatDiffer(scope, certificates, clock)),
    ],
    [
      'fee_invoices_differ' as const,
      await byBothClocks(times, (clock) => feesThatDiffer(scope, [...issuers], clock)),
    ],
  ]);
}

/** A marketplace's month may be that of Mexico City, where the organisation has another clock. */
async function byBothClocks(
  times: Times,
  find: (times: Times) => Promise<FoundRow[]>,
): Promise<FoundRow[]> {
  const found = await find(times);
  if (found.length === 0 || times.timezone === BOOKS_TIMEZONE) return found;
  const inBooks = await find({ ...times, timezone: BOOKS_TIMEZONE });
  return found.filter((one) => inBooks.some(({ subject }) => subject === one.subject));
}

/** Only where each marketplace that withholds has its taxes in the ledger, and a certificate. */
async function certificatesThatDiffer(
  scope: ReadScope,
  given: readonly Certificate[],
  times: Times,
): Promise<FoundRow[]> {
  const certified = (await periodsOf(scope, given, times.timezone)).filter(
    ({ period, difference }) =>
      MONTHS.test(period) && difference !== null && !isNear(difference, ZERO),
  );
  const selling = await sellersOf(
    scope,
    certified.flatMap(({ period }) => monthsOf(period)),
    times,
  );
  return certified.flatMap(({ period, ledger, certificates, ledgerTotal, difference }) => {
    const known = new Set(ledger.map(({ marketplace }) => marketplace));
    const issuers = new Set(certificates.map(({ issuer_rfc }) => issuer_rfc));
    const sellers = monthsOf(period).flatMap((month) => [...(selling.get(month) ?? [])]);
    const isComparable = issuers.size === known.size && sellers.every((one) => known.has(one));
    if (!isComparable || difference === null) return [];
    return [rowOf(period, difference, ledgerTotal, times)];
  });
}

/** Of months that ended, and only where each marketplace with fees sent an invoice. */
async function feesThatDiffer(
  scope: ReadScope,
  issuers: readonly string[],
  times: Times,
): Promise<FoundRow[]> {
  const { from, now, timezone } = times;
  const [beginning, current] = [monthAt(from, timezone), monthAt(now, timezone)];
  const fees = feesOf(await store.feesByDay(scope, from, timezone));
  const invoices = Map.groupBy(
    await store.invoicedByMonth(scope, from, timezone, issuers),
    ({ month }) => month,
  );
  const months = [...invoices.keys()].filter((month) => month > beginning && month < current);
  const selling = await sellersOf(scope, months, times);
  return months.flatMap((month) => {
    const charging = chargingIn(fees, month);
    const issued = invoices.get(month) ?? [];
    const sellers = [...(selling.get(month) ?? [])];
    const isComparable =
      issued.length === charging.length && sellers.every((one) => charging.includes(one));
    const differing = isComparable ? unexplainedOf(month, issued, charging, fees) : null;
    return differing ? [rowOf(month, differing.amount, differing.expected, times)] : [];
  });
}

/** By month, the marketplaces that withhold taxes and have orders of it. */
async function sellersOf(
  scope: ReadScope,
  months: readonly string[],
  { timezone }: Times,
): Promise<ReadonlyMap<string, ReadonlySet<Marketplace>>> {
  if (months.length === 0) return new Map();
  const withholding = MARKETPLACES.filter((slug) => !findConnector(slug)?.facts.isOwnShop);
  const rows = await store.sellingByMonth(scope, [...new Set(months)], withholding, timezone);
  const byMonth = Map.groupBy(rows, ({ month }) => month);
  return new Map(
    [...byMonth].map(([month, of]) => [month, new Set(of.map(({ marketplace }) => marketplace))]),
  );
}

function rowOf(
  period: string,
  amount: Decimal,
  expected: Decimal,
  { timezone }: Pick<Times, 'timezone'>,
): FoundRow {
  const last = monthsOf(period).at(-1) ?? period;
  const end = Temporal.PlainDate.from(`${last}-01`).add({ months: 1 });
  const since = end.toZonedDateTime(timezone).toInstant();
  return { subject: period, currency: 'MXN', amount, expected, since };
}

/** `2026-10/2026-12` is three months. */
function monthsOf(period: string): string[] {
  const [first = period, last = first] = period.split('/');
  const months = [first];
  for (let month = Temporal.PlainYearMonth.from(first); ; ) {
    month = month.add({ months: 1 });
    if (month.toString() > last) return months;
    months.push(month.toString());
  }
}

function monthAt(at: Instant, timezone: string): string {
  return at.toZonedDateTimeISO(timezone).toPlainDate().toPlainYearMonth().toString();
}
