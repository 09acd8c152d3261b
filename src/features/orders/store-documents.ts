import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import type { AccountOfOrders } from './store.ts';

/** Documents of an account that were kept together. */
export interface Entry {
  /** The stamp of the last change in it. */
  readonly recorded_at: Instant;
  /** Whose document is at the same place. */
  readonly order_ids: readonly string[];
  readonly documents: Buffer;
  /** Not made small: moved from an order's row. */
  readonly is_plain: boolean;
}

const ADD = statement<object>(
  'orders.add-documents',
  `insert into order_documents (organization_id, marketplace, account_id, recorded_at, order_ids, documents, is_plain)
   values ($1, $2, $3, $4::timestamptz, $5::text[], $6::bytea, $7::boolean)`,
);

const selectWith = (lastWords: '' | 'for update') =>
  `select recorded_at, order_ids, documents, is_plain from order_documents
    where organization_id = $1 and marketplace = $2 and account_id = $3 and order_ids && $4::text[]
    order by recorded_at ${lastWords}`;

const WITH = statement<Entry>('orders.documents-with', selectWith(''));
const LOCK_WITH = statement<Entry>('orders.lock-documents-with', selectWith('for update'));

const REPLACE = statement<object>(
  'orders.replace-documents',
  `update order_documents set order_ids = $5::text[], documents = $6::bytea, is_plain = $7::boolean
    where organization_id = $1 and marketplace = $2 and account_id = $3 and recorded_at = $4::timestamptz`,
);

const REMOVE = statement<object>(
  'orders.remove-documents',
  `delete from order_documents
    where organization_id = $1 and marketplace = $2 and account_id = $3 and recorded_at = any($4::timestamptz[])`,
);

const REMOVE_ALL = statement<object>(
  'orders.remove-all-documents',
  'delete from order_documents where organization_id = $1 and marketplace = $2 and account_id = $3',
);

export async function add(scope: WriteScope, account: AccountOfOrders, entry: Entry): Promise<void> {
  await scope.prepared(ADD, valuesOf(account, entry));
}

/** Those that hold a document of any of these orders, the oldest first; `lock`: nobody else rewrites them meanwhile. */
export function entriesWith(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  orderIds: readonly string[],
  { lock }: { lock: boolean },
): Promise<Entry[]> {
  return scope.prepared(lock ? LOCK_WITH : WITH, [marketplace, accountId, orderIds]);
}

export async function replace(scope: WriteScope, account: AccountOfOrders, entry: Entry): Promise<void> {
  await scope.prepared(REPLACE, valuesOf(account, entry));
}

export async function remove(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  entries: readonly Entry[],
): Promise<void> {
  if (entries.length === 0) return;
  const stamps = entries.map(({ recorded_at }) => formatMicros(recorded_at));
  await scope.prepared(REMOVE, [marketplace, accountId, stamps]);
}

export async function removeAll(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
): Promise<void> {
  await scope.prepared(REMOVE_ALL, [marketplace, accountId]);
}

function valuesOf(
  { marketplace, accountId }: AccountOfOrders,
  { recorded_at, order_ids, documents, is_plain }: Entry,
): unknown[] {
  return [marketplace, accountId, formatMicros(recorded_at), order_ids, documents, is_plain];
}
