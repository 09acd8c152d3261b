import type { ReadScope } from '../../platform/db/database.ts';
import type { OrderPage } from './list-orders.ts';
import { type OrderView, seenAs } from './public/order-view.ts';
import { spliceDetail } from './public/render.ts';
import { details } from './store-details.ts';

/**
 * The same page with the detail of each order. An order that changes in between may be newer than
 * the page: the next poll returns it again.
 */
export async function detailed<Page extends OrderPage>(
  scope: ReadScope,
  page: Page,
  view: OrderView,
): Promise<Page> {
  const wanted = JSON.parse(page.json) as { marketplace: string; account_id: string; id: string }[];
  if (wanted.length === 0) return page;
  const found = await details(scope, wanted);
  const texts = found.map((row) =>
    spliceDetail(seenAs(view, row.detail_json), row.history, row.last_updated),
  );
  return { ...page, json: `[${texts.join(',')}]` };
}
