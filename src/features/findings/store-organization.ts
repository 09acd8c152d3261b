import { FEE_KINDS, type Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { listed } from '../../platform/db/listed.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import { IS_REPLACED } from '../cfdi/index.ts';

/** The fees of a marketplace on a day, in pesos; positive. */
export interface DayOfFees {
  /** `2026-10-31` */
  readonly day: string;
  readonly marketplace: Marketplace;
  readonly fees: Decimal;
}

/** What one issuer invoiced in a month, less its credit notes, in pesos. */
export interface MonthOfInvoices {
  readonly month: string;
  readonly issuer_rfc: string;
  readonly total: Decimal;
}

const FEES_BY_DAY = statement<DayOfFees>(
  'findings.fees-by-day',
  `select to_char(at at time zone $3::text, 'YYYY-MM-DD') as day, marketplace, -sum(amount) as fees
     from movements
    where organization_id = $1 and at >= $2::timestamptz and currency = 'MXN'
      and kind in (${listed(FEE_KINDS)})
    group by 1, 2 having sum(amount) <> 0`,
);
/**
 * Of issuers that gave a certificate of a platform, or whose document a marketplace gave.
 */
const INVOICED_BY_MONTH = statement<MonthOfInvoices>(
  'findings.invoiced-by-month',
  `select to_char(c.issued_at at time zone $3::text, 'YYYY-MM') as month, c.issuer_rfc,
      sum(case c.type when 'egreso' then -c.total else c.total end) as total
     from cfdis c
    where c.organization_id = $1 and c.kind = 'cfdi' and c.issued_at >= $2::timestamptz
      and c.direction = 'received' and c.type in ('ingreso', 'egreso') and c.status <> 'cancelado'
      and c.currency = 'MXN' and not ${IS_REPLACED('c')}
      and (c.issuer_rfc = any($4::text[]) or c.issuer_rfc in (select other.issuer_rfc from cfdis other
        where other.organization_id = $1 and other.direction = 'received' and other.source <> 'upload'))
    group by 1, 2`,
);
const SELLING = statement<{ month: string; marketplace: Marketplace }>(
  'findings.selling-by-month',
  `select month, marketplace from unnest($2::text[]) as month cross join unnest($3::text[]) as marketplace
    where exists (select from orders o
       where o.organization_id = $1 and o.marketplace = marketplace.marketplace
         and o.newest_first <= -(extract(epoch from (month || '-01')::timestamp at time zone $4::text) * 1000)::bigint
         and o.newest_first > -(extract(epoch from ((month || '-01')::timestamp + interval '1 month')
           at time zone $4::text) * 1000)::bigint)`,
);

export function feesByDay(scope: ReadScope, from: Instant, timezone: string): Promise<DayOfFees[]> {
  return scope.prepared(FEES_BY_DAY, [formatMicros(from), timezone]);
}

export function invoicedByMonth(
  scope: ReadScope,
  from: Instant,
  timezone: string,
  issuers: readonly string[],
): Promise<MonthOfInvoices[]> {
  return scope.prepared(INVOICED_BY_MONTH, [formatMicros(from), timezone, issuers]);
}

/** Which of these marketplaces have orders of which of these months. */
export function sellingByMonth(
  scope: ReadScope,
  months: readonly string[],
  marketplaces: readonly Marketplace[],
  timezone: string,
): Promise<{ month: string; marketplace: Marketplace }[]> {
  return scope.prepared(SELLING, [months, marketplaces, timezone]);
}
