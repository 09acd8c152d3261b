import type { OrderStatus } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
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

/**
 * Reads each order by its key, whatever the planner assumes: without statistics, as in a new
 * installation, the planner rates every index that begins with the organisation as equal, and would
 * read all orders of an account for each order. Only two indexes hold ids in their order, so that
 * the others would need a sort.
 */
export const select = (given: string, lock: '' | 'for update', more = '') =>
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
