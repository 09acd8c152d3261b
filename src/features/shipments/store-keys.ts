import type { Carrier } from '../../carriers/contract.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { OrderIdentity } from '../orders/index.ts';
import type { ShipmentIdentity } from './shipment.ts';

/** The identity of a shipment within its organisation, as columns. */
export type KeyRow = Pick<Rows['shipments'], 'carrier' | 'account_id' | 'id'>;

/** Keys of shipments as an argument of a statement. */
export const KEYS = bulk('shipments', ['carrier', 'account_id', 'id']);

export function keyRowOf({ carrier, accountId, id }: ShipmentIdentity): KeyRow {
  return { carrier, account_id: accountId, id };
}

export function identityOf({ carrier, account_id, id }: KeyRow): ShipmentIdentity {
  return { carrier: carrier as Carrier, accountId: account_id, id };
}

/** Keys of orders as an argument of a statement. */
export const ORDER_KEYS = bulk('orders', ['marketplace', 'account_id', 'id']);

export function orderKeyRowOf({ marketplace, accountId, id }: OrderIdentity) {
  return { marketplace, account_id: accountId, id };
}
