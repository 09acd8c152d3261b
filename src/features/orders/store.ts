import type { Marketplace, OrderStatus } from '../../connectors/contract.ts';
import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import type { OrderIdentity } from './order.ts';
import type { HistoryEntry } from './public/render.ts';

/** What recording needs to know of a stored order. */
export interface StoredVersion {
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
  readonly status: OrderStatus;
  readonly fingerprint: string;
  readonly changed_at: Instant | null;
  readonly fetched_at: Instant;
  readonly is_buyer_forgotten: boolean;
  readonly annotation: string | null;
  /** The stamp of the last change that came with a document. */
  readonly documented_at: Instant | null;
  /** The stamp of the document that is no longer known when there is one more. */
  readonly surplus_at: Instant | null;
  /** Null where it was not asked for. */
  readonly detail_json: string | null;
}

/** A stored order that an older representation rendered. */
export interface StaleVersion extends StoredVersion {
  readonly connection_id: string | null;
  readonly list_json: string;
  readonly detail_json: string;
  readonly last_updated: Instant;
  /** The stamp of the last change that its source told. */
  readonly told_at: Instant;
}

/** Of one order; the oldest go first. */
const MOST_DOCUMENTS = 100;

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
  ],
  // The stamp of this change, if it comes with a document, and of the last one that its source told.
  { documented_at: 'timestamptz', told_at: 'timestamptz' },
);

export type OrderRow = GivenBy<typeof ORDERS>;

/** What is not stored as it is given. */
const INSERTED: Readonly<Record<string, string>> = {
  documented_at: 'array_remove(array[documented_at], null)',
};
const UPDATED: Readonly<Record<string, string>> = {
  documented_at: `(orders.documented_at || excluded.documented_at)[
    greatest(cardinality(orders.documented_at) + cardinality(excluded.documented_at) - ${MOST_DOCUMENTS - 1}, 1):]`,
  told_at: 'coalesce(excluded.told_at, orders.told_at)',
};

const PASSED = bulk('order_history', [
  'marketplace',
  'account_id',
  'order_id',
  'recorded_at',
  'at',
  'status',
  'marketplace_status',
  'previous_status',
]);

export type HistoryRow = GivenBy<typeof PASSED>;

/**
 * Each order by its key, whatever the planner believes: without statistics, as in a new house, it
 * holds every index that begins with the organisation for as good, and would read all of an account
 * for each order. Only two indexes hold ids in their order, so that the others would have to be
 * sorted.
 */
const selectVersions = (lastWords: '' | 'for update', more = '') =>
  `select found.* from unnest($2::text[], $3::text[], $4::text[]) as wanted (marketplace, account_id, id)
    cross join lateral (
      select o.marketplace, o.account_id, o.id, o.status, o.fingerprint, o.changed_at, o.fetched_at, o.is_buyer_forgotten,
             o.annotation, o.documented_at[cardinality(o.documented_at)] as documented_at,
             o.documented_at[cardinality(o.documented_at) - ${MOST_DOCUMENTS - 1}] as surplus_at,
             case when $5::boolean then o.detail_json end as detail_json${more}
        from orders o
       where o.organization_id = $1 and o.marketplace = wanted.marketplace
         and o.account_id = wanted.account_id and o.id between wanted.id and wanted.id
       order by o.id limit 1 ${lastWords}
    ) as found`;

const VERSIONS = statement<StoredVersion>('orders.versions', selectVersions(''));
const LOCK_VERSIONS = statement<StoredVersion>(
  'orders.lock-versions',
  selectVersions('for update'),
);

/** Orders from before `told_at` have the stamp of their last change of status instead. */
const LOCK_STALE = statement<StaleVersion>(
  'orders.lock-stale',
  selectVersions(
    'for update',
    `, o.connection_id, o.list_json, o.last_updated, coalesce(o.told_at, (
                 select max(h.recorded_at) from order_history h
                  where h.organization_id = o.organization_id and h.marketplace = o.marketplace
                    and h.account_id = o.account_id and h.order_id = o.id)) as told_at`,
  ),
);

/**
 * Takes the organisation's clock until the end of the transaction, and moves it by `$3`
 * microseconds.
 */
const TAKE_CLOCK = statement<{ stamp: Instant }>(
  'orders.take-clock',
  `insert into delta_clocks as clock (organization_id, stamp)
   values ($1, $2::timestamptz + ($3::int - 1) * interval '1 microsecond')
   on conflict (organization_id) do update
     set stamp = greatest(
       (clock.stamp at time zone 'UTC' + $3::int * interval '1 microsecond') at time zone 'UTC',
       excluded.stamp)
   returning stamp`,
);

const READ_CLOCK = statement<{ stamp: string }>(
  'orders.read-clock',
  'select stamp::text as stamp from delta_clocks where organization_id = $1',
);

