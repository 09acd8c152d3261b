import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { type AsOf, deltaClock } from './as-of.ts';
import { type OrderView, seenAs, spliceDetail } from './public/render.ts';
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

interface ExportedOrder extends OrderPlace {
  readonly createdAt: Instant;
  /** Its public detail. */
  readonly json: string;
}

/**
 * The next orders by primary key, each with its public detail as JSON text.
 * @param after null = from the first one
 */
export async function ordersAfter(
  scope: ReadScope,
  after: OrderPlace | null,
  limit: number,
  view: OrderView,
): Promise<ExportedOrder[]> {
  const from = after ?? { marketplace: '', account_id: '', id: '' };
  const rows = await store.detailsAfter(scope, from, limit);
  return rows.map(({ marketplace, account_id, id, ...row }) => ({
    ...{ marketplace, account_id, id },
    createdAt: row.date_created,
    json: spliceDetail(seenAs(view, row.detail_json), row.history, row.last_updated),
  }));
}
