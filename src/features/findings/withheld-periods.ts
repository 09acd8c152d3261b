import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { add, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import { type Certificate, certificates, fiscalProfile } from '../cfdi/index.ts';
import * as store from './store-withheld.ts';

/** Taxes of one marketplace in a period, positive; `unnamed` where it does not say which tax. */
interface WithheldSum {
  readonly marketplace: Marketplace;
  readonly isr: Decimal;
  readonly iva: Decimal;
  readonly unnamed: Decimal;
}

/** A month, or the months of a certificate: `2026-10` or `2026-10/2026-12`. */
export interface WithheldPeriod {
  readonly period: string;
  readonly ledger: readonly WithheldSum[];
  readonly certificates: readonly Certificate[];
  readonly ledgerTotal: Decimal;
  /** Null = there is no certificate. */
  readonly certifiedTotal: Decimal | null;
  /** Certified less ledger; null = there is no certificate. */
  readonly difference: Decimal | null;
}

const MONTHS = 36;

/** Taxes withheld in pesos, by month of the organisation's time zone, beside the certificates. */
export async function withheldPeriods(
  scope: ReadScope,
  timezone: string,
): Promise<WithheldPeriod[]> {
  return periodsOf(scope, await platformCertificates(scope), timezone);
}

/** The newest first. */
export async function periodsOf(
  scope: ReadScope,
  certificates: readonly Certificate[],
  timezone: string,
): Promise<WithheldPeriod[]> {
  const now = scope.clock.now().toZonedDateTimeISO(timezone);
  const first = now.toPlainDate().with({ day: 1 }).subtract({ months: MONTHS });
  const from = first.toZonedDateTime(timezone).toInstant();
  const sums = await store.sumsByMonth(scope, from, timezone);
  const byPeriod = certificatesFrom(certificates, first.toString().slice(0, 7));
  const periods = new Set([...sums.map(({ month }) => month), ...byPeriod.keys()]);
  return [...periods]
    .sort()
    .reverse()
    .map((period) => periodOf(period, sums, byPeriod.get(period) ?? []));
}

/**
 * The certificates of platforms. One for another taxpayer than the organisation's own is left out,
 * where its RFCs are known; so is one that its issuer replaced by another, whatever that one is.
 */
export async function platformCertificates(scope: ReadScope): Promise<Certificate[]> {
  const { rfcs } = await fiscalProfile(scope);
  const all = await certificates(scope);
  const replaced = new Set(all.map(({ issuer_rfc, replaces }) => `${issuer_rfc} ${replaces}`));
  return all.filter(
    (one) =>
      one.is_of_platform && isOwn(rfcs, one) && !replaced.has(`${one.issuer_rfc} ${one.uuid}`),
  );
}

function isOwn(rfcs: readonly string[], { receiver_rfc }: Certificate): boolean {
  return rfcs.length === 0 || (receiver_rfc !== null && rfcs.includes(receiver_rfc));
}

function certificatesFrom(
  given: readonly Certificate[],
  from: string,
): ReadonlyMap<string, Certificate[]> {
  return Map.groupBy(
    given.filter(({ period }) => period >= from),
    ({ period }) => period,
  );
}

function periodOf(
  period: string,
  sums: readonly store.MonthSum[],
  certificates: readonly Certificate[],
): WithheldPeriod {
  const [first = period, last = first] = period.split('/');
  const within = sums.filter(({ month }) => month >= first && month <= last);
  const ledger = [...Map.groupBy(within, ({ marketplace }) => marketplace)].map(
    ([marketplace, months]) => ({
      marketplace,
      isr: add(ZERO, ...months.map(({ isr }) => isr)),
      iva: add(ZERO, ...months.map(({ iva }) => iva)),
      unnamed: add(ZERO, ...months.map(({ unnamed }) => unnamed)),
    }),
  );
  const ledgerTotal = add(ZERO, ...ledger.flatMap(({ isr, iva, unnamed }) => [isr, iva, unnamed]));
  const certifiedTotal =
    certificates.length > 0
      ? add(ZERO, ...certificates.flatMap(({ isr, iva }) => [isr, iva]))
      : null;
  return {
    period,
    ledger,
    certificates,
    ledgerTotal,
    certifiedTotal,
    difference: certifiedTotal && subtract(certifiedTotal, ledgerTotal),
  };
}
