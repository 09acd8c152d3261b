import type { Database, WriteScope } from '../../platform/db/database.ts';
import { everyOrder } from '../orders/index.ts';
import * as store from './store.ts';
import { addOrder, emptySums } from './sums.ts';

/** The result of a recount. */
interface Recount {
  readonly orders: number;
  /** Sums that were missing or wrong; 0 = all were right. */
  readonly differing: number;
}

/**
 * Counts every stored order anew and replaces the sums by the result; no order changes meanwhile.
 */
export async function recountSales(scope: WriteScope): Promise<Recount> {
  const sums = emptySums();
  let orders = 0;
  for await (const order of everyOrder(scope)) {
    addOrder(sums, order, 1);
    orders++;
  }
  const differing = await store.replace(scope, sums);
  await store.endRecount(scope);
  return { orders, differing };
}

/** Recounts organisations whose orders are older than the sums. @returns how many */
export async function recountWaiting(database: Database): Promise<number> {
  const organizations = await database.search(store.waiting);
  for (const id of organizations) await database.within(id).write(recountSales);
  return organizations.length;
}
