import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { type OrderView, seenAs, spliceDetail } from './public/render.ts';
import * as store from './store-details.ts';

interface WhichOrder {
  /** The external id, byte for byte. */
  readonly id: string;
  /** Null = of any. */
  readonly marketplace: Marketplace | null;
  readonly accountId: string | null;
}

/**
 * The detail of one order, as JSON text.
 * @throws Failure order_not_found, ambiguous_order_id
 */
export async function getOrder(
  scope: ReadScope,
  { id, marketplace, accountId }: WhichOrder,
  view: OrderView,
): Promise<string> {
  const [order, ...namesakes] = await store.byExternalId(scope, id, marketplace, accountId);
  if (!order) throw fail('order_not_found');
  if (namesakes.length > 0) {
    const all = [order, ...namesakes];
    throw fail('ambiguous_order_id', {
      details: {
        marketplaces: [...new Set(all.map((row) => row.marketplace))].sort(),
        accounts: all.map((row) => ({ marketplace: row.marketplace, account_id: row.account_id })),
      },
    });
  }
  return spliceDetail(
    seenAs(view, order.detail_json),
    await store.history(scope, order, id),
    order.last_updated,
  );
}
