import type { Marketplace } from '../../connectors/contract.ts';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import type { AccountOfOrders } from './order.ts';

/** Documents of an account, compressed together and sealed. */
export interface Content {
  /** The orders of the documents, in the same places. */
  readonly order_ids: readonly string[];
  /** The stamps of the documents' changes; null = not linked yet: all have the bundle's. */
  readonly stamps: readonly Instant[] | null;
  readonly documents: Buffer;
}

export interface Bundle extends Content {
  /** The stamp of its first document. */
  readonly recorded_at: Instant;
  /** Since when it holds a document that a newer one replaced; null = it holds none. */
  readonly replaced_at: Instant | null;
  /** Not compressed: moved from an order's row. */
  readonly is_plain: boolean;
  /** False = stored by a former version. */
  readonly is_sealed: boolean;
}

export interface Place {
  readonly organization_id: string;
  readonly marketplace: Marketplace;
  readonly account_id: string;
}

export interface PlacedBundle extends Bundle, Place {}

/** The state of a document. */
export interface Fate {
  /** False where its order does not refer to it any more. */
  readonly is_known: boolean;
  /** The stamp of the order's next document. */
  readonly replaced_at: Instant | null;
}

type Row<Of extends Bundle> = Omit<Of, 'stamps'> & { readonly stamps: readonly string[] | null };

const COLUMNS =
  'recorded_at, order_ids, stamps::text[] as stamps, documents, is_plain, is_sealed, replaced_at';
const OF_ACCOUNT = 'organization_id = $1 and marketplace = $2 and account_id = $3';

/**
 * Stamps of an account's changes only grow, so a document is in the last bundle that begins no
 * later than its own stamp. Each order and each bundle is read by its key, as in `versions`:
 * planned as one set, PostgreSQL before 17 reads all bundles of the account.
 */
const selectWith = (stamps: string, lastWords: '' | 'for update') =>
  `select bundle.* from (
      select (select recorded_at from order_documents where ${OF_ACCOUNT} and recorded_at <= document.stamp
               order by recorded_at desc limit 1)
        from unnest($4::text[]) as wanted (id)
       cross join lateral (
         select o.documented_at from orders o
          where o.organization_id = $1 and o.marketplace = $2 and o.account_id = $3
            and o.id between wanted.id and wanted.id
          order by o.id limit 1) as found
       cross join lateral unnest(${stamps}) as document (stamp)
      union
      select recorded_at from order_documents where ${OF_ACCOUNT} and stamps is null and order_ids && $4::text[]
      order by 1) as listed (at)
    cross join lateral (
      select ${COLUMNS} from order_documents
       where ${OF_ACCOUNT} and order_ids && $4::text[] and recorded_at between listed.at and listed.at
       order by recorded_at limit 1 ${lastWords}) as bundle`;

const ALL = 'found.documented_at';
const LAST = 'found.documented_at[cardinality(found.documented_at):]';
const WITH = statement<Row<Bundle>>('orders.bundles-with', selectWith(ALL, ''));
const LOCK_WITH = statement<Row<Bundle>>('orders.lock-bundles-with', selectWith(ALL, 'for update'));
const WITH_LAST = statement<Row<Bundle>>('orders.bundles-with-last', selectWith(LAST, ''));

const ADD = statement<object>(
  'orders.add-bundle',
  `insert into order_documents
     (organization_id, marketplace, account_id, recorded_at, order_ids, stamps, documents, is_loose, is_sealed)
   values ($1, $2, $3, $4::timestamptz, $5::text[], $6::timestamptz[], $7::bytea, $8::boolean, true)`,
);

const REPLACE = statement<object>(
  'orders.replace-bundle',
  `update order_documents set order_ids = $5::text[], stamps = $6::timestamptz[], documents = $7::bytea,
          is_plain = false, is_sealed = true
    where ${OF_ACCOUNT} and recorded_at = $4::timestamptz`,
);

const REMOVE = statement<object>(
  'orders.remove-bundles',
  `delete from order_documents where ${OF_ACCOUNT} and recorded_at = any($4::timestamptz[])`,
);

const REMOVE_SOME = statement<object>(
  'orders.remove-some-bundles',
  `delete from order_documents where ${OF_ACCOUNT} and recorded_at = any(array(
     select recorded_at from order_documents where ${OF_ACCOUNT} order by recorded_at limit $4::int))
   returning 1`,
);

