import type { Marketplace } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { isDay } from '../../platform/time.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import * as store from './store-withheld-lines.ts';

/** The taxes that a marketplace withheld in a period, as `withheldPeriods` names it. */
interface WithheldSubject {
  readonly period: string;
  readonly marketplace: Marketplace;
}

export const WALK: RowWalk<WithheldSubject, store.WithheldLine, store.LinePosition> = {
  kind: 'withheld-lines',
  instants: {},
  positionOf: ({ account_id, order_id, native_type }) => [account_id, order_id, native_type],
};

/** Whether it is a month, or the first and the last month of a certificate. */
export function isWithheldPeriod(text: string): boolean {
  const [first = '', last = first, ...more] = text.split('/');
  return more.length === 0 && [first, last].every((one) => isDay(`${one}-01`)) && first <= last;
}

/**
 * What the sum of a marketplace in a period is made of: a line for each account and order, whose
 * taxes add up to it.
 * @param period one that `isWithheldPeriod` accepts
 * @throws Failure invalid_cursor
 */
export async function listWithheldLines(
  scope: ReadScope,
  cursors: CursorMaker,
  timezone: string,
  query: WithheldSubject & PageQuery,
) {
  const { rows, nextCursor } = await readPage(
    WALK,
    scope,
    cursors,
    query,
    ({ period, marketplace, after, limit }) =>
      store.withheldLines(scope, marketplace, daysOf(period, timezone), after, limit),
  );
  return { lines: rows, nextCursor };
}

function daysOf(period: string, timezone: string): store.WithheldDays {
  const [first, last = first] = period.split('/');
  const end = Temporal.PlainDate.from(`${last}-01`).add({ months: 1 });
  return { from: `${first}-01`, end: end.toString(), timezone };
}
