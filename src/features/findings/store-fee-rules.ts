import { FEE_KINDS } from '../../connectors/contract.ts';
import { listed } from '../../platform/db/listed.ts';
import { LIVE, MOVED, of, rule } from './store-rule.ts';

/** Days in which a marketplace gives back the fee of a refund. */
const REFUND_DAYS = 7;
/** Days of orders whose commissions are looked at: their listings are read from their documents. */
export const FEE_DAYS = 90;
/** The usual commission of a listing is the median of so many orders of the `FEE_DAYS` before. */
const FEES_BEFORE = 20;
const FEES_TO_COMPARE = 5;
/** With some days in which the money of the first of them came. */
const FEE_DAYS_READ = 2 * FEE_DAYS + 20;

/** Of a fee `fee`: a movement `m` that gives one of its kind back. */
const GIVEN_BACK = `m.kind = fee.kind and m.currency = fee.currency
  and (m.amount > 0) <> m.is_correction`;

/** Two equal guides are two parcels, and other fees may be of units. */
const FEES_OF_A_SALE = listed(
  FEE_KINDS.filter((kind) => kind !== 'shipping_fee' && kind !== 'other_fee'),
);

/**
 * One finding an order: where its fees have several currencies, of the first. A fee that was given
 * back counts against it, unless a refund gave it back. A refund that was itself given back, such as
 * a chargeback that was won, is none.
 */
export const FEE_CHARGED_TWICE = rule(
  'fee_charged_twice',
  `select distinct on (fee.order_id) fee.order_id as subject, fee.currency,
      sum(fee.amount * (kept.times - kept.due)) as amount, sum(fee.amount * kept.due) as expected,
      min(fee.since) as since
     from (select m.order_id, m.currency, m.kind, m.native_type, abs(m.amount) as amount,
             sum(${LIVE}) as times, min(m.at) as since
            from movements m where ${MOVED} and m.order_id is not null and m.kind in (${FEES_OF_A_SALE})
             and (m.amount < 0) <> m.is_correction
           group by m.order_id, m.currency, m.kind, m.native_type, abs(m.amount)) fee
     join lateral (select coalesce(sum(${LIVE}) filter (where m.kind = 'sale'), 0) as sold,
             coalesce(sum(case when (m.amount < 0) <> m.is_correction then ${LIVE} else -(${LIVE}) end)
               filter (where m.kind = 'refund'), 0) as refunded,
             coalesce(sum(${LIVE}) filter (where ${GIVEN_BACK}), 0) as given_back,
             coalesce(sum(${LIVE}) filter (where ${GIVEN_BACK} and abs(m.amount) = fee.amount), 0) as equal
            from movements m where ${of('m')} and m.order_id = fee.order_id) own on true
    cross join lateral (select greatest(own.sold, 1) as due,
             fee.times - least(own.equal, greatest(own.given_back - own.refunded, 0)) as times) kept
    where kept.times > kept.due
    group by fee.order_id, fee.currency order by fee.order_id, fee.currency`,
);

/** Of accounts that got the commission of another refund back. */
export const FEE_KEPT_ON_REFUND = rule(
  'fee_kept_on_refund',
  `select m.order_id as subject, min(m.currency) as currency,
      -sum(m.amount) filter (where m.kind = 'commission') as amount, 0::numeric as expected,
      max(m.at) filter (where m.kind = 'refund') as since
     from movements m
    where ${MOVED} and m.order_id is not null
      and exists (select from movements back where ${of('back')} and back.kind = 'commission' and back.amount > 0 and not back.is_correction)
    group by m.order_id
   having sum(m.amount) filter (where m.kind = 'sale') > 0
      and sum(m.amount) filter (where m.kind in ('sale', 'refund')) <= 0
      and sum(m.amount) filter (where m.kind = 'commission') < 0
      and max(m.at) filter (where m.kind = 'refund') < $5::timestamptz - interval '${REFUND_DAYS} days'
      and not bool_or(m.kind = 'commission' and m.amount > 0 and not m.is_correction)`,
);

/**
 * Of orders with one listing and without refunds, beside the earlier ones of the listing: by more
 * than a fifth and a peso. A fee that is charged twice has its own rule. Each order has the same
 * earlier ones on every day.
 */
export const FEE_UNUSUAL = rule(
  'fee_unusual',
  `with charged as (
     select m.order_id, min(m.currency) as currency, min(m.at) as since,
        sum(m.amount) filter (where m.kind = 'sale') as sold,
        -sum(m.amount) filter (where m.kind = 'commission') as fee
       from movements m
      where ${of('m')} and m.at >= $4::timestamptz - interval '${FEE_DAYS_READ} days'
        and m.order_id is not null
      group by m.order_id
     having sum(m.amount) filter (where m.kind = 'sale') > 0
        and sum(m.amount) filter (where m.kind = 'commission') < 0
        and count(*) filter (where m.kind = 'refund') = 0 and count(distinct m.currency) = 1
        and sum(${LIVE}) filter (where m.kind = 'commission') <= sum(${LIVE}) filter (where m.kind = 'sale')),
   listings as (
     select charged.*, array_agg(charged.fee / charged.sold) over earlier as rates,
        array_agg(charged.since) over earlier as times
       from charged join orders o on ${of('o')} and o.id = charged.order_id
      where jsonb_array_length(o.detail_json::jsonb -> 'items') = 1
        and o.detail_json::jsonb -> 'items' -> 0 ->> 'id' is not null
     window earlier as (
          partition by o.detail_json::jsonb -> 'items' -> 0 ->> 'id', charged.currency
          order by charged.since, charged.order_id
          rows between ${FEES_BEFORE} preceding and 1 preceding))
   select listings.order_id as subject, listings.currency, listings.fee - usual.fee as amount,
      usual.fee as expected, listings.since
     from listings cross join lateral (
       select count(*) as orders,
          round(listings.sold * percentile_disc(0.5) within group (order by rate), 2) as fee
         from unnest(listings.rates, listings.times) as before(rate, at)
        where before.at >= listings.since - interval '${FEE_DAYS} days') usual
    where listings.since >= $4::timestamptz - interval '${FEE_DAYS} days'
      and usual.orders >= ${FEES_TO_COMPARE}
      and abs(listings.fee - usual.fee) > greatest(1, usual.fee / 5)`,
);
