import { MOVEMENT_KINDS } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { add, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import type { Settlement } from '../balances/index.ts';
import * as store from './store-payouts.ts';

/** How the movements of a payout make up its money. */
interface PayoutSums {
  /** By kind, signed as in the ledger. */
  readonly sums: readonly { readonly kind: string; readonly amount: Decimal }[];
  /** Of payouts that draw on a balance: what was left of before, and what stays. Null = no balance. */
  readonly carried: Decimal | null;
  readonly left: Decimal | null;
  /** What the movements do not explain of the payout. */
  readonly difference: Decimal;
  /** Where payouts draw on a balance: since when its movements are; null = they name their payout. */
  readonly between: store.Between | null;
}

/** @returns null where the ledger does not have the payout */
export async function explainPayout(
  scope: ReadScope,
  payout: Settlement,
): Promise<PayoutSums | null> {
  const drawn = findConnector(payout.marketplace)?.facts.payoutsDrawOnBalance ?? false;
  const { paidAt, paid, before } = await store.spanOf(scope, payout);
  // The money of a payout that failed is in the balance again.
  const isOut = paidAt !== null && paid !== null && payout.status !== 'failed';
  if (drawn && !isOut) return null;
  const between = drawn && paidAt ? { from: before, to: paidAt } : null;
  const sums = (await store.sumsOf(scope, payout, between)).toSorted(
    (a, b) => MOVEMENT_KINDS.indexOf(a.kind) - MOVEMENT_KINDS.indexOf(b.kind),
  );
  if (!drawn && sums.length === 0) return null;
  const total = add(ZERO, ...sums.map(({ amount }) => amount));
  const left = between && (await store.balanceAfter(scope, payout, between.to));
  const settled = drawn ? (paid ?? ZERO) : total;
  return {
    sums,
    carried: left && subtract(add(left, paid ?? ZERO), total),
    left,
    difference: subtract(payout.net, settled),
    between,
  };
}
