import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { document, IN_ANSWERS, membersOf } from '../../platform/documents.ts';
import { amount, flag, list, orNull, text, time } from '../../platform/fields.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import { latestPayout, type Settlement } from '../balances/index.ts';
import { describePayout } from './describe-payout.ts';

/** The newest payout of an account, and the orders that it is made of. */
export interface LastPayout {
  readonly id: string;
  readonly paidAt: Instant;
  readonly net: Decimal;
  /** What its movements do not explain; null = the ledger does not have it. */
  readonly difference: Decimal | null;
  readonly orderIds: readonly string[];
  readonly hasMoreOrders: boolean;
}

/** Orders that are listed; the panel shows all of a payout. */
const MOST_ORDERS = 20;

/** Null = no payout in this currency is known. */
export async function lastPayoutOf(
  scope: ReadScope,
  cursors: CursorMaker,
  account: Pick<Settlement, 'marketplace' | 'accountId' | 'currency'>,
): Promise<LastPayout | null> {
  const payout = await latestPayout(scope, account);
  if (!payout) return null;
  const { marketplace, accountId, id, net, listedAt: paidAt } = payout;
  // A line without an order comes before those of orders, and each kind is one line.
  const query = { marketplace, accountId, id, limit: MOST_ORDERS * 2, cursor: null };
  const found = await describePayout(scope, cursors, query);
  const orders = (found?.lines ?? []).map(({ order_id }) => order_id).filter((one) => one !== '');
  return {
    id,
    paidAt,
    net,
    difference: found?.difference ?? null,
    orderIds: orders.slice(0, MOST_ORDERS),
    hasMoreOrders: orders.length > MOST_ORDERS || (found?.nextCursor ?? null) !== null,
  };
}

const payout = membersOf<LastPayout>();
const LAST_PAYOUT = {
  id: payout.brief('id', text('El pago en el marketplace.', '123456789')),
  paid_at: payout.brief('paidAt', time('Cuándo se pagó.', '2026-11-15T18:00:00.000Z')),
  net: payout.brief('net', amount('Lo que depositó.', 850)),
  difference: payout.brief(
    'difference',
    orNull(amount('Lo que sus movimientos no explican; null si no se conocen.', 0)),
  ),
  order_ids: payout.brief(
    'orderIds',
    list(`Sus órdenes, hasta ${MOST_ORDERS}.`, text('Una orden.', '2000009876543210')),
  ),
  has_more_orders: payout.brief(
    'hasMoreOrders',
    flag(`true = tiene más de ${MOST_ORDERS} órdenes.`, false),
  ),
};

/** Of a balance, in answers. */
export const WITH_LAST_PAYOUT = {
  last_payout: membersOf<{ readonly lastPayout: LastPayout | null }>().brief(
    'lastPayout',
    orNull(document('El último pago de la cuenta; null si no hay.', LAST_PAYOUT)),
    IN_ANSWERS,
  ),
};
