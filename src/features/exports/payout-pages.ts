import type { ReadScope } from '../../platform/db/database.ts';
import {
  explainedPayouts,
  type PositionOfLines,
  payoutLines,
  writeExplainedPayout,
  writePayoutLine,
} from '../ledger/index.ts';
import { type Days, includedSpan } from './span.ts';

/** Each takes some statements of its own. */
const PAYOUTS = 20;
/** Each page of them adds up its whole payout. */
const LINES = 1_000;

/** Cursors of these walks never leave the process. */
const CURSORS = { make: JSON.stringify, open: (text: string): unknown => JSON.parse(text) };

/** Payouts by the day of their deposit, or else by the end of their period. */
export async function pageOfPayouts(scope: ReadScope, cursor: unknown, days: Days) {
  const { payouts, nextCursor } = await explainedPayouts(scope, CURSORS, {
    ...(await includedSpan(scope, days)),
    limit: PAYOUTS,
    cursor: cursor as string | null,
  });
  return { rows: payouts.map((one) => writeExplainedPayout(one, 'detail')), next: nextCursor };
}

/** The lines of those payouts. */
export async function pageOfPayoutLines(scope: ReadScope, position: unknown, days: Days) {
  const from = (position as PositionOfLines | null) ?? { cursor: null, after: null };
  const span = await includedSpan(scope, days);
  const { lines, next } = await payoutLines(scope, CURSORS, span, from, LINES);
  return { rows: lines.map((one) => writePayoutLine(one, 'list')), next };
}