const MARK_REPLACED = statement<object>(
  'orders.mark-replaced-documents',
  `update order_documents set replaced_at = $5::timestamptz
    where ${OF_ACCOUNT} and coalesce(replaced_at, 'infinity') > $5::timestamptz and recorded_at = any(array(
      select (select recorded_at from order_documents where ${OF_ACCOUNT} and recorded_at <= replaced.stamp
               order by recorded_at desc limit 1)
        from unnest($4::timestamptz[]) as replaced (stamp)))`,
);

const NOTE_REPLACED = statement<object>(
  'orders.note-replaced-documents',
  `update order_documents set replaced_at = $5::timestamptz
    where ${OF_ACCOUNT} and recorded_at = $4::timestamptz and replaced_at is distinct from $5::timestamptz`,
);

const LOCK_REPLACED = statement<Row<PlacedBundle>>(
  'orders.lock-replaced-documents',
  `select organization_id, marketplace, account_id, ${COLUMNS} from order_documents
    where replaced_at < $1::timestamptz and stamps is not null order by replaced_at limit $2::int for update skip locked`,
);

const FATES = statement<Fate>(
  'orders.fates-of-documents',
  `select coalesce(document.stamp = any(found.documented_at), false) as is_known,
          (select min(later.stamp) from unnest(found.documented_at) as later (stamp)
            where later.stamp > document.stamp) as replaced_at
     from unnest($4::text[], $5::timestamptz[]) with ordinality as document (id, stamp, place)
     left join lateral (
       select o.documented_at from orders o
        where o.organization_id = $1 and o.marketplace = $2 and o.account_id = $3
          and o.id between document.id and document.id
        order by o.id limit 1) as found on true
    order by document.place`,
);

/** Accounts with enough loose bundles to be packed. */
const LOOSE_ACCOUNTS = statement<Place>(
  'orders.accounts-with-loose-documents',
  `select organization_id, marketplace, account_id from order_documents where is_loose
    group by organization_id, marketplace, account_id having count(*) >= $1::int limit $2::int`,
);

/** An account's bundles from the first loose one on. */
const FROM_LOOSE = statement<{ recorded_at: Instant; is_loose: boolean }>(
  'orders.from-loose-documents',
  `select recorded_at, is_loose from order_documents
    where ${OF_ACCOUNT} and recorded_at >= (
      select recorded_at from order_documents where ${OF_ACCOUNT} and is_loose order by recorded_at limit 1)
    order by recorded_at limit $4::int`,
);

const LOCK = statement<Row<Bundle>>(
  'orders.lock-bundles',
  `select ${COLUMNS} from order_documents where ${OF_ACCOUNT} and recorded_at = any($4::timestamptz[])
    order by recorded_at for update`,
);

const SETTLE = statement<object>(
  'orders.settle-bundles',
  `update order_documents set is_loose = false where ${OF_ACCOUNT} and recorded_at = any($4::timestamptz[])`,
);

const UNLINKED = statement<Place & { recorded_at: Instant }>(
  'orders.unlinked-documents',
  `select organization_id, marketplace, account_id, recorded_at from order_documents where stamps is null
    order by organization_id, marketplace, account_id, recorded_at limit $1::int`,
);

const UNSEALED_ORGANIZATIONS = statement<{ organization_id: string }>(
  'orders.organizations-with-unsealed-documents',
  'select distinct organization_id from order_documents where not is_sealed',
);

const LOCK_UNSEALED = statement<Row<PlacedBundle>>(
  'orders.lock-unsealed-documents',
  `select organization_id, marketplace, account_id, ${COLUMNS} from order_documents
    where organization_id = $1 and not is_sealed
    order by organization_id, marketplace, account_id, recorded_at limit $2::int for update skip locked`,
);

const SEAL = statement<object>(
  'orders.seal-documents',
  `update order_documents set documents = $5::bytea, is_sealed = true
    where ${OF_ACCOUNT} and recorded_at = $4::timestamptz`,
);

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

/**
 * The bundles that hold a document of any of these orders; `lock`: no other transaction rewrites
 * them until this one ends.
 */
export async function bundlesWith(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  orderIds: readonly string[],
  { lock }: { lock: boolean },
): Promise<Bundle[]> {
  return (await scope.prepared(lock ? LOCK_WITH : WITH, [marketplace, accountId, orderIds])).map(
    read,
  );
}

