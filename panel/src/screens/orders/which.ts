import type { Output } from '../../client.ts';

/** The whole identity of an order, as operations are given it. */
export function whichOf({ marketplace, account_id, id }: Output<'orders.get'>['data']) {
  return { marketplace, account_id, order_id: id };
}
