import { add, type Decimal, ZERO } from '../../platform/money.ts';
import type { WithholdingRecord } from './xml/record.ts';

const ISR = '001';
const IVA = '002';

/** What a certificate proves. */
interface Withheld {
  /** A month, or the first and the last one: `2026-10` or `2026-10/2026-12`. */
  readonly period: string;
  readonly isr: Decimal;
  readonly iva: Decimal;
  /** The amount of the operations. */
  readonly base: Decimal;
}

export function withheldOf(record: WithholdingRecord): Withheld {
  const { year, first_month, last_month, withheld, operation_total: base } = record;
  const [first, last] = [first_month, last_month].map(
    (month) => `${year}-${month.padStart(2, '0')}`,
  );
  const sumOf = (tax: string) =>
    add(ZERO, ...withheld.filter((one) => one.tax === tax).map(({ amount }) => amount));
  return {
    period: first === last ? `${first}` : `${first}/${last}`,
    isr: sumOf(ISR),
    iva: sumOf(IVA),
    base,
  };
}
