import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { HistoryEntry } from './public/render.ts';
import type { KeyRow } from './store-keys.ts';

const ADDED = bulk('order_history', [
  'marketplace',
  'account_id',
  'order_id',
  'recorded_at',
  'at',
  'status',
  'marketplace_status',
  'previous_status',
]);

export type HistoryRow = GivenBy<typeof ADDED>;

const ADD_HISTORY = ADDED.statement(
  'orders.add-history',
  (given) => `insert into order_history (organization_id, ${ADDED.names})
   select $1, * from ${given}`,
);

export async function addHistory(scope: WriteScope, rows: readonly HistoryRow[]): Promise<void> {
  if (rows.length > 0) await scope.prepared(ADD_HISTORY, ADD_HISTORY.values([], rows));
}

const HISTORY = statement<Pick<Rows['order_history'], 'status' | 'marketplace_status' | 'at'>>(
  'orders.history',
  `select status, marketplace_status, at from order_history
    where organization_id = $1 and marketplace = $2 and account_id = $3 and order_id = $4
    order by recorded_at`,
);

export function history(
  scope: ReadScope,
  order: Pick<KeyRow, 'marketplace' | 'account_id'>,
  id: string,
): Promise<HistoryEntry[]> {
  return scope.prepared(HISTORY, [order.marketplace, order.account_id, id]);
}
