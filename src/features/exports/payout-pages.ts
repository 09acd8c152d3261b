import type { ReadScope } from '../../platform/db/database.ts';
import {
  describePayout,
  explainedPayouts,
  type PositionOfLines,
  payoutLines,
  writeExplainedPayout,
  writePayoutLine,
} from '../ledger/index.ts';
import { includedSpan } from './span.ts';
import type { ExportTerms } from './terms.ts';

/** Each takes some statements of its own. */
const PAYOUTS = 20;
/** Each page of them adds up its whole payout. */
const LINES = 1_000;

/** Cursors of these walks never leave the process. */
const CURSORS = { make: JSON.stringify, open: (text: string): unknown => JSON.parse(text) };

type Terms = Pick<ExportTerms, 'from' | 'to' | 'marketplace' | 'payout'>;

/** Payouts by the day of their deposit, or else by the end of their period. */
export async function pageOfPayouts(scope: ReadScope, cursor: unknown, terms: Terms) {
  const { payouts, nextCursor } = await explainedPayouts(scope, CURSORS, {
    ...(await spanOf(scope, terms)),
    limit: PAYOUTS,
    cursor: cursor as string | null,
  });
  return { rows: payouts.map((one) => writeExplainedPayout(one, 'detail')), next: nextCursor };
}

/** The lines of those payouts, or of the only one. */
export async function pageOfPayoutLines(scope: ReadScope, position: unknown, terms: Terms) {
  const { marketplace, payout } = terms;
  if (marketplace && payout) {
    const cursor = position as string | null;
    const query = { marketplace, ...payout, limit: LINES, cursor };
    const found = await describePayout(scope, CURSORS, query);
    if (!found) return { rows: [], next: null };
    const rows = found.lines.map((line) =>
      writePayoutLine({ ...line, payout: found.payout }, 'list'),
    );
    return { rows, next: found.nextCursor };
  }
  const from = (position as PositionOfLines | null) ?? { cursor: null, after: null };
  const { lines, next } = await payoutLines(
    scope,
    CURSORS,
    await spanOf(scope, terms),
    from,
    LINES,
  );
  return { rows: lines.map((one) => writePayoutLine(one, 'list')), next };
}

async function spanOf(scope: ReadScope, terms: Terms) {
  const marketplace = terms.marketplace ? [terms.marketplace] : [];
  return { ...(await includedSpan(scope, terms)), marketplace };
}
