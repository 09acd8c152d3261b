import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { type Failure, fail } from '../../platform/failure.ts';
import { type OrderView, seenAs } from './public/order-view.ts';
import { spliceDetail } from './public/render.ts';
import { byExternalId, namesakes } from './store-by-id.ts';
import { history } from './store-order-history.ts';

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
  const which = [id, marketplace, accountId] as const;
  const [order, other] = await byExternalId(scope, which);
  if (!order) throw fail('order_not_found');
  if (other) throw ambiguous(await namesakes(scope, which));
  return spliceDetail(
    seenAs(view, order.detail_json),
    await history(scope, order, id),
    order.last_updated,
  );
}

/** As many accounts as a list has rows. */
const MOST_ACCOUNTS = 200;

function ambiguous(accounts: Awaited<ReturnType<typeof namesakes>>): Failure {
  return fail('ambiguous_order_id', {
    details: {
      marketplaces: [...new Set(accounts.map(({ marketplace }) => marketplace))].sort(),
      accounts: accounts.slice(0, MOST_ACCOUNTS),
      accounts_total: accounts.length,
    },
  });
}
