import type { OrderStatus } from '../../connectors/contract.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { Instant } from '../../platform/time.ts';
import type { OrderIdentity } from './order.ts';
import { MOST_DOCUMENTS } from './store-content.ts';
import { KEYS, type KeyRow, keyRowOf } from './store-keys.ts';

/** The columns of a stored order that a change of it needs. */
export interface StoredVersion
  extends Pick<
    Rows['orders'],
    | keyof KeyRow
    | 'fingerprint'
    | 'changed_at'
    | 'fetched_at'
    | 'is_buyer_forgotten'
    | 'annotation'
    | 'representation'
  > {
  readonly status: OrderStatus;
  /** The stamp of the last change that had a document. */
  readonly documented_at: Instant | null;
  /** The stamp of the document that one more document displaces. */
  readonly surplus_at: Instant | null;
  /** Null where it was not requested. */
  readonly detail_json: string | null;
}

/** A stored order of an older representation. */
export interface StaleVersion
  extends StoredVersion,
    Pick<Rows['orders'], 'connection_id' | 'list_json' | 'last_updated'> {
  readonly detail_json: string;
  /** The stamp of the last change that its source reported. */
  readonly told_at: Instant;
}

/**
 * Reads each order by its key, whatever the planner assumes: without statistics, as in a new
 * installation, the planner rates every index that begins with the organisation as equal, and would
 * read all orders of an account for each order. Only two indexes hold ids in their order, so that
 * the others would need a sort.
 */
const select = (given: string, lock: '' | 'for update', more = '') =>
  `select found.* from ${given}
    cross join lateral (
      select o.marketplace, o.account_id, o.id, o.status, o.fingerprint, o.changed_at, o.fetched_at,
             o.is_buyer_forgotten, o.annotation, o.representation,
             o.documented_at[cardinality(o.documented_at)] as documented_at,
             o.documented_at[cardinality(o.documented_at) - ${MOST_DOCUMENTS - 1}] as surplus_at,
             case when $2::boolean then o.detail_json end as detail_json${more}
        from orders o
       where o.organization_id = $1 and o.marketplace = given.marketplace
         and o.account_id = given.account_id and o.id between given.id and given.id
       order by o.id limit 1 ${lock}
    ) as found`;

const VERSIONS = KEYS.statement<StoredVersion>('orders.versions', (given) => select(given, ''));
const LOCK_VERSIONS = KEYS.statement<StoredVersion>('orders.lock-versions', (given) =>
  select(given, 'for update'),
);

/**
 * `lock`: no other transaction writes these rows until this one ends, and the committed rows are
 * read. `detail`: with the orders' content, which is most of the data.
 */
export function versions(
  scope: ReadScope,
  orders: readonly OrderIdentity[],
  { lock, detail }: { lock: boolean; detail: boolean },
): Promise<StoredVersion[]> {
  const statement = lock ? LOCK_VERSIONS : VERSIONS;
  return scope.prepared(statement, statement.values([detail], orders.map(keyRowOf)));
}

/** Orders from before `told_at` have the stamp of their last change of status instead. */
const LOCK_STALE = KEYS.statement<StaleVersion>('orders.lock-stale', (given) =>
  select(
    given,
    'for update',
    `, o.connection_id, o.list_json, o.last_updated, coalesce(o.told_at, (
                 select max(h.recorded_at) from order_history h
                  where h.organization_id = $1 and h.marketplace = o.marketplace
                    and h.account_id = o.account_id and h.order_id = o.id)) as told_at`,
  ),
);

/** Locked until the transaction ends. */
export function lockStale(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
): Promise<StaleVersion[]> {
  return scope.prepared(LOCK_STALE, LOCK_STALE.values([true], orders.map(keyRowOf)));
}

const NEWER = bulk('orders', [
  'marketplace',
  'account_id',
  'id',
  'fingerprint',
  'changed_at',
  'fetched_at',
]);

/** Only where no other transaction stored another content or a newer version in between. */
const RAISE = NEWER.statement<KeyRow>(
  'orders.raise-versions',
  (given) => `update orders o set changed_at = given.changed_at, fetched_at = given.fetched_at
     from ${given}
    where o.organization_id = $1 and o.marketplace = given.marketplace
      and o.account_id = given.account_id and o.id = given.id
      and o.fingerprint = given.fingerprint
      and (o.changed_at is null or given.changed_at is null or o.changed_at <= given.changed_at)
   returning o.marketplace, o.account_id, o.id`,
);

interface NewerVersion extends OrderIdentity {
  readonly fingerprint: string;
  readonly changedAt: Instant | null;
  readonly fetchedAt: Instant;
}

/** @returns those whose version was raised; the others were changed meanwhile. */
export function raiseVersions(
  scope: WriteScope,
  newer: readonly NewerVersion[],
): Promise<KeyRow[]> {
  const rows = newer.map((order) => ({
    ...keyRowOf(order),
    fingerprint: order.fingerprint,
    changed_at: order.changedAt,
    fetched_at: order.fetchedAt,
  }));
  return scope.prepared(RAISE, RAISE.values([], rows));
}
