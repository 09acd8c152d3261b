import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { DeltaClock } from './as-of.ts';
import { listOrders, type OrderPage, type OrderQuery } from './list-orders.ts';
import { type OrderView, seenAs, spliceDetail } from './public/render.ts';
import * as store from './store-details.ts';

/**
 * The same page as `listOrders`, with the detail of each order. An order that changes in between
 * may be newer than the page: the next poll returns it again.
 * @throws Failure invalid_cursor
 */
export async function listOrderDetails(
  scope: ReadScope,
  cursors: CursorMaker,
  query: OrderQuery,
  clock: DeltaClock | null,
  view: OrderView,
): Promise<OrderPage> {
  const page = await listOrders(scope, cursors, query, clock);
  const wanted = JSON.parse(page.json) as { marketplace: string; account_id: string; id: string }[];
  if (wanted.length === 0) return page;
  const details = await store.details(scope, wanted);
  const texts = details.map((row) =>
    spliceDetail(seenAs(view, row.detail_json), row.history, row.last_updated),
  );
  return { ...page, json: `[${texts.join(',')}]` };
}
