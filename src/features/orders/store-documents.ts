import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
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

export interface BundleAccount {
  readonly organization_id: string;
  readonly marketplace: Marketplace;
  readonly account_id: string;
}

export interface BundleOfAccount extends Bundle, BundleAccount {}

export type Row<Of extends Bundle> = Omit<Of, 'stamps'> & {
  readonly stamps: readonly string[] | null;
};

/** What is read of a bundle. */
export const COLUMNS =
  'recorded_at, order_ids, stamps::text[] as stamps, documents, is_plain, is_sealed, replaced_at';
/** `$1` to `$3`: those of one account. */
export const OF_ACCOUNT = 'organization_id = $1 and marketplace = $2 and account_id = $3';

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

const LOCK = statement<Row<Bundle>>(
  'orders.lock-bundles',
  `select ${COLUMNS} from order_documents where ${OF_ACCOUNT} and recorded_at = any($4::timestamptz[])
    order by recorded_at for update`,
);

export async function lockBundles(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  stamps: readonly Instant[],
): Promise<Bundle[]> {
  return (await scope.prepared(LOCK, [marketplace, accountId, stamps.map(formatMicros)])).map(read);
}

const ADD = statement<object>(
  'orders.add-bundle',
  `insert into order_documents
     (organization_id, marketplace, account_id, recorded_at, order_ids, stamps, documents, is_loose, is_sealed)
   values ($1, $2, $3, $4::timestamptz, $5::text[], $6::timestamptz[], $7::bytea, $8::boolean, true)`,
);

export async function add(
  scope: WriteScope,
  account: AccountOfOrders,
  recordedAt: Instant,
  content: Content,
  { isLoose }: { isLoose: boolean },
): Promise<void> {
  await scope.prepared(ADD, [...valuesOf(account, recordedAt, content), isLoose]);
}

const REPLACE = statement<object>(
  'orders.replace-bundle',
  `update order_documents set order_ids = $5::text[], stamps = $6::timestamptz[], documents = $7::bytea,
          is_plain = false, is_sealed = true
    where ${OF_ACCOUNT} and recorded_at = $4::timestamptz`,
);

export async function replace(
  scope: WriteScope,
  account: AccountOfOrders,
  recordedAt: Instant,
  content: Content,
): Promise<void> {
  await scope.prepared(REPLACE, valuesOf(account, recordedAt, content));
}

const REMOVE = statement<object>(
  'orders.remove-bundles',
  `delete from order_documents where ${OF_ACCOUNT} and recorded_at = any($4::timestamptz[])`,
);

export async function remove(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  stamps: readonly Instant[],
): Promise<void> {
  await scope.prepared(REMOVE, [marketplace, accountId, stamps.map(formatMicros)]);
}

const REMOVE_SOME = statement<object>(
  'orders.remove-some-bundles',
  `delete from order_documents where ${OF_ACCOUNT} and recorded_at = any(array(
     select recorded_at from order_documents where ${OF_ACCOUNT} order by recorded_at limit $4::int))
   returning 1`,
);

/** @returns how many were removed, `limit` at most */
export async function removeSome(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  limit: number,
): Promise<number> {
  return (await scope.prepared(REMOVE_SOME, [marketplace, accountId, limit])).length;
}

export function read<Of extends Bundle>(row: Row<Of>): Of {
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
