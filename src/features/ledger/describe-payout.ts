import { MOVEMENT_KINDS } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { add, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import { type Settlement, settlementOf } from '../balances/index.ts';
import * as store from './store-payouts.ts';

/** What identifies a payout. */
interface PayoutIdentity {
  readonly marketplace: Settlement['marketplace'];
  readonly accountId: string;
  readonly id: string;
}

/** A payout and the movements that it is made of. */
interface PayoutDescription {
  readonly payout: Settlement;
  /** By kind, signed as in the ledger. */
  readonly sums: readonly { readonly kind: string; readonly amount: Decimal }[];
  readonly lines: readonly store.PayoutLine[];
  /** Of payouts that draw on a balance: what was left of before, and what stays. Null = no balance. */
  readonly carried: Decimal | null;
  readonly left: Decimal | null;
  /** What the movements do not explain of the payout; null = the ledger does not have it. */
  readonly difference: Decimal | null;
  readonly nextCursor: string | null;
}

/**
 * A payout with the movements that it settles, a line for each order.
 * @returns null where no such payout is stored
 * @throws Failure invalid_cursor
 */
export async function describePayout(
  scope: ReadScope,
  cursors: CursorMaker,
  { limit, cursor, ...identity }: PayoutIdentity & PageQuery,
): Promise<PayoutDescription | null> {
  const payout = await settlementOf(scope, identity);
  if (!payout) return null;
  const drawn = findConnector(payout.marketplace)?.facts.payoutsDrawOnBalance ?? false;
  const { paidAt, paid, before } = await store.spanOf(scope, payout);
  // The money of a payout that failed is in the balance again.
  const isOut = paidAt !== null && paid !== null && payout.status !== 'failed';
  if (drawn && !isOut) return { ...NOTHING, payout };
  const between = drawn && paidAt ? { from: before, to: paidAt } : null;
  const sums = (await store.sumsOf(scope, payout, between)).toSorted(
    (a, b) => MOVEMENT_KINDS.indexOf(a.kind) - MOVEMENT_KINDS.indexOf(b.kind),
  );
  if (!drawn && sums.length === 0) return { ...NOTHING, payout };
  const { rows, nextCursor } = await readPage(
    WALK,
    scope,
    cursors,
    { ...identity, limit, cursor },
    ({ after, limit: most }) => store.linesOf(scope, payout, between, after ?? ['', ''], most),
  );
  const total = add(ZERO, ...sums.map(({ amount }) => amount));
  const left = between && (await store.balanceAt(scope, payout, between.to));
  const settled = drawn ? (paid ?? ZERO) : total;
  return {
    payout,
    sums,
    lines: rows,
    carried: left && subtract(add(left, paid ?? ZERO), total),
    left,
    difference: subtract(payout.net, settled),
    nextCursor,
  };
}

const NOTHING = {
  sums: [],
  lines: [],
  carried: null,
  left: null,
  difference: null,
  nextCursor: null,
};

const WALK: RowWalk<PayoutIdentity, store.PayoutLine, readonly [string, string]> = {
  kind: 'payout-lines',
  instants: {},
  positionOf: ({ order_id, native_type }) => [order_id, native_type],
};
