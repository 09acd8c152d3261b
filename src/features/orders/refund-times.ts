import { findConnector } from '../../connectors/registry.ts';
import { add, compare, subtract, ZERO } from '../../platform/money.ts';
import { latest } from '../../platform/time.ts';
import type { Order, PublicOrder } from './order.ts';

type Refunds = PublicOrder['refunds'];

/**
 * The refunds of an order with the times at which they were first seen, where its marketplace gives
 * no others: stored ones stay, and what goes beyond them is one refund at the reported time. A sum
 * that falls is taken as reported.
 */
export function refundsWithTimes({ marketplace, refunds }: Order, stored: Refunds): Refunds {
  if (!findConnector(marketplace)?.facts.refundsHaveNoTimes) return refunds;
  const more = subtract(sumOf(refunds), sumOf(stored));
  if (compare(more, ZERO) < 0) return refunds;
  if (compare(more, ZERO) === 0) return stored;
  return [...stored, { amount: more, at: latest(...refunds.map(({ at }) => at)) }];
}

function sumOf(refunds: Refunds) {
  return add(...refunds.map(({ amount }) => amount));
}
