import type { Marketplace } from '../../connectors/contract.ts';
import { add, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import type { Certificate } from '../cfdi/index.ts';
import type * as store from './store-withheld.ts';

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

export function periodOf(
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