const UPSERT = ORDERS.statement(
  'orders.upsert',
  (given) => `insert into orders (organization_id, ${ORDERS.names})
   select $1, ${ORDERS.columns.map((column) => INSERTED[column] ?? column).join(', ')} from ${given}
   on conflict (organization_id, marketplace, account_id, id) do update
     set ${ORDERS.columns
       .filter((column) => !['marketplace', 'account_id', 'id'].includes(column))
       .map((column) => `${column} = ${UPDATED[column] ?? `excluded.${column}`}`)
       .join(', ')}`,
);

const ADD_HISTORY = PASSED.statement(
  'orders.add-history',
  (given) => `insert into order_history (organization_id, ${PASSED.names})
   select $1, * from ${given}`,
);

/** Only where nobody stored another content or a newer version in between. */
const RAISE_VERSIONS = statement<{ marketplace: string; account_id: string; id: string }>(
  'orders.raise-versions',
  `update orders o set changed_at = newer.changed_at, fetched_at = newer.fetched_at
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[])
       as newer (marketplace, account_id, id, fingerprint, changed_at, fetched_at)
    where o.organization_id = $1 and o.marketplace = newer.marketplace and o.account_id = newer.account_id
      and o.id = newer.id and o.fingerprint = newer.fingerprint
      and (o.changed_at is null or newer.changed_at is null or o.changed_at <= newer.changed_at)
   returning o.marketplace, o.account_id, o.id`,
);

const BY_ID = statement<DetailRow>(
  'orders.by-id',
  `select marketplace, account_id, detail_json, last_updated from orders
    where organization_id = $1 and id = $2 and ($3::text is null or marketplace = $3) and ($4::text is null or account_id = $4)
    order by marketplace, account_id limit 20`,
);

const HISTORY = statement<HistoryEntry>(
  'orders.history',
  `select status, marketplace_status, at from order_history
    where organization_id = $1 and marketplace = $2 and account_id = $3 and order_id = $4
    order by recorded_at`,
);

/** Each by its key, in the order in which they are wanted. */
const DETAILS = statement<StoredDetailRow>(
  'orders.details',
  `select found.*, coalesce(passed.history, '[]') as history
     from unnest($2::text[], $3::text[], $4::text[]) with ordinality as wanted (marketplace, account_id, id, place)
    cross join lateral (
      select o.detail_json, o.last_updated from orders o
       where o.organization_id = $1 and o.marketplace = wanted.marketplace
         and o.account_id = wanted.account_id and o.id between wanted.id and wanted.id
       order by o.id limit 1) as found
    cross join lateral (
      select json_agg(json_build_array(h.status, h.marketplace_status, h.at) order by h.recorded_at)::text as history
        from order_history h
       where h.organization_id = $1 and h.marketplace = wanted.marketplace
         and h.account_id = wanted.account_id and h.order_id = wanted.id) as passed
    order by wanted.place`,
);

const OPEN = statement<{ id: string }>(
  'orders.open',
  `select id from orders
    where organization_id = $1 and connection_id = $2 and newest_first <= $3 and id > $4
      and status in ('pending', 'paid', 'ready_to_ship', 'partially_shipped', 'shipped', 'unknown')
    order by id limit $5`,
);

const DELIVERED = statement<{ id: string }>(
  'orders.delivered',
  `select id from orders
    where organization_id = $1 and marketplace = $2 and account_id = $3 and status = 'delivered'
      and newest_first <= $4 and newest_first > $5 and id > $6
    order by id limit $7`,
);

const ANNOTATE = statement<object>(
  'orders.annotate',
  `update orders o set annotation = new.annotation, last_updated = coalesce(new.last_updated, o.last_updated),
          fingerprint = coalesce(new.fingerprint, o.fingerprint), list_json = coalesce(new.list_json, o.list_json),
          detail_json = coalesce(new.detail_json, o.detail_json)
     from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[])
       as new (marketplace, account_id, id, last_updated, fingerprint, list_json, detail_json, annotation)
    where o.organization_id = $1 and o.marketplace = new.marketplace and o.account_id = new.account_id
      and o.id = new.id`,
);

/** The row is there afterwards, so that whoever comes first is waited for, too. */
const ENSURE_CLOCK = statement<object>(
  'orders.ensure-clock',
  `insert into delta_clocks as clock (organization_id, stamp) values ($1, $2::timestamptz)
   on conflict (organization_id) do update set stamp = clock.stamp`,
);

const HOLD_CLOCK = statement<object>(
  'orders.hold-clock',
  'select stamp from delta_clocks where organization_id = $1 for update',
);

export interface StoredOrder {
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
  readonly detail_json: string;
}

