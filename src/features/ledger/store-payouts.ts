import { FEE_KINDS, type MovementKind, TAX_KINDS } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { listed } from '../../platform/db/listed.ts';
import { type Statement, statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';

/** A payout, and the currency that it was paid in. */
export interface PayoutKey {
  readonly marketplace: string;
  readonly accountId: string;
  readonly id: string;
  readonly currency: string;
}

/** The time between two payouts that draw on the same balance; `from` null = from the beginning. */
export interface Between {
  readonly from: Instant | null;
  readonly to: Instant;
}

interface SumRow {
  readonly kind: MovementKind;
  readonly amount: Decimal;
}

/** The money of one order in a payout, or of movements without an order that are called the same. */
export interface PayoutLine {
  /** Empty = no order. */
  readonly order_id: string;
  /** Of movements without an order. */
  readonly native_type: string;
  /** Of movements without an order; null = of several kinds. */
  readonly kind: MovementKind | null;
  readonly sold: Decimal;
  readonly refunded: Decimal;
  readonly fees: Decimal;
  readonly withheld: Decimal;
  readonly other: Decimal;
  readonly net: Decimal;
}

const OF_ACCOUNT =
  'organization_id = $1 and marketplace = $2 and account_id = $3 and currency = $5';
/**
 * Whether a row is of a payout that stays, since the last time when all of it was back. A payout may
 * leave the account again under its id; null = the row is of none.
 */
const stays = (row: string) => `(select min(away.total) > 0 from (
    select at, -sum(amount) over (order by at) as total from movements away
     where ${OF_ACCOUNT} and kind = 'payout' and payout_id = ${row}.payout_id) away
   where away.at >= ${row}.at)`;
/**
 * What a payout includes: what names it, and where payouts draw on a balance what came since. What
 * came back of any payout is among it, out and back, so that its orders are in a payout that stays.
 */
const NAMED = `movements where ${OF_ACCOUNT} and payout_id = $4 and kind not in ('payout', 'opening')`;
/** Two parts, each with its index. */
const SINCE = `(
  select * from movements
   where ${OF_ACCOUNT} and payout_id = $4 and kind not in ('payout', 'opening') and ${stays('movements')}
  union all
  select * from movements
   where ${OF_ACCOUNT} and kind <> 'opening'
     and at > coalesce($6::timestamptz, '-infinity') and at <= $7::timestamptz
     and case when payout_id is null then kind <> 'payout'
       else not coalesce(${stays('movements')}, false) end) since`;

const SUMS = { named: sums('named', NAMED), since: sums('since', SINCE) };
const LINES = { named: lines('named', NAMED, 6), since: lines('since', SINCE, 8) };

/** Whether a row was not taken back for another time or amount. */
const STANDS = (row: string) => `(select sum(same.amount) from movements same
  where same.organization_id = $1 and same.marketplace = ${row}.marketplace
    and same.account_id = ${row}.account_id and same.report = ${row}.report
    and same.key = ${row}.key and same.at = ${row}.at) <> 0`;

/** Of a movement `m`: its payout left later, too. */
const LEFT_AGAIN = `exists (select from movements again
  where ${OF_ACCOUNT} and again.kind = 'payout' and again.payout_id = m.payout_id
    and again.amount < 0 and again.at > m.at and ${STANDS('again')})`;

const SPAN = statement<{ before: Instant | null; paid_at: Instant | null; paid: Decimal | null }>(
  'payouts.span',
  `select own.paid_at, own.paid,
      (select max(at) from movements m where ${OF_ACCOUNT} and kind = 'payout' and amount < 0
          and ${STANDS('m')} and coalesce(${stays('m')}, true) and not ${LEFT_AGAIN}
          and (at < own.paid_at or (at = own.paid_at and payout_id < $4))) as before
     from (select coalesce(max(at) filter (where amount < 0 and ${STANDS('m')} and ${stays('m')}),
              max(at) filter (where ${STANDS('m')})) as paid_at, -sum(amount) as paid
             from movements m where ${OF_ACCOUNT} and kind = 'payout' and payout_id = $4) own`,
);
/** Of payouts of one instant, those with a greater id come after. */
const BALANCE = statement<{ amount: Decimal }>(
  'payouts.balance',
  `select coalesce(sum(amount), 0) as amount from movements
    where organization_id = $1 and marketplace = $2 and account_id = $3 and currency = $4
      and (at <= $5::timestamptz or kind = 'opening')
      and (at <> $5::timestamptz or payout_id is null or payout_id <= $6)`,
);

function sums(name: string, rows: string): Statement<SumRow> {
  return statement(
    `payouts.sums-${name}`,
    `select kind, sum(amount) as amount from ${rows}
      group by kind having count(*) filter (where not is_correction) > count(*) filter (where is_correction)
      order by kind`,
  );
}

/** @param next the number of the first free parameter */
function lines(name: string, rows: string, next: number): Statement<PayoutLine> {
  const of = (kinds: readonly string[], sign = '') =>
    `${sign}coalesce(sum(amount) filter (where kind in (${listed(kinds)})), 0)`;
  return statement(
    `payouts.lines-${name}`,
    `select order_id, native_type, kind, sold, refunded, fees, withheld,
        net - sold + refunded + fees + withheld as other, net
       from (select coalesce(order_id, '') as order_id,
             case when order_id is null then native_type else '' end as native_type,
             case when count(order_id) = 0 and min(kind) = max(kind) then min(kind) end as kind,
             ${of(['sale', 'shipping'])} as sold, ${of(['refund'], '-')} as refunded,
             ${of(FEE_KINDS, '-')} as fees, ${of(TAX_KINDS, '-')} as withheld, sum(amount) as net
        from ${rows}
       group by 1, 2
       having count(*) filter (where not is_correction) > count(*) filter (where is_correction)) line
      where $${next}::text is null or (order_id, native_type) > ($${next}, $${next + 1}::text)
      order by order_id, native_type limit $${next + 2}`,
  );
}

/** When a payout left the account by the ledger, how much, and when the one before did. */
export async function spanOf(scope: ReadScope, payout: PayoutKey) {
  const [row] = await scope.prepared(SPAN, keyOf(payout));
  return { paidAt: row?.paid_at ?? null, paid: row?.paid ?? null, before: row?.before ?? null };
}

/** What a payout that left the account at an instant left in it. */
export async function balanceAfter(
  scope: ReadScope,
  { marketplace, accountId, id, currency }: PayoutKey,
  at: Instant,
): Promise<Decimal> {
  const values = [marketplace, accountId, currency, formatMicros(at), id];
  const [row] = await scope.prepared(BALANCE, values);
  return (row as { amount: Decimal }).amount;
}

/** @param between null = movements name their payout */
export function sumsOf(
  scope: ReadScope,
  payout: PayoutKey,
  between: Between | null,
): Promise<SumRow[]> {
  return between
    ? scope.prepared(SUMS.since, [...keyOf(payout), ...timesOf(between)])
    : scope.prepared(SUMS.named, keyOf(payout));
}

/**
 * Orders by id, after those movements that name none.
 * @param after the last line of the page before; null = the first page
 */
export function linesOf(
  scope: ReadScope,
  payout: PayoutKey,
  between: Between | null,
  after: readonly [order: string, type: string] | null,
  limit: number,
): Promise<PayoutLine[]> {
  const [order, type] = after ?? [null, null];
  return between
    ? scope.prepared(LINES.since, [...keyOf(payout), ...timesOf(between), order, type, limit])
    : scope.prepared(LINES.named, [...keyOf(payout), order, type, limit]);
}

function keyOf({ marketplace, accountId, id, currency }: PayoutKey) {
  return [marketplace, accountId, id, currency];
}

function timesOf({ from, to }: Between) {
  return [from && formatMicros(from), formatMicros(to)];
}
