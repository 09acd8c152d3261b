import type { WriteScope } from '../../platform/db/database.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { OrderIdentity } from '../orders/index.ts';
import { ORDER_KEYS, orderKeyRowOf } from './store-keys.ts';

// What a carrier's document says of the recipient, who may be a buyer that is to be forgotten.

type CarriedRow = Pick<Rows['shipments'], 'carrier' | 'account_id' | 'tracking_number'>;

const FORGET = ORDER_KEYS.statement<CarriedRow>(
  'shipments.forget-recipients',
  (given) => `update shipments s set is_recipient_forgotten = true, raw = null, raw_box = null
     from ${given}
    where s.organization_id = $1 and s.order_marketplace = given.marketplace
      and s.order_account_id = given.account_id and s.order_id = given.id
   returning s.carrier, s.account_id, s.tracking_number`,
);

/** @returns the shipments that take these orders to their buyers */
export function forgetDocuments(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
): Promise<CarriedRow[]> {
  return scope.prepared(FORGET, FORGET.values([], orders.map(orderKeyRowOf)));
}

/**
 * A column as a newer reading replaces it: what names a recipient stays empty once it is forgotten.
 */
export function replaced(table: string, name: string, ofRecipients: readonly string[]): string {
  return ofRecipients.includes(name)
    ? `${name} = case when not ${table}.is_recipient_forgotten then excluded.${name} end`
    : `${name} = excluded.${name}`;
}
