import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { type AsOf, deltaClock } from './as-of.ts';
import { type OrderView, seenAs } from './public/order-view.ts';
import { spliceDetail } from './public/render.ts';
import { readClock } from './store-clock.ts';
import { detailsAfter, type SortKey } from './store-details-after.ts';
import { ceilMillis } from './store-page.ts';

/** Where a walk over orders is, newest first: the sort key of the last one. */
export type OrderPosition = SortKey;

/** Orders created from `begin` on and before `end`, of one marketplace; null = not bounded so. */
interface Span {
  readonly marketplace: string | null;
  readonly begin: Instant | null;
  readonly end: Instant | null;
}

/** Stamps of orders recorded before any clock: an organisation without orders. */
const BEFORE_ALL = Temporal.Instant.from('1970-01-01T00:00:00Z');

/** The first instant whose changes the snapshot may lack: the `updated_since` of a poll after it. */
export async function ordersAsOf(scope: ReadScope): Promise<AsOf> {
  return deltaClock((await readClock(scope)) ?? BEFORE_ALL).asOf;
}

interface ExportedOrder {
  readonly position: OrderPosition;
  /** Its public detail. */
  readonly json: string;
}

/**
 * The next orders, newest first, each with its public detail as JSON text.
 * @param after null = from the newest one
 */
export async function ordersAfter(
  scope: ReadScope,
  after: OrderPosition | null,
  { begin, end, marketplace }: Span,
  limit: number,
  view: OrderView,
): Promise<ExportedOrder[]> {
  const newest = end ? 1 - ceilMillis(end) : Number.MIN_SAFE_INTEGER;
  const oldest = begin ? -ceilMillis(begin) : Number.MAX_SAFE_INTEGER;
  const from = after ?? { newest_first: newest, marketplace: '', account_id: '', id: '' };
  const rows = await detailsAfter(scope, from, { oldest, marketplace }, limit);
  return rows.map(({ newest_first, account_id, id, ...row }) => ({
    position: { newest_first, marketplace: row.marketplace, account_id, id },
    json: spliceDetail(seenAs(view, row.detail_json), row.history, row.last_updated),
  }));
}
