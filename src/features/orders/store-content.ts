import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { KEYS } from './store-keys.ts';

/** Of one order; the oldest are removed first. */
export const MOST_DOCUMENTS = 100;

const ORDERS = bulk(
  'orders',
  [
    'marketplace',
    'account_id',
    'id',
    'connection_id',
    'status',
    'marketplace_status',
    'total',
    'currency',
    'date_created',
    'newest_first',
    'last_updated',
    'changed_at',
    'fetched_at',
    'fingerprint',
    'list_json',
    'detail_json',
    'annotation',
    'representation',
    // The stamp of the change in which its source reported it; null = unchanged.
    'told_at',
  ],
  // The stamp of this change, if it has a document.
  { documented_at: 'timestamptz' },
);

export type OrderRow = GivenBy<typeof ORDERS>;

/** Columns that are not stored as given. */
const INSERTED: Readonly<Record<string, string>> = {
  documented_at: 'array_remove(array[documented_at], null)',
};
const UPDATED: Readonly<Record<string, string>> = {
  // Citus 13.2.2 loses the session where the outermost operation of a `set` is a subscript.
  documented_at: `coalesce((orders.documented_at || excluded.documented_at)[
    greatest(cardinality(orders.documented_at) + cardinality(excluded.documented_at)
      - ${MOST_DOCUMENTS - 1}, 1):], '{}')`,
  told_at: 'coalesce(excluded.told_at, orders.told_at)',
};

const UPSERT = ORDERS.statement(
  'orders.upsert',
  (given) => `insert into orders (organization_id, ${ORDERS.names})
   select $1, ${ORDERS.columns.map((column) => INSERTED[column] ?? column).join(', ')} from ${given}
   on conflict (organization_id, marketplace, account_id, id) do update
     set ${ORDERS.columns
       .filter((column) => !KEYS.columns.includes(column))
       .map((column) => `${column} = ${UPDATED[column] ?? `excluded.${column}`}`)
       .join(', ')}`,
);

export async function upsertOrders(scope: WriteScope, rows: readonly OrderRow[]): Promise<void> {
  await scope.prepared(UPSERT, UPSERT.values([], rows));
}
