import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { listSettlements, type Settlement } from '../balances/index.ts';
import { explainPayout } from './explain-payout.ts';
import type { ExplainedPayout } from './fields.ts';
import type { LineOfPayout } from './line-fields.ts';
import * as store from './store-payouts.ts';

/** Payouts whose deposit, or else the end of whose period, is in the span; null = without that end. */
interface Span {
  /** Empty = of all. */
  readonly marketplace: readonly Settlement['marketplace'][];
  readonly from: Instant | null;
  /** Included. */
  readonly to: Instant | null;
}

const ALL = { status: [] };

/** The newest first. */
export async function explainedPayouts(
  scope: ReadScope,
  cursors: CursorMaker,
  query: Span & { readonly limit: number; readonly cursor: string | null },
): Promise<{ payouts: ExplainedPayout[]; nextCursor: string | null }> {
  const { settlements, nextCursor } = await listSettlements(scope, cursors, { ...ALL, ...query });
  const payouts: ExplainedPayout[] = [];
  for (const settlement of settlements) {
    const explained = await explainPayout(scope, settlement);
    const { carried = null, left = null, difference = null } = explained ?? {};
    payouts.push({ ...settlement, carried, left, difference });
  }
  return { payouts, nextCursor };
}

/** The next lines to read: those of the payout behind the cursor, after one of them. */
export interface PositionOfLines {
  readonly cursor: string | null;
  readonly after: readonly [order: string, type: string] | null;
}

/**
 * The lines of one payout after the other, in the order of the payouts; a page may have none.
 * @returns `next` null = there are no more
 */
export async function payoutLines(
  scope: ReadScope,
  cursors: CursorMaker,
  span: Span,
  { cursor, after }: PositionOfLines,
  limit: number,
): Promise<{ lines: LineOfPayout[]; next: PositionOfLines | null }> {
  const query = { ...ALL, ...span, cursor, limit: 1 };
  const { settlements, nextCursor } = await listSettlements(scope, cursors, query);
  const [payout] = settlements;
  if (!payout) return { lines: [], next: null };
  const explained = await explainPayout(scope, payout);
  const rows = explained ? await store.linesOf(scope, payout, explained.between, after, limit) : [];
  const last = rows.length === limit ? rows.at(-1) : undefined;
  const following = nextCursor === null ? null : { cursor: nextCursor, after: null };
  return {
    lines: rows.map((row) => ({ ...row, payout })),
    next: last ? { cursor, after: [last.order_id, last.native_type] } : following,
  };
}
