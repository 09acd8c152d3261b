import type { ReadScope } from '../../platform/db/database.ts';
import { type Certificate, certificates, fiscalProfile } from '../cfdi/index.ts';
import * as store from './store-withheld.ts';
import { periodOf, type WithheldPeriod } from './withheld-period.ts';

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
