import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { AccountOfOrders } from './order.ts';
import type { KeyRow } from './store-keys.ts';

const MARK = statement<object>(
  'orders.mark-forgotten',
  `update orders set is_buyer_forgotten = true
    where organization_id = $1 and marketplace = $2 and account_id = $3 and id = any($4::text[])
      and not is_buyer_forgotten`,
);

/** Marks stored orders whose buyer and documents are never stored again. */
export async function markForgotten(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  ids: readonly string[],
): Promise<void> {
  await scope.prepared(MARK, [marketplace, accountId, ids]);
}

const AMONG = statement<Pick<KeyRow, 'id'>>(
  'orders.forgotten-among',
  `select wanted.id from unnest($4::text[]) as wanted (id)
    where exists (select from orders o
            where o.organization_id = $1 and o.marketplace = $2 and o.account_id = $3
              and o.id between wanted.id and wanted.id and o.is_buyer_forgotten)
       or exists (select from forgotten_ahead ahead
            where ahead.organization_id = $1 and ahead.marketplace = $2 and ahead.account_id = $3
              and ahead.order_id between wanted.id and wanted.id)`,
);

/** Those of these orders, stored or not, whose buyers were forgotten. */
export async function forgottenAmong(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await scope.prepared(AMONG, [marketplace, accountId, ids]);
  return new Set(rows.map(({ id }) => id));
}
