import type { Marketplace, StreamName } from '../../connectors/contract.ts';
import type { AsideRow, SealedConnection } from '../../features/connections/index.ts';
import { ordersOfForgotten } from '../../features/orders/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';

/** Their rows are named by orders: an order, or what its buyer gave for its invoice. */
const OF_BUYERS: readonly StreamName[] = ['orders', 'invoices'];

/** Rows to be set aside, without the documents of orders whose buyers were forgotten. */
export async function withoutForgotten(
  scope: WriteScope,
  { service, accountId }: SealedConnection,
  stream: StreamName,
  rows: readonly AsideRow[],
): Promise<readonly AsideRow[]> {
  const ids = OF_BUYERS.includes(stream) ? rows.flatMap(({ externalId }) => externalId ?? []) : [];
  if (ids.length === 0) return rows;
  const account = { marketplace: service as Marketplace, accountId };
  const forgotten = await ordersOfForgotten(scope, account, ids);
  return rows.map((row) =>
    row.externalId && forgotten.has(row.externalId) ? { ...row, raw: '' } : row,
  );
}
