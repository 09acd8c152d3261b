import type { Marketplace } from '../../connectors/contract.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { OrderIdentity } from './order.ts';

/** The identity of an order within its organisation, as columns. */
export type KeyRow = Pick<Rows['orders'], 'marketplace' | 'account_id' | 'id'>;

/** Keys of orders as an argument of a statement. */
export const KEYS = bulk('orders', ['marketplace', 'account_id', 'id']);

export function keyRowOf({ marketplace, accountId, id }: OrderIdentity): KeyRow {
  return { marketplace, account_id: accountId, id };
}

export function identityOf({ marketplace, account_id, id }: KeyRow): OrderIdentity {
  return { marketplace: marketplace as Marketplace, accountId: account_id, id };
}
