import { BOOKS_TIMEZONE } from '../sales/index.ts';
import { LIVE, MOVED, of, rule, TAXES } from './store-rule.ts';

/** What rounding may add up to for each movement of an order. */
const ROUNDING = '0.02';
const TOLERANCE = `${ROUNDING} * taxed.rows`;

/** Orders with taxes of the ledger that are final; `$4` and `$5` are the times. */
const TAXED = `select m.order_id, min(m.currency) as currency, min(m.at) as since, sum(${LIVE}) as rows,
     sum(m.amount) filter (where m.kind in ('sale', 'shipping')) as sold,
     coalesce(sum(m.amount) filter (where m.kind = 'shipping'), 0) as shipping,
     -coalesce(sum(m.amount) filter (where m.kind in (${TAXES})), 0) as withheld,
     -coalesce(sum(m.amount) filter (where m.kind = 'iva'), 0) as iva,
     coalesce(sum(m.amount) filter (where m.kind = 'withheld'), 0) <> 0 as is_unnamed
    from movements m
   where ${MOVED} and m.at <= $5::timestamptz and m.order_id is not null
   group by m.order_id
  having coalesce(sum(m.amount) filter (where m.kind = 'refund'), 0) = 0
     and coalesce(sum(${LIVE}) filter (where m.is_open), 0) = 0 and count(distinct m.currency) = 1`;

/** A marketplace's day may be that of Mexico City, where the organisation has another one. */
const dayOf = (which: 'least' | 'greatest', at: string) =>
  `${which}((${at} at time zone $10)::date, (${at} at time zone '${BOOKS_TIMEZONE}')::date)`;

/** The rates of its day and of its money's, with what is due if all of it, or none, has IVA. */
const RATES = `select rate.isr, rate.iva,
     round(taxed.sold / (1 + $9::numeric) * (rate.isr + rate.iva), 2) as due,
     round(taxed.sold * rate.isr, 2) as untaxed
    from unnest($6::date[], $7::numeric[], $8::numeric[]) as rate(since, isr, iva)
   where rate.since <= ${dayOf('greatest', 'taxed.since')}
     and rate.since >= (select max(former.since) from unnest($6::date[]) as former(since)
       where former.since <= ${dayOf('least', 'least(o.date_created, taxed.since)')})`;

/**
 * Its IVA, where the marketplace tells it for what was sold; one beyond the whole rate has other taxes,
 * too. The document is read only where what was withheld is not explained without it.
 */
const OWN = `select case
       when (document.it ->> 'tax_total')::numeric > 0 and o.currency = taxed.currency
        and taxed.sold in (o.total, o.total + (document.it ->> 'shipping_total')::numeric)
        and (document.it ->> 'tax_total')::numeric <= taxed.sold * $9::numeric / (1 + $9::numeric) + 0.01
       then (document.it ->> 'tax_total')::numeric end as vat,
     coalesce(taxed.shipping > 0 or jsonb_array_length(document.it -> 'items') > 1, false) as may_be_mixed
    from (select case when plain.off > ${TOLERANCE} then o.detail_json::jsonb end as it offset 0) document`;

/**
 * How far what was withheld is from what is due. With lines, or shipping, at 16 % and at 0 % IVA that
 * follows from the IVA; where it is not known, the ISR must fit the IVA that was withheld, and where the
 * taxes are not named, they must be between those of all and of none.
 */
const OFF = `case
     when own.vat is not null or not own.may_be_mixed or rate.iva = 0 then abs(taxed.withheld - due.expected)
     when taxed.is_unnamed
       then greatest(least(rate.due, rate.untaxed) - taxed.withheld, taxed.withheld - greatest(rate.due, rate.untaxed), 0)
     when taxed.iva < 0 or taxed.iva > taxed.sold / (1 + $9::numeric) * rate.iva + ${TOLERANCE}
       then abs(taxed.withheld - due.expected)
     else abs(taxed.withheld - taxed.iva - rate.isr * (taxed.sold - taxed.iva * $9::numeric / rate.iva)) end`;

/**
 * Only orders without refunds, of accounts whose ledger has taxes of that month. Where the rate
 * changed between an order and its money, either one is right. Of goods at 0 % IVA only ISR is
 * withheld.
 */
export const WITHHELD_DIFFERS = rule(
  'withheld_differs',
  `select taxed.order_id as subject, taxed.currency, taxed.withheld - found.expected as amount, found.expected,
      taxed.since
     from (${TAXED}) taxed
     left join orders o on ${of('o')} and o.id = taxed.order_id
     cross join lateral (
       select least(min(abs(taxed.withheld - rate.due)), min(abs(taxed.withheld - rate.untaxed))) as off
         from (${RATES}) rate) plain
     cross join lateral (${OWN}) own
     cross join lateral (
       select (array_agg(due.expected order by abs(taxed.withheld - due.expected)))[1] as expected,
          min(${OFF}) as off
         from (${RATES}) rate cross join lateral (
           select coalesce(round((taxed.sold - own.vat) * rate.isr + own.vat * rate.iva / $9::numeric, 2),
             rate.due) as expected) due) found
    where taxed.sold > 0 and plain.off > ${TOLERANCE} and found.off > ${TOLERANCE}
      and exists (select from movements m where ${of('m')} and m.kind in (${TAXES})
        and m.at >= date_trunc('month', taxed.since, $10)
        and m.at < date_trunc('month', date_trunc('month', taxed.since, $10) + interval '32 days', $10))`,
);
