import {
  FEE_KINDS,
  type Marketplace,
  type MovementKind,
  TAX_KINDS,
} from '../../connectors/contract.ts';
import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { listed } from '../../platform/db/listed.ts';
import { search, statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import { type Decimal, ZERO } from '../../platform/money.ts';
import { type AccountSource, IS_BACKFILL } from '../connections/index.ts';
import type { LedgerMoney, OrderIdentity } from '../orders/index.ts';

const ORDERS = bulk('ledger_orders', ['marketplace', 'account_id', 'order_id']);
type OrderRow = GivenBy<typeof ORDERS>;

const FEES = listed(FEE_KINDS);
const TAXES = listed(TAX_KINDS);

const TOUCH = ORDERS.statement(
  'ledger-orders.touch',
  (given) => `insert into ledger_orders (organization_id, ${ORDERS.names}, changed_at)
   select $1, given.*, $2::timestamptz from ${given}
   on conflict (organization_id, marketplace, account_id, order_id) do update
     set changed_at = excluded.changed_at, told_at = null`,
);
const PENDING = statement<OrderRow & { readonly is_backfill: boolean }>(
  'ledger-orders.pending',
  `select l.marketplace, l.account_id, l.order_id,
       ${IS_BACKFILL('o.connection_id', 'l.changed_at', ['orders', 'settlements'])} as is_backfill
     from ledger_orders l
     join orders o on o.organization_id = $1 and o.marketplace = l.marketplace
      and o.account_id = l.account_id and o.id = l.order_id
    where l.organization_id = $1 and l.told_at is null
    order by l.marketplace, l.account_id, l.order_id limit $2::int for update of l skip locked`,
);
const WITH_PENDING = search<{ organization_id: string }>(
  'ledger-orders.organizations-with-pending',
  () => 'select distinct organization_id from ledger_orders where told_at is null',
);
const MARK_ANNOTATED = ORDERS.statement(
  'ledger-orders.mark-annotated',
  (given) => `update ledger_orders l set told_at = $2::timestamptz from ${given}
    where l.organization_id = $1 and l.marketplace = given.marketplace
      and l.account_id = given.account_id and l.order_id = given.order_id`,
);
/**
 * A row that was taken back counts with what took it back, so that both come to nothing; of a currency
 * of which nothing else is left they say nothing. Order by order: with few statistics each would be
 * compared with all movements, or read an account's.
 */
const MONEY = ORDERS.statement<MoneyRow>(
  'ledger-orders.money',
  (given) => `select given.marketplace, given.account_id, given.order_id,
       min(m.currency) as currency, count(m.currency) as currencies,
       coalesce(sum(m.movements), 0) as movements, coalesce(sum(m.open), 0) as open,
       sum(m.sold) as sold, sum(m.fees) as fees, sum(m.withheld) as withheld,
       sum(m.refunded) as refunded, sum(m.net) as net
     from ${given}
     left join lateral (
       select currency, sum(live) as movements,
           coalesce(sum(live) filter (where is_open), 0) as open,
           sum(amount) filter (where kind in ('sale', 'shipping')) as sold,
           -sum(amount) filter (where kind in (${FEES})) as fees,
           -sum(amount) filter (where kind in (${TAXES})) as withheld,
           -sum(amount) filter (where kind = 'refund') as refunded,
           sum(amount) filter (where kind <> 'payout') as net
         from (
           select *, case when is_correction then -1 else 1 end as live from movements
            where organization_id = $1 and marketplace = given.marketplace
              and account_id = given.account_id
              and order_id between given.order_id and given.order_id
            order by order_id) of_order
        group by currency having sum(live) > 0) as m on true
    group by given.marketplace, given.account_id, given.order_id`,
);

const SUMS = statement<{ kind: MovementKind; currency: string; amount: Decimal }>(
  'ledger-orders.sums',
  `select kind, currency, sum(amount) as amount from movements
    where organization_id = $1 and marketplace = $2 and account_id = $3 and order_id = $4
      and kind <> 'payout'
    group by kind, currency
   having count(*) filter (where not is_correction) > count(*) filter (where is_correction)
    order by kind`,
);

interface MoneyRow extends OrderRow {
  readonly currency: string | null;
  readonly currencies: number;
  /** Without those that were taken back. */
  readonly movements: number;
  readonly open: number;
  readonly sold: Decimal | null;
  readonly fees: Decimal | null;
  readonly withheld: Decimal | null;
  readonly refunded: Decimal | null;
  readonly net: Decimal | null;
}

/** Mexican books are kept for five years after the year that they belong to. */
const KEEP_DAYS = 6 * 366;

export const RETENTIONS = [
  retention('movements', KEEP_DAYS, removeBefore('movements.remove', 'movements', 'at')),
  retention(
    'ledger_orders',
    KEEP_DAYS,
    removeBefore('ledger-orders.remove', 'ledger_orders', 'changed_at'),
  ),
];

/** Notes orders of an account whose movements changed. */
export async function touch(
  scope: WriteScope,
  { marketplace, accountId: account_id }: AccountSource,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = ids.toSorted().map((order_id) => ({ marketplace, account_id, order_id }));
  await scope.prepared(TOUCH, TOUCH.values([scope.clock.now().toString()], rows));
}

/** Stored orders whose movements changed since their last annotation, locked. */
export async function pendingOrders(
  scope: WriteScope,
  limit: number,
): Promise<{ order: OrderIdentity; isBackfill: boolean }[]> {
  const rows = await scope.prepared(PENDING, [limit]);
  return rows.map((row) => ({ order: identityOf(row), isBackfill: row.is_backfill }));
}

/** Organisations with orders to annotate, stored or not. */
export async function organizationsWithPendingOrders(handle: Handle): Promise<string[]> {
  return (await handle.search(WITH_PENDING, [])).map((row) => row.organization_id);
}

export async function markAnnotated(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
): Promise<void> {
  await scope.prepared(
    MARK_ANNOTATED,
    MARK_ANNOTATED.values([scope.clock.now().toString()], orders.map(rowOf)),
  );
}

/** The sums of orders' movements; null = none, or in several currencies. */
export async function moneyOf(
  scope: ReadScope,
  orders: readonly OrderIdentity[],
): Promise<{ order: OrderIdentity; ledger: LedgerMoney | null }[]> {
  const rows = await scope.prepared(MONEY, MONEY.values([], orders.map(rowOf)));
  return rows.map((row) => ({ order: identityOf(row), ledger: ledgerOf(row) }));
}

/** What one order's movements come to by kind, without those that were taken back. */
export function sumsOfOrder(scope: ReadScope, { marketplace, accountId, id }: OrderIdentity) {
  return scope.prepared(SUMS, [marketplace, accountId, id]);
}

function ledgerOf(row: MoneyRow): LedgerMoney | null {
  const { currency, sold, fees, refunded, net } = row;
  if (currency === null || net === null || Number(row.currencies) > 1) return null;
  if (Number(row.movements) === 0) return null;
  return {
    currency,
    sold,
    // Without a sale and a fee the rows were not split.
    fees: fees ?? (sold === null ? null : ZERO),
    withheld: row.withheld ?? ZERO,
    refunded: refunded ?? ZERO,
    net,
    isOpen: Number(row.open) > 0,
  };
}

function rowOf({ marketplace, accountId, id }: OrderIdentity): OrderRow {
  return { marketplace, account_id: accountId, order_id: id };
}

function identityOf({ marketplace, account_id, order_id }: OrderRow): OrderIdentity {
  return { marketplace: marketplace as Marketplace, accountId: account_id, id: order_id };
}
