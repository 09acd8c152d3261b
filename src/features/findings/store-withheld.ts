import type { Marketplace } from '../../connectors/contract.ts';
import { TAX_KINDS } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { listed } from '../../platform/db/listed.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';

/** Taxes that a marketplace withheld in a month, positive. */
export interface MonthSum {
  /** `2026-10` */
  readonly month: string;
  readonly marketplace: Marketplace;
  readonly isr: Decimal;
  readonly iva: Decimal;
  readonly unnamed: Decimal;
}

const OF = (kind: string) => `-coalesce(sum(amount) filter (where kind = '${kind}'), 0)`;
const BY_MONTH = statement<MonthSum>(
  'movements.withheld-by-month',
  `select to_char(at at time zone $3::text, 'YYYY-MM') as month, marketplace,
      ${OF('isr')} as isr, ${OF('iva')} as iva, ${OF('withheld')} as unnamed
     from movements
    where organization_id = $1 and at >= $2::timestamptz and currency = 'MXN'
      and kind in (${listed(TAX_KINDS)})
    group by 1, 2 having (${OF('isr')}, ${OF('iva')}, ${OF('withheld')}) <> (0, 0, 0)
    order by 1 desc, 2`,
);

export function sumsByMonth(
  scope: ReadScope,
  from: Instant,
  timezone: string,
): Promise<MonthSum[]> {
  return scope.prepared(BY_MONTH, [formatMicros(from), timezone]);
}
