import type { ReadScope } from '../../platform/db/database.ts';
import { type AsOf, deltaClock } from './as-of.ts';
import { spliceDetail } from './public/render.ts';
import { readClock } from './store-clock.ts';
import * as store from './store-details.ts';

/** Where a walk over all orders is: the primary key of the last one. */
export interface OrderPlace {
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
}

/** Stamps of orders recorded before any clock: an organisation without orders. */
const BEFORE_ALL = Temporal.Instant.from('1970-01-01T00:00:00Z');

/** The first instant whose changes the snapshot may lack: the `updated_since` of a poll after it. */
export async function ordersAsOf(scope: ReadScope): Promise<AsOf> {
  return deltaClock((await readClock(scope)) ?? BEFORE_ALL).asOf;
}

/**
 * The next orders by primary key, each with its whole public detail as JSON text.
 * @param after null = from the first one
 */
export async function ordersAfter(
  scope: ReadScope,
  after: OrderPlace | null,
  limit: number,
): Promise<(OrderPlace & { readonly json: string })[]> {
  const from = after ?? { marketplace: '', account_id: '', id: '' };
  const rows = await store.detailsAfter(scope, from, limit);
  return rows.map(({ marketplace, account_id, id, detail_json, history, last_updated }) => ({
    marketplace,
    account_id,
    id,
    json: spliceDetail(detail_json, history, last_updated),
  }));
}
