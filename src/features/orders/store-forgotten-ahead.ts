import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { AccountOfOrders, OrderIdentity } from './order.ts';
import { identityOf, KEYS, type KeyRow, keyRowOf } from './store-keys.ts';

const MARK_AHEAD = statement<object>(
  'orders.mark-forgotten-ahead',
  `insert into forgotten_ahead (organization_id, marketplace, account_id, order_id)
   select $1, $2, $3, id from unnest($4::text[]) as id
   on conflict do nothing`,
);

/**
 * Marks orders that are not stored yet: they will be stored without buyer and documents. The clock
 * must be held, so that none of them is stored meanwhile.
 */
export async function markForgottenAhead(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await scope.prepared(MARK_AHEAD, [marketplace, accountId, ids]);
}

const AHEAD = KEYS.statement<KeyRow>(
  'orders.forgotten-ahead',
  (given) => `select ahead.marketplace, ahead.account_id, ahead.order_id as id
     from ${given}
     join forgotten_ahead ahead
       on ahead.organization_id = $1 and ahead.marketplace = given.marketplace
      and ahead.account_id = given.account_id and ahead.order_id = given.id`,
);

/** Those of these orders, none of them stored, that must be stored without their buyer. */
export async function forgottenAhead(
  scope: ReadScope,
  orders: readonly OrderIdentity[],
): Promise<OrderIdentity[]> {
  if (orders.length === 0) return [];
  const rows = await scope.prepared(AHEAD, AHEAD.values([], orders.map(keyRowOf)));
  return rows.map(identityOf);
}

/** Moves the mark from the list of awaited orders to the order itself. */
const MARK_ARRIVED = KEYS.statement(
  'orders.mark-forgotten-arrived',
  (given) => `with arrived as (
     delete from forgotten_ahead ahead using ${given}
      where ahead.organization_id = $1 and ahead.marketplace = given.marketplace
        and ahead.account_id = given.account_id and ahead.order_id = given.id
     returning ahead.marketplace, ahead.account_id, ahead.order_id)
   update orders o set is_buyer_forgotten = true from arrived
    where o.organization_id = $1 and o.marketplace = arrived.marketplace
      and o.account_id = arrived.account_id and o.id = arrived.order_id`,
);

/** Marks awaited orders as stored. */
export async function markArrived(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
): Promise<void> {
  if (orders.length > 0)
    await scope.prepared(MARK_ARRIVED, MARK_ARRIVED.values([], orders.map(keyRowOf)));
}
