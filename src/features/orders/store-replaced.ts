import { bulk } from '../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import type { AccountOfOrders } from './order.ts';
import {
  type Bundle,
  type BundleAccount,
  type BundleOfAccount,
  COLUMNS,
  OF_ACCOUNT,
  type Row,
  read,
} from './store-documents.ts';

const MARK_REPLACED = statement<object>(
  'orders.mark-replaced-documents',
  `update order_documents set replaced_at = $5::timestamptz
    where ${OF_ACCOUNT} and coalesce(replaced_at, 'infinity') > $5::timestamptz and recorded_at = any(array(
      select (select recorded_at from order_documents where ${OF_ACCOUNT} and recorded_at <= replaced.stamp
               order by recorded_at desc limit 1)
        from unnest($4::timestamptz[]) as replaced (stamp)))`,
);

/** Marks at the bundles of documents with these stamps that a newer one replaced them. */
export async function markReplaced(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  stamps: readonly Instant[],
  at: Instant,
): Promise<void> {
  if (stamps.length === 0) return;
  await scope.prepared(MARK_REPLACED, [
    marketplace,
    accountId,
    stamps.map(formatMicros),
    formatMicros(at),
  ]);
}

const NOTE_REPLACED = statement<object>(
  'orders.note-replaced-documents',
  `update order_documents set replaced_at = $5::timestamptz
    where ${OF_ACCOUNT} and recorded_at = $4::timestamptz and replaced_at is distinct from $5::timestamptz`,
);

/** Since when a bundle holds a document that was replaced; null = it holds none. */
export async function noteReplaced(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  recordedAt: Instant,
  at: Instant | null,
): Promise<void> {
  await scope.prepared(NOTE_REPLACED, [
    marketplace,
    accountId,
    formatMicros(recordedAt),
    at && formatMicros(at),
  ]);
}

const lockReplaced = (whose: string, [before, limit]: readonly [string, string]) =>
  `select organization_id, marketplace, account_id, ${COLUMNS} from order_documents
    where ${whose} replaced_at < ${before}::timestamptz and stamps is not null
    order by replaced_at limit ${limit}::int for update skip locked`;
const LOCK_REPLACED = statement<Row<BundleOfAccount>>(
  'orders.lock-replaced-documents',
  lockReplaced('', ['$1', '$2']),
);
const LOCK_REPLACED_OF = statement<Row<BundleOfAccount>>(
  'orders.lock-replaced-documents-of-one',
  lockReplaced('organization_id = $1 and', ['$2', '$3']),
);
const WITH_REPLACED = search<{ organization_id: string }>(
  'orders.organizations-with-replaced-documents',
  () => `select distinct organization_id from order_documents
    where replaced_at < $1::timestamptz and stamps is not null`,
);

/** Bundles of any account with a document that was replaced before that time. */
export async function lockReplacedBefore(
  handle: WriteHandle,
  before: Instant,
  limit: number,
): Promise<BundleOfAccount[]> {
  return (await handle.raw(LOCK_REPLACED, [formatMicros(before), limit])).map(read);
}

/** The same of one organisation. */
export async function lockReplacedOf(
  scope: WriteScope,
  before: Instant,
  limit: number,
): Promise<BundleOfAccount[]> {
  return (await scope.prepared(LOCK_REPLACED_OF, [formatMicros(before), limit])).map(read);
}

/** Organisations with a document that was replaced before that time. */
export async function organizationsWithReplaced(
  handle: Handle,
  before: Instant,
): Promise<string[]> {
  const rows = await handle.search(WITH_REPLACED, [formatMicros(before)]);
  return rows.map((row) => row.organization_id);
}

/** The state of a document. */
export interface Fate {
  /** False where its order does not refer to it any more. */
  readonly is_known: boolean;
  /** The stamp of the order's next document. */
  readonly replaced_at: Instant | null;
}

const DOCUMENTS = bulk('orders', ['id'], { stamp: 'timestamptz', place: 'int4' });

const FATES = DOCUMENTS.statement<Fate>(
  'orders.fates-of-documents',
  (given) => `select coalesce(given.stamp = any(found.documented_at), false) as is_known,
          (select min(later.stamp) from unnest(found.documented_at) as later (stamp)
            where later.stamp > given.stamp) as replaced_at
     from ${given}
     left join lateral (
       select o.documented_at from orders o
        where o.organization_id = $1 and o.marketplace = $2 and o.account_id = $3
          and o.id between given.id and given.id
        order by o.id limit 1) as found on true
    order by given.place`,
);

/** The state of each document of a bundle, in their order. */
export function fatesOf(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  { order_ids, stamps, recorded_at }: Bundle,
): Promise<Fate[]> {
  const documents = order_ids.map((id, index) => ({
    id,
    stamp: formatMicros(stamps?.[index] ?? recorded_at),
    place: index,
  }));
  return scope.prepared(FATES, FATES.values([marketplace, accountId], documents));
}

const UNLINKED = statement<BundleAccount & { recorded_at: Instant }>(
  'orders.unlinked-documents',
  `select organization_id, marketplace, account_id, recorded_at from order_documents where stamps is null
    order by organization_id, marketplace, account_id, recorded_at limit $1::int`,
);

export function unlinked(
  handle: WriteHandle,
  limit: number,
): Promise<(BundleAccount & { recorded_at: Instant })[]> {
  return handle.raw(UNLINKED, [limit]);
}

/** Their replaced documents are found when the bundle is thinned. */
const LINK = statement<object>(
  'orders.link-documents',
  `with bundle as (
     update order_documents set stamps = array_fill(recorded_at, array[cardinality(order_ids)]), replaced_at = recorded_at,
            is_loose = octet_length(documents) < 8000
      where ${OF_ACCOUNT} and recorded_at = $4::timestamptz and stamps is null
     returning order_ids, recorded_at)
   update orders o
      set documented_at = (
            select array_agg(distinct stamp order by stamp) from unnest(o.documented_at || bundle.recorded_at) as stamp)
     from bundle cross join lateral unnest(bundle.order_ids) as document (id)
    where o.organization_id = $1 and o.marketplace = $2 and o.account_id = $3 and o.id = document.id`,
);

export async function link(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  recordedAt: Instant,
): Promise<void> {
  await scope.prepared(LINK, [marketplace, accountId, formatMicros(recordedAt)]);
}
