/** What Shopify Payments pays out. */
import { decimal, reachedAt, stateAt } from '../order.ts';
import { moneyOf } from './facts.ts';
import { type ListArgs, pageOf } from './graphql.ts';
import { iso } from './shown.ts';
import type { Store } from './store.ts';

const WEEK = 7 * 86_400_000;

/**
 * One payout a week for what was paid in it, less four per cent; what was paid since the last one
 * is the balance.
 */
export function paymentsDocument({ world, taxesIncluded }: Store) {
  const now = world.now();
  const weeks = new Map<number, number>();
  for (const order of world.orders()) {
    const paid = reachedAt(order, 'paid', now);
    if (paid === null || stateAt(order, now) === 'cancelled') continue;
    const week = Math.floor(paid / WEEK);
    weeks.set(week, (weeks.get(week) ?? 0) + moneyOf(order, taxesIncluded).total);
  }
  const thisWeek = Math.floor(now / WEEK);
  const amount = (sum: number) => ({ amount: decimal(sum), currencyCode: 'MXN' });
  const payouts = [...weeks]
    .filter(([week]) => week < thisWeek)
    .sort(([a], [b]) => b - a)
    .map(([week, gross]) => {
      const fee = Math.round(gross * 0.04);
      return {
        id: `gid://shopify/ShopifyPaymentsPayout/${600_000_000 + week}`,
        legacyResourceId: String(600_000_000 + week),
        issuedAt: iso((week + 1) * WEEK),
        status: week === thisWeek - 1 ? 'SCHEDULED' : 'PAID',
        transactionType: 'DEPOSIT',
        externalTraceId: `MXSPEI${week}`,
        net: amount(gross - fee),
        summary: {
          ...Object.fromEntries(NOTHING.map((name) => [name, amount(0)])),
          chargesGross: amount(gross),
          chargesFee: amount(fee),
        },
      };
    });
  return {
    id: 'gid://shopify/ShopifyPaymentsAccount/1',
    activated: true,
    defaultCurrency: 'MXN',
    balance: [amount(weeks.get(thisWeek) ?? 0)],
    payouts: (args: ListArgs) =>
      pageOf(payouts, ({ legacyResourceId }) => String(1e12 - Number(legacyResourceId)), args),
  };
}

const NOTHING = [
  'adjustmentsFee',
  'adjustmentsGross',
  'advanceFees',
  'advanceGross',
  'refundsFee',
  'refundsFeeGross',
  'reservedFundsFee',
  'reservedFundsGross',
  'retriedPayoutsFee',
  'retriedPayoutsGross',
];
