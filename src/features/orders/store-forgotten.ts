import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { OrderIdentity } from './order.ts';
import type { AccountOfOrders } from './store.ts';

interface ForgottenRow {
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
}

const MARK = statement<object>(
  'orders.mark-forgotten',
  `update orders set is_buyer_forgotten = true
    where organization_id = $1 and marketplace = $2 and account_id = $3 and id = any($4::text[])
      and not is_buyer_forgotten`,
);

const MARK_AHEAD = statement<object>(
  'orders.mark-forgotten-ahead',
  `insert into forgotten_ahead (organization_id, marketplace, account_id, order_id)
   select $1, $2, $3, id from unnest($4::text[]) as id
   on conflict do nothing`,
);

const AHEAD = statement<ForgottenRow>(
  'orders.forgotten-ahead',
  `select ahead.marketplace, ahead.account_id, ahead.order_id as id
     from unnest($2::text[], $3::text[], $4::text[]) as wanted (marketplace, account_id, id)
     join forgotten_ahead ahead
       on ahead.organization_id = $1 and ahead.marketplace = wanted.marketplace
      and ahead.account_id = wanted.account_id and ahead.order_id = wanted.id`,
);

const AMONG = statement<{ id: string }>(
  'orders.forgotten-among',
  `select wanted.id from unnest($4::text[]) as wanted (id)
    where exists (select from orders o
            where o.organization_id = $1 and o.marketplace = $2 and o.account_id = $3
              and o.id between wanted.id and wanted.id and o.is_buyer_forgotten)
       or exists (select from forgotten_ahead ahead
            where ahead.organization_id = $1 and ahead.marketplace = $2 and ahead.account_id = $3
              and ahead.order_id between wanted.id and wanted.id)`,
);

/** From the list of those that are awaited to the order itself. */
const MARK_ARRIVED = statement<object>(
  'orders.mark-forgotten-arrived',
  `with arrived as (
     delete from forgotten_ahead ahead
      using unnest($2::text[], $3::text[], $4::text[]) as given (marketplace, account_id, id)
      where ahead.organization_id = $1 and ahead.marketplace = given.marketplace
        and ahead.account_id = given.account_id and ahead.order_id = given.id
     returning ahead.marketplace, ahead.account_id, ahead.order_id)
   update orders o set is_buyer_forgotten = true from arrived
    where o.organization_id = $1 and o.marketplace = arrived.marketplace
      and o.account_id = arrived.account_id and o.id = arrived.order_id`,
);

/** No buyer and no document is kept of these stored orders again. */
export async function markForgotten(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  ids: readonly string[],
): Promise<void> {
  await scope.prepared(MARK, [marketplace, accountId, ids]);
}

/**
 * Nor of these, which are not stored yet. The clock must be held, so that none of them comes
 * meanwhile.
 */
export async function markForgottenAhead(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await scope.prepared(MARK_AHEAD, [marketplace, accountId, ids]);
}

/** Which of these orders, none of them stored, are to be stored without their buyer. */
export async function forgottenAhead(
  scope: ReadScope,
  orders: readonly OrderIdentity[],
): Promise<OrderIdentity[]> {
  if (orders.length === 0) return [];
  const rows = await scope.prepared(AHEAD, columnsOf(orders));
  return rows.map(({ marketplace, account_id, id }) => ({
    marketplace: marketplace as Marketplace,
    accountId: account_id,
    id,
  }));
}

/** Of which of these orders, stored or not, the buyers were forgotten. */
export async function forgottenAmong(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await scope.prepared(AMONG, [marketplace, accountId, ids]);
  return new Set(rows.map(({ id }) => id));
}

/** They are stored now. */
export async function markArrived(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
): Promise<void> {
  if (orders.length > 0) await scope.prepared(MARK_ARRIVED, columnsOf(orders));
}

function columnsOf(orders: readonly OrderIdentity[]): string[][] {
  return [
    orders.map(({ marketplace }) => marketplace),
    orders.map(({ accountId }) => accountId),
    orders.map(({ id }) => id),
  ];
}