const AFTER = statement<StoredOrder>(
  'orders.after',
  `select marketplace, account_id, id, detail_json from orders
    where organization_id = $1 and (marketplace, account_id, id) > ($2::text, $3::text, $4::text)
    order by marketplace, account_id, id limit $5`,
);

const CREATED = statement<StoredOrder>(
  'orders.created',
  `select marketplace, account_id, id, detail_json from orders
    where organization_id = $1 and newest_first <= $2 and newest_first > $3
    order by newest_first, marketplace, account_id, id limit $4`,
);

const IDS_AFTER = statement<{ id: string }>(
  'orders.ids-after',
  `select id from orders where organization_id = $1 and marketplace = $2 and account_id = $3 and id > $4
    order by id limit $5`,
);

const NAMED = statement<{ marketplace: string; account_id: string; id: string }>(
  'orders.named',
  'select marketplace, account_id, id from orders where organization_id = $1 and id = any($2::text[])',
);

const REWRITE = statement<object>(
  'orders.rewrite',
  `update orders o set last_updated = new.last_updated, fingerprint = new.fingerprint,
          list_json = new.list_json, detail_json = new.detail_json
     from unnest($4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[])
       as new (id, last_updated, fingerprint, list_json, detail_json)
    where o.organization_id = $1 and o.marketplace = $2 and o.account_id = $3 and o.id = new.id`,
);

export interface DetailRow {
  readonly marketplace: string;
  readonly account_id: string;
  readonly detail_json: string;
  readonly last_updated: Instant;
}

/**
 * `lock`: nobody else writes these rows until the transaction ends, and what is read is what is
 * committed. `detail`: with what the orders say, which is most of what there is to read.
 */
export function versions(
  scope: ReadScope,
  orders: readonly OrderIdentity[],
  { lock, detail }: { lock: boolean; detail: boolean },
): Promise<StoredVersion[]> {
  return scope.prepared(lock ? LOCK_VERSIONS : VERSIONS, [
    orders.map((order) => order.marketplace),
    orders.map((order) => order.accountId),
    orders.map((order) => order.id),
    detail,
  ]);
}

/** Locked until the transaction ends. */
export function lockStale(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
): Promise<StaleVersion[]> {
  return scope.prepared(LOCK_STALE, [
    orders.map((order) => order.marketplace),
    orders.map((order) => order.accountId),
    orders.map((order) => order.id),
    true,
  ]);
}

export interface AccountOfOrders {
  readonly marketplace: Marketplace;
  readonly accountId: string;
}

/** An account's orders by id. */
export async function idsAfter(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  after: string,
  limit: number,
): Promise<string[]> {
  return (await scope.prepared(IDS_AFTER, [marketplace, accountId, after, limit])).map(
    (row) => row.id,
  );
}

/** Orders with one of these ids, of whichever account. */
export async function ordersNamed(
  scope: ReadScope,
  ids: readonly string[],
): Promise<OrderIdentity[]> {
  return (await scope.prepared(NAMED, [ids])).map(({ marketplace, account_id, id }) => ({
    marketplace: marketplace as Marketplace,
    accountId: account_id,
    id,
  }));
}

export interface RewrittenOrder {
  readonly id: string;
  readonly last_updated: string;
  readonly fingerprint: string;
  readonly list_json: string;
  readonly detail_json: string;
}

/** Replaces what orders say, without a new version from their source. */
export async function rewrite(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  rows: readonly RewrittenOrder[],
): Promise<void> {
  await scope.prepared(REWRITE, [
    marketplace,
    accountId,
    rows.map((row) => row.id),
    rows.map((row) => row.last_updated),
    rows.map((row) => row.fingerprint),
    rows.map((row) => row.list_json),
    rows.map((row) => row.detail_json),
  ]);
}

/**
 * Every process hears of it a moment after the commit.
 * @returns the stamp of the first of `count` changes; each further one is a microsecond later.
 */
export async function takeClock(scope: WriteScope, count: number): Promise<Instant> {
  const [row] = await scope.prepared(TAKE_CLOCK, [scope.clock.now().toString(), count]);
  if (!row) throw new Error('the clock row gave no stamp');
  scope.handle.notifyAfterCommit(scope.organizationId, formatMicros(row.stamp));
  return row.stamp.subtract({ microseconds: count - 1 });
}

/** The organisation's clock; null when no order was ever recorded. */
export async function readClock(scope: ReadScope): Promise<Instant | null> {
  const [row] = await scope.prepared(READ_CLOCK, []);
  return row ? Temporal.Instant.from(row.stamp) : null;
}

export interface AnnotatedOrder {
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
  readonly annotation: string | null;
  /** What it says now; null = the same as before. */
  readonly content: RewrittenOrder | null;
}

