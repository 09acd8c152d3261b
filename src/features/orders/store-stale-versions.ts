import type { WriteScope } from '../../platform/db/database.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { Instant } from '../../platform/time.ts';
import type { OrderIdentity } from './order.ts';
import { KEYS, keyRowOf } from './store-keys.ts';
import { type StoredVersion, select } from './store-versions.ts';

/** A stored order of an older representation. */
export interface StaleVersion
  extends StoredVersion,
    Pick<Rows['orders'], 'connection_id' | 'list_json' | 'last_updated'> {
  readonly detail_json: string;
  /** The stamp of the last change that its source reported. */
  readonly told_at: Instant;
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
