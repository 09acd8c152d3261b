import { type Marketplace, TAX_KINDS } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { listed } from '../../platform/db/listed.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

/** Taxes withheld of one order of an account, or of movements without an order of one name. */
export interface WithheldLine {
  readonly account_id: string;
  /** Empty = no order. */
  readonly order_id: string;
  /** Of movements without an order. */
  readonly native_type: string;
  /** Positive, as in the sums of the month. */
  readonly isr: Decimal;
  readonly iva: Decimal;
  /** The marketplace does not say which tax it is. */
  readonly unnamed: Decimal;
  readonly total: Decimal;
  /** Of the last movement that was not taken back. */
  readonly last_at: Instant;
}

/** Days of a time zone; null = without that end. */
export interface WithheldDays {
  readonly from: string | null;
  /** The first day that is left out. */
  readonly end: string | null;
  readonly timezone: string;
}

export type LinePosition = readonly [account: string, order: string, type: string];

const OF = (kind: string) => `-coalesce(sum(amount) filter (where kind = '${kind}'), 0)`;
/**
 * The accounts are found one by one in the primary key, so that each account's days are a part of
 * the index by time. A row that was taken back counts with what took it back, at the same time.
 */
const LINES = statement<WithheldLine>(
  'movements.withheld-lines',
  `with recursive account (id) as (
     (select account_id from movements
       where organization_id = $1 and marketplace = $2 and account_id >= $6::text
       order by account_id limit 1)
     union all
     select (select account_id from movements
              where organization_id = $1 and marketplace = $2 and account_id > account.id
              order by account_id limit 1)
       from account where account.id is not null)
   select account.id as account_id, line.*, isr + iva + unnamed as total
     from account cross join lateral (
       select order_id, native_type, sum(isr) as isr, sum(iva) as iva, sum(unnamed) as unnamed,
           max(at) filter (where live > 0) as last_at
         from (
           select coalesce(order_id, '') as order_id,
               case when order_id is null then native_type else '' end as native_type, at,
               sum(case when is_correction then -1 else 1 end) as live,
               ${OF('isr')} as isr, ${OF('iva')} as iva, ${OF('withheld')} as unnamed
             from movements
            where organization_id = $1 and marketplace = $2 and account_id = account.id
              and at >= coalesce($3::timestamp at time zone $5::text, '-infinity')
              and at < coalesce($4::timestamp at time zone $5::text, 'infinity')
              and currency = 'MXN' and kind in (${listed(TAX_KINDS)}) and amount <> 0
            group by 1, 2, 3) moved
        group by order_id, native_type having sum(live) > 0) line
    where account.id is not null
      and (account.id, order_id, native_type) > ($6::text, $7::text, $8::text)
    order by account.id, order_id, native_type limit $9`,
);

/** By account and order, in each account after the movements that name no order. */
export function withheldLines(
  scope: ReadScope,
  marketplace: Marketplace,
  { from, end, timezone }: WithheldDays,
  after: LinePosition | null,
  limit: number,
): Promise<WithheldLine[]> {
  return scope.prepared(LINES, [
    marketplace,
    from,
    end,
    timezone,
    ...(after ?? ['', '', '']),
    limit,
  ]);
}
