import { bulk } from '../../platform/db/bulk.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { OrderIdentity } from './order.ts';
import { type KeyRow, keyRowOf } from './store-keys.ts';

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
