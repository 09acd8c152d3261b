import { bulk } from '../../platform/db/bulk.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { KeyRow } from './store-keys.ts';

const ANNOTATIONS = bulk('orders', ['marketplace', 'account_id', 'id', 'annotation']);

const ANNOTATE = ANNOTATIONS.statement(
  'orders.annotate',
  (given) => `update orders o set annotation = given.annotation from ${given}
    where o.organization_id = $1 and o.marketplace = given.marketplace
      and o.account_id = given.account_id and o.id = given.id`,
);

/** For orders whose content is the same with it. */
export async function setAnnotations(
  scope: WriteScope,
  rows: readonly (KeyRow & { readonly annotation: string | null })[],
): Promise<void> {
  if (rows.length > 0) await scope.prepared(ANNOTATE, ANNOTATE.values([], rows));
}
