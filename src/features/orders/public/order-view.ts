import { document, type EarningsOf, withoutEarnings } from '../../../platform/documents.ts';
import type { PublicOrder } from '../order.ts';
import { ORDER } from './fields.ts';
import { readDetail } from './render.ts';

/** The detail without the seller's charges, withholdings and earnings. */
const ORDER_WITHOUT_EARNINGS = document<PublicOrder>(
  'Una orden sin las cuentas del vendedor.',
  withoutEarnings(ORDER),
);
/** Fields of the detail that only readers with `read_money` see, by their public names. */
export const EARNINGS: readonly string[] = Object.entries(ORDER)
  .filter(([, { isEarnings }]) => isEarnings)
  .map(([name]) => name);

export type OrderEarnings = EarningsOf<typeof ORDER>;

/** The part of an order's detail that a reader sees. */
export type OrderView = 'whole' | 'without earnings';

/** A stored detail as that reader sees it. */
export function seenAs(view: OrderView, detailJson: string): string {
  return view === 'whole' ? detailJson : ORDER_WITHOUT_EARNINGS.write(readDetail(detailJson));
}
