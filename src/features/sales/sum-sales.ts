import { flushed } from '../../platform/db/database.ts';
import type { OrderListener } from '../orders/index.ts';
import * as store from './store.ts';
import { addOrder, emptySums } from './sums.ts';

/**
 * Moves the sums by the difference between the changed orders' former and new contributions, in
 * their own transaction.
 */
export const sumSales: OrderListener = async (scope, changes) => {
  // Queries of other listeners are sent first: computing takes a while.
  await flushed();
  const sums = emptySums();
  for (const { before, after } of changes) {
    if (before) addOrder(sums, before, -1);
    addOrder(sums, after, 1);
  }
  await store.move(scope, sums);
};