/** The bundles that hold the last document of any of these orders. */
export async function bundlesWithLast(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  orderIds: readonly string[],
): Promise<Bundle[]> {
  return (await scope.prepared(WITH_LAST, [marketplace, accountId, orderIds])).map(read);
}

export async function add(
  scope: WriteScope,
  account: AccountOfOrders,
  recordedAt: Instant,
  content: Content,
  { isLoose }: { isLoose: boolean },
): Promise<void> {
  await scope.prepared(ADD, [...valuesOf(account, recordedAt, content), isLoose]);
}

export async function replace(
  scope: WriteScope,
  account: AccountOfOrders,
  recordedAt: Instant,
  content: Content,
): Promise<void> {
  await scope.prepared(REPLACE, valuesOf(account, recordedAt, content));
}

export async function remove(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  stamps: readonly Instant[],
): Promise<void> {
  await scope.prepared(REMOVE, [marketplace, accountId, stamps.map(formatMicros)]);
}

/** @returns how many were removed, `limit` at most */
export async function removeSome(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  limit: number,
): Promise<number> {
  return (await scope.prepared(REMOVE_SOME, [marketplace, accountId, limit])).length;
}

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

/** Bundles of any account with a document that was replaced before that time. */
export async function lockReplacedBefore(
  handle: WriteHandle,
  before: Instant,
  limit: number,
): Promise<PlacedBundle[]> {
  return (await handle.raw(LOCK_REPLACED, [formatMicros(before), limit])).map(read);
}

/** The state of each document of a bundle, in their order. */
export function fatesOf(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  { order_ids, stamps, recorded_at }: Bundle,
): Promise<Fate[]> {
  const each = stamps ?? order_ids.map(() => recorded_at);
  return scope.prepared(FATES, [marketplace, accountId, order_ids, each.map(formatMicros)]);
}

/** Accounts with at least so many loose bundles. */
export function accountsWithLoose(handle: Handle, least: number, limit: number): Promise<Place[]> {
  return handle.raw(LOOSE_ACCOUNTS, [least, limit]);
}

/** An account's bundles from the first loose one on, in their order. */
export function fromFirstLoose(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  limit: number,
): Promise<{ recorded_at: Instant; is_loose: boolean }[]> {
  return scope.prepared(FROM_LOOSE, [marketplace, accountId, limit]);
}

export async function lockBundles(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  stamps: readonly Instant[],
): Promise<Bundle[]> {
  return (await scope.prepared(LOCK, [marketplace, accountId, stamps.map(formatMicros)])).map(read);
}

/** Marks them as loose no longer. */
export async function settle(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  stamps: readonly Instant[],
): Promise<void> {
  await scope.prepared(SETTLE, [marketplace, accountId, stamps.map(formatMicros)]);
}

export function unlinked(
  handle: WriteHandle,
  limit: number,
): Promise<(Place & { recorded_at: Instant })[]> {
  return handle.raw(UNLINKED, [limit]);
}

export async function link(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  recordedAt: Instant,
): Promise<void> {
  await scope.prepared(LINK, [marketplace, accountId, formatMicros(recordedAt)]);
}

/** Organisations with documents that a former version stored. */
export async function unsealedOrganizations(handle: Handle): Promise<string[]> {
  return (await handle.raw(UNSEALED_ORGANIZATIONS, [])).map(
    ({ organization_id }) => organization_id,
  );
}

export async function lockUnsealed(scope: WriteScope, limit: number): Promise<PlacedBundle[]> {
  return (await scope.prepared(LOCK_UNSEALED, [limit])).map(read);
}

/** Replaces a locked bundle's documents with these. */
export async function seal(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  recordedAt: Instant,
  documents: Buffer,
): Promise<void> {
  await scope.prepared(SEAL, [marketplace, accountId, formatMicros(recordedAt), documents]);
}

function read<Of extends Bundle>(row: Row<Of>): Of {
  const stamps = row.stamps?.map((stamp) => Temporal.Instant.from(stamp)) ?? null;
  return { ...row, stamps } as Row<Of> & Pick<Bundle, 'stamps'> as Of;
}

function valuesOf(
  { marketplace, accountId }: AccountOfOrders,
  recordedAt: Instant,
  { order_ids, stamps, documents }: Content,
): unknown[] {
  return [
    marketplace,
    accountId,
    formatMicros(recordedAt),
    order_ids,
    stamps?.map(formatMicros) ?? null,
    documents,
  ];
}
