import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { type Statement, statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import { IS_NO_TEST, tagsLeftOut, WITHOUT_INVOICE, withoutTags } from '../cfdi/index.ts';
import { invoicesThatDiffer } from './invoiced-groups.ts';
import type { FindingKind } from './kinds.ts';
import type { WithholdingRate } from './rates.ts';
import type { ReadSoFar } from './read-so-far.ts';
import { FEE_CHARGED_TWICE, FEE_KEPT_ON_REFUND, FEE_UNUSUAL } from './store-fee-rules.ts';
import { type FoundRow, LIVE, MOVED, of, rule } from './store-rule.ts';
import { WITHHELD_DIFFERS } from './store-withheld-rule.ts';

/** The account, and the times that the rules use. */
interface RuleScope {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  /** Nothing older is read. */
  readonly from: Instant;
  readonly now: Instant;
  readonly timezone: string;
}

interface Rates {
  readonly rates: readonly WithholdingRate[];
  readonly vat: Decimal;
}

interface AccountFacts {
  readonly payoutsDrawOnBalance?: true;
  /** Its ledger has the money of one payment service; buyers pay by others, too. */
  readonly isOwnShop?: true;
}

/** Days after which money that did not arrive is a finding. */
const UNPAID_DAYS = 30;
/** Days after its month in which an order may still get a CFDI. */
const CFDI_DAYS = 3;

/** The ledger has everything since then. */
const BEGINS = `(select min(m.at) from movements m where ${of('m')})`;

/**
 * Only where the ledger covers the time of the order and the days in which its money should come.
 * The first time at which it was delivered stays the same, whatever changes of the order later.
 */
const ORDER_UNPAID = rule(
  'order_unpaid',
  `select o.id as subject, o.currency, o.total as amount, null::numeric as expected,
      delivered.at as since
     from orders o cross join lateral (
       select coalesce(min(h.at), o.date_created) as at from order_history h
        where ${of('h')} and h.order_id = o.id and h.status = 'delivered') delivered
    where ${of('o')} and o.status = 'delivered' and o.total > 0 and ${IS_NO_TEST}
      and o.date_created >= $4::timestamptz and o.date_created >= ${BEGINS}
      and delivered.at < $5::timestamptz - interval '${UNPAID_DAYS} days'
      and delivered.at < (select max(m.at) from movements m where ${of('m')}) - interval '${UNPAID_DAYS} days'
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
      and ${WITHOUT_INVOICE} and ${withoutTags('$7')}
    group by 1, o.currency`,
);

/**
 * What each rule finds of an account. A rule that needs more than was read is left out.
 * @param rates null = without a fiscal profile it is not known what should be withheld
 */
export async function foundOf(
  scope: ReadScope,
  times: RuleScope,
  { orders, ledger }: ReadSoFar,
  facts: AccountFacts,
  rates: Rates | null,
): Promise<ReadonlyMap<FindingKind, readonly FoundRow[]>> {
  const account = [times.marketplace, times.accountId];
  const now = formatMicros(times.now);
  const since = [...account, formatMicros(times.from)];
  const until = [...since, now];
  const found = new Map<FindingKind, readonly FoundRow[]>();
  const find = async (kind: FindingKind, asked: Statement<FoundRow>, given: readonly unknown[]) =>
    found.set(kind, await scope.prepared(asked, given));
  if (ledger) {
    const payouts = facts.payoutsDrawOnBalance ? PAYOUT_OF_BALANCE : PAYOUT_OF_MOVEMENTS;
    await find('payout_unexplained', payouts, until);
    await find('fee_charged_twice', FEE_CHARGED_TWICE, since);
    await find('fee_kept_on_refund', FEE_KEPT_ON_REFUND, until);
  }
  if (orders) {
    const copies = await tagsLeftOut(scope);
    const month = [...until, times.timezone, copies];
    await find('orders_without_cfdi', ORDERS_WITHOUT_CFDI, month);
    const issued = [formatMicros(times.from), now] as const;
    found.set('cfdi_total_differs', await invoicesThatDiffer(scope, times, issued, copies));
  }
  if (orders && ledger) {
    if (facts.isOwnShop) found.set('order_unpaid', []);
    else await find('order_unpaid', ORDER_UNPAID, until);
    await find('movement_without_order', MOVEMENT_WITHOUT_ORDER, since);
    await find('fee_unusual', FEE_UNUSUAL, [...account, now]);
    if (rates)
      await find('withheld_differs', WITHHELD_DIFFERS, [...until, ...withheldBy(rates, times)]);
    else found.set('withheld_differs', []);
  }
  return found;
}

function withheldBy({ rates, vat }: Rates, { timezone }: RuleScope): unknown[] {
  return [
    rates.map(({ since }) => since),
    rates.map(({ isr }) => isr),
    rates.map(({ iva }) => iva),
    vat,
    timezone,
  ];
}
