import { flushed } from '../../platform/db/database.ts';
import type { OrderListener } from '../orders/index.ts';
import * as store from './store.ts';
import { addOrder, emptySums } from './sums.ts';

/**
 * Moves the sums by what changed orders counted for before and count for now, in their own
 * transaction.
 */
export const sumSales: OrderListener = async (scope, changes) => {
  // What others ask for leaves first: reckoning takes a while.
  await flushed();
  const sums = emptySums();
  for (const { before, after } of changes) {
    if (before) addOrder(sums, before, -1);
    addOrder(sums, after, 1);
  }
  await store.move(scope, sums);
};
