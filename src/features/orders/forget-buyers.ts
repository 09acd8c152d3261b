import type { WriteScope } from '../../platform/db/database.ts';
import { showsBuyer } from './buyer.ts';
import { buyerForgotten } from './candidate.ts';
import { lockOrders } from './lock-orders.ts';
import { type AccountOfOrders, type OrderListener, orderKey } from './order.ts';
import { readDetail } from './public/render.ts';
import { markForgotten } from './store-forgotten.ts';
import { markForgottenAhead } from './store-forgotten-ahead.ts';
import type { StoredVersion } from './store-versions.ts';
import { writeOrders } from './write-orders.ts';

/**
 * Deletes the buyers of these orders of an account; the orders stay. `forGood`: no name and no
 * document is stored again, also of orders that are stored later. `last_updated` moves where something
 * of a buyer was shown.
 * @returns how many orders look different now
 */
export async function forgetBuyers(
  scope: WriteScope,
  account: AccountOfOrders,
  ids: readonly string[],
  { forGood, listeners }: { forGood: boolean; listeners: readonly OrderListener[] },
): Promise<number> {
  if (ids.length === 0) return 0;
  const orders = ids.map((id) => ({ ...account, id }));
  const { first, stored } = await lockOrders(scope, orders);
  if (forGood) await markForGood(scope, account, ids, stored);
  const changes = [...stored.values()]
    .filter(({ detail_json }) => detail_json !== null && showsBuyer(readDetail(detail_json)))
    .map((row) => ({ stored: row, candidate: buyerForgotten(row) }));
  return (await writeOrders(scope, first, changes, listeners)).length;
}

async function markForGood(
  scope: WriteScope,
  account: AccountOfOrders,
  ids: readonly string[],
  stored: ReadonlyMap<string, StoredVersion>,
): Promise<void> {
  const isStored = (id: string) => stored.has(orderKey({ ...account, id }));
  await markForgotten(scope, account, ids.filter(isStored));
  await markForgottenAhead(
    scope,
    account,
    ids.filter((id) => !isStored(id)),
  );
}
