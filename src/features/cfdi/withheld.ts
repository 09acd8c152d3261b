import { add, type Decimal, ZERO } from '../../platform/money.ts';
import type { WithholdingRecord } from './xml/record.ts';

/** Codes of 2.0 and of 1.0. */
const ISR = ['001', '01'];
const IVA = ['002', '02'];

/** What a certificate proves. */
export interface Withheld {
  /** A month, or the first and the last one: `2026-10` or `2026-10/2026-12`. */
  readonly period: string;
  readonly isr: Decimal;
  readonly iva: Decimal;
  /** The amount of the operations. */
  readonly base: Decimal;
}

/** «Servicios mediante plataformas tecnológicas» of the SAT's catalogue of withholdings. */
const OF_PLATFORMS = '26';

/** Whether a platform gave it for sales; others are of dividends, interest and the like. */
export function isOfPlatform({ withholding_code, platform }: WithholdingRecord): boolean {
  return withholding_code === OF_PLATFORMS || platform !== null;
}

/** Where no withheld amount names its tax, a platform's own totals count. */
export function withheldOf(record: WithholdingRecord): Withheld {
  const { year, first_month, last_month, withheld, platform, operation_total: base } = record;
  const [first, last] = [first_month, last_month].map(
    (month) => `${year}-${month.padStart(2, '0')}`,
  );
  const named = withheld.flatMap(({ tax, amount }) => (tax === null ? [] : [{ tax, amount }]));
  const sumOf = (codes: readonly string[]) =>
    add(ZERO, ...named.filter(({ tax }) => codes.includes(tax)).map(({ amount }) => amount));
  const isOfPlatform = named.length === 0 && platform !== null;
  return {
    period: first === last ? `${first}` : `${first}/${last}`,
    isr: isOfPlatform ? platform.isr_withheld : sumOf(ISR),
    iva: isOfPlatform ? platform.vat_withheld : sumOf(IVA),
    base,
  };
}
