import type { TotalIncludes } from '../../connectors/contract.ts';
import { add, addKnown, compare, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import type { PublicOrder } from './order.ts';

type Figures = Pick<
  PublicOrder,
  'otherTotal' | 'feesSource' | 'moneyCheck' | 'moneyDifference' | 'netComplete'
>;

type Reported = Omit<PublicOrder, keyof Figures>;

/** The figures that follow from those of the source. */
export function figuresOf(order: Reported): Figures {
  const otherTotal = addKnown(order.other.map(({ amount }) => amount));
  return {
    otherTotal,
    feesSource: order.feesTotal === null ? null : 'order',
    // Complete only once the account's movements are known.
    netComplete: false,
    ...checkOf(order, otherTotal),
  };
}

/**
 * Compares the parts of an order with its total. Nothing is adjusted: the unexplained rest is the
 * difference. A part that the source does not give counts as zero.
 */
function checkOf(
  order: Reported,
  otherTotal: Decimal | null,
): Pick<PublicOrder, 'moneyCheck' | 'moneyDifference'> {
  const { total, subtotal, totalIncludes } = order;
  if (total === null || subtotal === null || totalIncludes === null)
    return { moneyCheck: null, moneyDifference: null };
  const difference = subtract(total, sumOf(order, subtotal, totalIncludes, otherTotal));
  if (compare(difference, ZERO) === 0) return { moneyCheck: 'ok', moneyDifference: null };
  return { moneyCheck: 'unexplained', moneyDifference: difference };
}

function sumOf(
  { orderDiscount, shippingTotal, taxAdded }: Reported,
  subtotal: Decimal,
  includes: TotalIncludes,
  otherTotal: Decimal | null,
): Decimal {
  const part = (amount: Decimal | null, isIncluded = true) => (isIncluded && amount) || ZERO;
  const added = add(
    subtotal,
    part(shippingTotal, includes.shipping),
    part(taxAdded, includes.tax),
    part(otherTotal),
  );
  return subtract(added, part(orderDiscount, includes.orderDiscount));
}
