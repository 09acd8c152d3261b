import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Decimal } from '../../platform/money.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import { type Settlement, settlementOf } from '../balances/index.ts';
import { explainPayout } from './explain-payout.ts';
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
  const explained = await explainPayout(scope, payout);
  if (!explained) return { ...NOTHING, payout };
  const { between, ...sums } = explained;
  const { rows, nextCursor } = await readPage(
    WALK,
    scope,
    cursors,
    { ...identity, limit, cursor },
    ({ after, limit: most }) => store.linesOf(scope, payout, between, after, most),
  );
  return { payout, ...sums, lines: rows, nextCursor };
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
