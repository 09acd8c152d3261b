/** What was taken out of an order after it was placed. */
import { type Order, placedAt } from '../order.ts';
import { type Edit, type Money, removedBy } from './facts.ts';
import { type ListArgs, pageOf } from './graphql.ts';
import { iso, money } from './shown.ts';
import type { Store } from './store.ts';

export function editsOf(order: Order, { edits, now }: Store): readonly Edit[] {
  return (edits.get(order.id) ?? []).filter(({ at }) => at <= now());
}

/** The order as it was placed, then each edit that took something out. */
export function agreementsOf(
  order: Order,
  { total }: Money,
  edits: readonly Edit[],
  { taxesIncluded }: Store,
) {
  const agreement = (
    reason: string,
    at: number,
    actionType: string,
    quantity: number,
    amount: number,
  ) => ({
    reason,
    happenedAt: iso(at),
    sales: (args: ListArgs) =>
      pageOf(
        [{ actionType, lineType: 'PRODUCT', quantity, totalAmount: money(amount) }],
        (_, index) => String(index),
        args,
      ),
  });
  const pieces = order.lines.reduce((sum, { quantity }) => sum + quantity, 0);
  return [
    agreement('ORDER', placedAt(order), 'ORDER', pieces, total),
    ...edits.map((edit) =>
      agreement(
        'ORDER_EDIT',
        edit.at,
        'RETURN',
        -edit.pieces,
        -removedBy(edit, order, taxesIncluded),
      ),
    ),
  ];
}