/** Replaces what others than the source know of orders, and what the orders say by it. */
export async function annotate(scope: WriteScope, rows: readonly AnnotatedOrder[]): Promise<void> {
  await scope.prepared(ANNOTATE, [
    rows.map((row) => row.marketplace),
    rows.map((row) => row.account_id),
    rows.map((row) => row.id),
    rows.map(({ content }) => content?.last_updated ?? null),
    rows.map(({ content }) => content?.fingerprint ?? null),
    rows.map(({ content }) => content?.list_json ?? null),
    rows.map(({ content }) => content?.detail_json ?? null),
    rows.map((row) => row.annotation),
  ]);
}

/**
 * For those who will change orders, or lean on none being added: the clock is theirs, and has not
 * moved.
 */
export async function ensureClock(scope: WriteScope): Promise<void> {
  await scope.prepared(ENSURE_CLOCK, [scope.clock.now().toString()]);
}

/** Nobody else changes an order of the organisation until the transaction ends. */
export async function holdClock(scope: WriteScope): Promise<void> {
  await scope.prepared(HOLD_CLOCK, []);
}

export function storedAfter(
  scope: ReadScope,
  { marketplace, account_id, id }: Omit<StoredOrder, 'detail_json'>,
  limit: number,
): Promise<StoredOrder[]> {
  return scope.prepared(AFTER, [marketplace, account_id, id, limit]);
}

/** Created at `from` or later, and before `to`; the newest first. */
export function storedOfPeriod(
  scope: ReadScope,
  from: Instant,
  to: Instant,
  limit: number,
): Promise<StoredOrder[]> {
  return scope.prepared(CREATED, [-from.epochMilliseconds, -to.epochMilliseconds, limit]);
}

export async function upsert(scope: WriteScope, rows: readonly OrderRow[]): Promise<void> {
  await scope.prepared(UPSERT, UPSERT.values([], rows));
}

export async function addHistory(scope: WriteScope, rows: readonly HistoryRow[]): Promise<void> {
  if (rows.length > 0) await scope.prepared(ADD_HISTORY, ADD_HISTORY.values([], rows));
}

export interface NewerVersion extends OrderIdentity {
  readonly fingerprint: string;
  readonly changedAt: Instant | null;
  readonly fetchedAt: Instant;
}

/** @returns those whose version was raised; the others were changed by somebody else meanwhile. */
export async function raiseVersions(scope: WriteScope, newer: readonly NewerVersion[]) {
  return scope.prepared(RAISE_VERSIONS, [
    newer.map((order) => order.marketplace),
    newer.map((order) => order.accountId),
    newer.map((order) => order.id),
    newer.map((order) => order.fingerprint),
    newer.map((order) => order.changedAt?.toString() ?? null),
    newer.map((order) => order.fetchedAt.toString()),
  ]);
}

export function byExternalId(
  scope: ReadScope,
  id: string,
  marketplace: string | null,
  accountId: string | null,
): Promise<DetailRow[]> {
  return scope.prepared(BY_ID, [id, marketplace, accountId]);
}

export function history(
  scope: ReadScope,
  order: { marketplace: string; account_id: string },
  id: string,
): Promise<HistoryEntry[]> {
  return scope.prepared(HISTORY, [order.marketplace, order.account_id, id]);
}

interface StoredDetailRow {
  readonly detail_json: string;
  readonly last_updated: Instant;
  /** JSON: status, native status and time of each. */
  readonly history: string;
}

export interface DetailWithHistory extends Omit<StoredDetailRow, 'history'> {
  readonly history: readonly HistoryEntry[];
}

export async function details(
  scope: ReadScope,
  wanted: readonly { marketplace: string; account_id: string; id: string }[],
): Promise<DetailWithHistory[]> {
  const rows = await scope.prepared(DETAILS, [
    wanted.map((order) => order.marketplace),
    wanted.map((order) => order.account_id),
    wanted.map((order) => order.id),
  ]);
  return rows.map((row) => ({
    ...row,
    history: (JSON.parse(row.history) as [string, string, string][]).map(
      ([status, native, at]) => ({
        status,
        marketplace_status: native,
        at: Temporal.Instant.from(at),
      }),
    ),
  }));
}

export async function openAfter(
  scope: ReadScope,
  connectionId: string,
  createdSince: Instant,
  after: string,
  limit: number,
): Promise<string[]> {
  const values = [connectionId, -createdSince.epochMilliseconds, after, limit];
  return (await scope.prepared(OPEN, values)).map((row) => row.id);
}

export async function deliveredAfter(
  scope: ReadScope,
  { marketplace, accountId }: { readonly marketplace: string; readonly accountId: string },
  { from, to }: { readonly from: Instant; readonly to: Instant },
  after: string,
  limit: number,
): Promise<string[]> {
  const span = [-from.epochMilliseconds, -to.epochMilliseconds];
  const rows = await scope.prepared(DELIVERED, [marketplace, accountId, ...span, after, limit]);
  return rows.map((row) => row.id);
}
