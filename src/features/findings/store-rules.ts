import { FEE_KINDS, type Marketplace, TAX_KINDS } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { listed } from '../../platform/db/listed.ts';
import { type Statement, statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import { IS_NO_TEST, IS_REPLACED, WITHOUT_INVOICE } from '../cfdi/index.ts';
import type { FindingKind } from './kinds.ts';
import type { WithholdingRate } from './rates.ts';

/** What a rule finds of one account. */
export interface FoundRow {
  readonly subject: string;
  readonly currency: string;
  readonly amount: Decimal;
  /** What it should be; null = the rule compares nothing. */
  readonly expected: Decimal | null;
  readonly since: Instant;
}

/** The account, and the times that the rules use. */
interface RuleScope {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  /** Nothing older is looked at. */
  readonly from: Instant;
  readonly now: Instant;
  readonly timezone: string;
}

interface AccountFacts {
  readonly payoutsDrawOnBalance?: true;
  /** Its ledger has the money of one payment service; buyers pay by others, too. */
  readonly isOwnShop?: true;
}

/** Days after which money that did not arrive is a finding. */
const UNPAID_DAYS = 30;
/** Days in which a marketplace gives back the fee of a refund. */
const REFUND_DAYS = 7;
/** Days after its month in which an order may still get a CFDI. */
const CFDI_DAYS = 3;
/** Days of orders whose commissions are compared: their listings are read from their documents. */
export const FEE_DAYS = 90;
/** The usual commission of a listing is the median of so many orders before. */
const FEES_BEFORE = 20;
const FEES_TO_COMPARE = 5;
/** What rounding may add up to for each movement of an order. */
const ROUNDING = '0.02';

const TAXES = listed(TAX_KINDS);
const FEES = listed(FEE_KINDS);
const LIVE = 'case when m.is_correction then -1 else 1 end';
const of = (table: string) =>
  `${table}.organization_id = $1 and ${table}.marketplace = $2::text and ${table}.account_id = $3::text`;
const MOVED = `${of('m')} and m.at >= $4::timestamptz`;
/** The ledger has everything since then. */
const BEGINS = `(select min(m.at) from movements m where ${of('m')})`;

const rule = (kind: FindingKind, sql: string): Statement<FoundRow> =>
  statement(`findings.${kind.replaceAll('_', '-')}`, sql);

/** Only where the ledger covers the time of the order and some time after it. */
const ORDER_UNPAID = rule(
  'order_unpaid',
  `select o.id as subject, o.currency, o.total as amount, null::numeric as expected,
      coalesce(o.changed_at, o.date_created) as since
     from orders o
    where ${of('o')} and o.status = 'delivered' and o.total > 0 and ${IS_NO_TEST}
      and o.date_created >= $4::timestamptz and o.date_created >= ${BEGINS}
      and coalesce(o.changed_at, o.date_created) < $5::timestamptz - interval '${UNPAID_DAYS} days'
      and (select max(m.at) from movements m where ${of('m')}) > coalesce(o.changed_at, o.date_created)
      and not exists (
        select from movements m where ${of('m')} and m.order_id = o.id and not m.is_open
        having sum(${LIVE}) > 0)`,
);

/** A payout whose time began before the ledger is left out. */
const payoutRule = (name: string, settled: string) =>
  statement<FoundRow>(
    `findings.payout-${name}`,
    `select s.id as subject, s.currency, s.net - moved.sum as amount, moved.sum as expected, s.listed_at as since
     from settlements s cross join lateral (
       select coalesce(${settled}) as sum from movements m
        where ${of('m')} and m.payout_id = s.id and m.currency = s.currency) moved
    where ${of('s')} and s.status = 'paid' and s.listed_at >= $4::timestamptz
      and coalesce(s.period_from, s.listed_at - interval '1 day') >= ${BEGINS}
      and s.listed_at <= $5::timestamptz and s.net <> moved.sum`,
  );
const PAYOUT_OF_MOVEMENTS = payoutRule(
  'of-movements',
  `sum(m.amount) filter (where m.kind not in ('payout', 'opening')), 0`,
);
const PAYOUT_OF_BALANCE = payoutRule(
  'of-balance',
  `-sum(m.amount) filter (where m.kind = 'payout'), 0`,
);

/** An order that is older than the stored ones is not missed. */
const MOVEMENT_WITHOUT_ORDER = rule(
  'movement_without_order',
  `select m.report || ' ' || m.key as subject, min(m.currency) as currency, sum(m.amount) as amount,
      null::numeric as expected, min(m.at) as since
     from movements m
    where ${MOVED} and m.kind = 'sale'
      and (m.order_id is null or (
        m.at > (select min(o.date_created) + interval '30 days' from orders o where ${of('o')})
        and not exists (select from orders o where ${of('o')} and o.id = m.order_id)))
    group by m.report, m.key having sum(${LIVE}) > 0 and sum(m.amount) <> 0`,
);

/** One finding an order: where its fees have several currencies, of the first. */
const FEE_CHARGED_TWICE = rule(
  'fee_charged_twice',
  `select distinct on (fee.order_id) fee.order_id as subject, fee.currency,
      sum(fee.amount * (fee.times - greatest(sold.times, 1))) as amount,
      sum(fee.amount * greatest(sold.times, 1)) as expected, min(fee.since) as since
     from (select m.order_id, m.currency, m.native_type, abs(m.amount) as amount, sum(${LIVE}) as times,
             min(m.at) as since
            from movements m where ${MOVED} and m.order_id is not null and m.kind in (${FEES})
             and (m.amount < 0) <> m.is_correction
           group by m.order_id, m.currency, m.native_type, abs(m.amount)) fee
     join lateral (select coalesce(sum(${LIVE}), 0) as times from movements m
            where ${of('m')} and m.order_id = fee.order_id and m.kind = 'sale') sold on true
    where fee.times > greatest(sold.times, 1)
    group by fee.order_id, fee.currency order by fee.order_id, fee.currency`,
);

/**
 * Only orders without refunds, of accounts whose ledger has taxes of that month. Where the rate
 * changed between an order and its money, either one is right.
 */
const WITHHELD_DIFFERS = rule(
  'withheld_differs',
  `select taxed.order_id as subject, taxed.currency, taxed.withheld - due.expected as amount, due.expected, taxed.since
     from (select m.order_id, min(m.currency) as currency, min(m.at) as since, sum(${LIVE}) as rows,
             sum(m.amount) filter (where m.kind in ('sale', 'shipping')) as sold,
             -coalesce(sum(m.amount) filter (where m.kind in (${TAXES})), 0) as withheld
            from movements m
           where ${MOVED} and m.at <= $5::timestamptz and m.order_id is not null
           group by m.order_id
          having coalesce(sum(m.amount) filter (where m.kind = 'refund'), 0) = 0
             and coalesce(sum(${LIVE}) filter (where m.is_open), 0) = 0 and count(distinct m.currency) = 1) taxed
     left join orders o on ${of('o')} and o.id = taxed.order_id
     cross join lateral (select dated.expected from (
         select round(taxed.sold / (1 + $9::numeric) * (rate.isr + rate.iva), 2) as expected
           from unnest($6::date[], $7::numeric[], $8::numeric[]) as rate(since, isr, iva)
          where rate.since <= (taxed.since at time zone $10)::date
            and rate.since >= (select max(former.since) from unnest($6::date[]) as former(since)
              where former.since <= (least(o.date_created, taxed.since) at time zone $10)::date)) dated
      order by abs(taxed.withheld - dated.expected) limit 1) due
    where taxed.sold > 0 and abs(taxed.withheld - due.expected) > ${ROUNDING} * taxed.rows
      and exists (select from movements m where ${of('m')} and m.kind in (${TAXES})
        and m.at >= date_trunc('month', taxed.since, $10)
        and m.at < date_trunc('month', date_trunc('month', taxed.since, $10) + interval '32 days', $10))`,
);

/** Of accounts that got the commission of another refund back. */
const FEE_KEPT_ON_REFUND = rule(
  'fee_kept_on_refund',
  `select m.order_id as subject, min(m.currency) as currency,
      -sum(m.amount) filter (where m.kind = 'commission') as amount, 0::numeric as expected,
      max(m.at) filter (where m.kind = 'refund') as since
     from movements m
    where ${MOVED} and m.order_id is not null
      and exists (select from movements back where ${of('back')} and back.at >= $4::timestamptz
        and back.kind = 'commission' and back.amount > 0 and not back.is_correction)
    group by m.order_id
   having sum(m.amount) filter (where m.kind = 'sale') > 0
      and sum(m.amount) filter (where m.kind in ('sale', 'refund')) <= 0
      and sum(m.amount) filter (where m.kind = 'commission') < 0
      and max(m.at) filter (where m.kind = 'refund') < $5::timestamptz - interval '${REFUND_DAYS} days'
      and not bool_or(m.kind = 'commission' and m.amount > 0 and not m.is_correction)`,
);

/**
 * Of orders with one listing and without refunds, beside the earlier ones of the listing: by more
 * than a fifth and a peso. A fee that is charged twice has its own rule.
 */
const FEE_UNUSUAL = rule(
  'fee_unusual',
  `with charged as (
     select m.order_id, min(m.currency) as currency, min(m.at) as since,
        sum(m.amount) filter (where m.kind = 'sale') as sold,
        -sum(m.amount) filter (where m.kind = 'commission') as fee
       from movements m
      where ${of('m')} and m.at >= greatest($4::timestamptz, $5::timestamptz - interval '${FEE_DAYS} days')
        and m.order_id is not null
      group by m.order_id
     having sum(m.amount) filter (where m.kind = 'sale') > 0
        and sum(m.amount) filter (where m.kind = 'commission') < 0
        and count(*) filter (where m.kind = 'refund') = 0 and count(distinct m.currency) = 1
        and sum(${LIVE}) filter (where m.kind = 'commission') <= sum(${LIVE}) filter (where m.kind = 'sale')),
   listings as (
     select charged.*, charged.fee / charged.sold as rate,
        array_agg(charged.fee / charged.sold) over (
          partition by o.detail_json::jsonb -> 'items' -> 0 ->> 'id', charged.currency
          order by charged.since, charged.order_id
          rows between ${FEES_BEFORE} preceding and 1 preceding) as before
       from charged join orders o on ${of('o')} and o.id = charged.order_id
      where jsonb_array_length(o.detail_json::jsonb -> 'items') = 1
        and o.detail_json::jsonb -> 'items' -> 0 ->> 'id' is not null)
   select listings.order_id as subject, listings.currency, listings.fee - usual.fee as amount,
      usual.fee as expected, listings.since
     from listings cross join lateral (
       select round(listings.sold * percentile_disc(0.5) within group (order by rate), 2) as fee
         from unnest(listings.before) as rate) usual
    where cardinality(listings.before) >= ${FEES_TO_COMPARE}
      and abs(listings.fee - usual.fee) > greatest(1, usual.fee / 5)`,
);

/** Of organisations that have linked a CFDI to an order at all; amounts not in pesos are apart. */
const ORDERS_WITHOUT_CFDI = rule(
  'orders_without_cfdi',
  `select to_char(o.date_created at time zone $6, 'YYYY-MM')
        || case o.currency when 'MXN' then '' else ' ' || o.currency end as subject,
      o.currency, sum(o.total) as amount,
      null::numeric as expected,
      (date_trunc('month', min(o.date_created) at time zone $6) + interval '1 month') at time zone $6 as since
     from orders o
    where ${of('o')} and o.date_created >= $4::timestamptz
      and (date_trunc('month', o.date_created at time zone $6) + interval '1 month ${CFDI_DAYS} days')
        < ($5::timestamptz at time zone $6)
      and exists (select from cfdi_orders any_link join cfdis c using (organization_id, uuid)
        where any_link.organization_id = $1 and any_link.state = 'linked' and c.direction = 'issued')
      and ${WITHOUT_INVOICE}
    group by 1, o.currency`,
);

/** Of a CFDI for one order alone, and an order with one CFDI of income alone. */
const CFDI_TOTAL_DIFFERS = rule(
  'cfdi_total_differs',
  `select o.id as subject, o.currency, c.total - o.total as amount, o.total as expected, c.issued_at as since
     from cfdi_orders link
     join cfdis c on c.organization_id = $1 and c.uuid = link.uuid and c.direction = 'issued'
      and c.type = 'ingreso' and c.status <> 'cancelado' and c.issued_at >= $4::timestamptz
      and c.issued_at <= $5::timestamptz and not ${IS_REPLACED('c')}
     join orders o on ${of('o')} and o.id = link.order_id and o.currency = c.currency
    where ${of('link')} and link.state = 'linked' and c.total <> o.total
      and not exists (select from cfdi_orders other join cfdis d using (organization_id, uuid)
        where other.organization_id = $1 and other.state = 'linked' and d.type = 'ingreso'
          and d.status <> 'cancelado' and not ${IS_REPLACED('d')}
          and ((other.uuid = link.uuid and other.order_id <> link.order_id)
            or (other.order_id = link.order_id and other.uuid <> link.uuid
              and other.marketplace = link.marketplace and other.account_id = link.account_id)))`,
);

/**
 * What each rule finds of an account.
 * @param rates null = without a fiscal profile it is not known what should be withheld
 */
export async function foundOf(
  scope: ReadScope,
  { marketplace, accountId, from, now, timezone }: RuleScope,
  facts: AccountFacts,
  rates: { readonly rates: readonly WithholdingRate[]; readonly vat: Decimal } | null,
): Promise<ReadonlyMap<FindingKind, readonly FoundRow[]>> {
  const times = [marketplace, accountId, formatMicros(from)];
  const given = [...times, formatMicros(now)];
  const found = new Map<FindingKind, readonly FoundRow[]>();
  const unpaid = facts.isOwnShop ? [] : await scope.prepared(ORDER_UNPAID, given);
  found.set('order_unpaid', unpaid);
  const payouts = facts.payoutsDrawOnBalance ? PAYOUT_OF_BALANCE : PAYOUT_OF_MOVEMENTS;
  found.set('payout_unexplained', await scope.prepared(payouts, given));
  found.set('movement_without_order', await scope.prepared(MOVEMENT_WITHOUT_ORDER, times));
  found.set('fee_charged_twice', await scope.prepared(FEE_CHARGED_TWICE, times));
  found.set('fee_unusual', await scope.prepared(FEE_UNUSUAL, given));
  found.set('fee_kept_on_refund', await scope.prepared(FEE_KEPT_ON_REFUND, given));
  found.set('orders_without_cfdi', await scope.prepared(ORDERS_WITHOUT_CFDI, [...given, timezone]));
  found.set('cfdi_total_differs', await scope.prepared(CFDI_TOTAL_DIFFERS, given));
  const dated = rates?.rates ?? [];
  const withheld = rates
    ? await scope.prepared(WITHHELD_DIFFERS, [
        ...given,
        dated.map(({ since }) => since),
        dated.map(({ isr }) => isr),
        dated.map(({ iva }) => iva),
        rates.vat,
        timezone,
      ])
    : [];
  found.set('withheld_differs', withheld);
  return found;
}
