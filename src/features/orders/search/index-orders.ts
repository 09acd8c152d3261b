import { flushed, type WriteScope } from '../../../platform/db/database.ts';
import type { OrderListener, PublicOrder } from '../order.ts';
import { readDetail } from '../public/render.ts';
import { holdClock } from '../store-clock.ts';
import { keyRowOf } from '../store-keys.ts';
import { storedAfter } from '../store-walks.ts';
import * as store from './store.ts';
import { termsOf, titlesOf } from './terms.ts';

/** Keeps what orders are found by, in the transaction that changes them. */
export const indexOrders: OrderListener = async (scope, changes) => {
  // Queries of other listeners are sent first: computing takes a while.
  await flushed();
  const moves = changes.map(({ before, after }) => ({
    former: before ? rowsOf(before) : NO_ROWS,
    now: rowsOf(after),
  }));
  await store.removeTerms(
    scope,
    moves.flatMap(({ former, now }) => missing(former, now)),
  );
  await store.addTerms(
    scope,
    moves.flatMap(({ former, now }) => missing(now, former)),
  );
  const titles = changes.flatMap(({ before, after }) => newTitles(before, after));
  await store.addTitles(scope, [...new Set(titles)]);
};

/** Organisations with orders that are older than their terms. */
export { waiting as organizationsToIndex } from './store.ts';

/**
 * Gives some older orders their terms; no order changes meanwhile.
 * @returns how many; fewer than the limit = all have them
 */
export async function indexOlderOrders(scope: WriteScope, limit: number): Promise<number> {
  await holdClock(scope);
  const after = await store.builtUntil(scope);
  if (!after) return 0;
  const stored = await storedAfter(scope, after, limit);
  const orders = stored.map(({ detail_json }) => readDetail(detail_json));
  await store.addTerms(
    scope,
    orders.flatMap((order) => [...rowsOf(order).values()]),
  );
  await store.addTitles(scope, [...new Set(orders.flatMap(titlesOf))]);
  const last = stored.at(-1);
  if (!last || stored.length < limit) await store.endBuild(scope);
  else {
    const { marketplace, account_id, id } = last;
    await store.moveBuild(scope, { marketplace, account_id, id });
  }
  return stored.length;
}

const NO_ROWS: Rows = new Map();
type Rows = ReadonlyMap<string, store.TermRow>;

/** The rows that the others do not have. */
function missing(rows: Rows, others: Rows): store.TermRow[] {
  return [...rows].filter(([key]) => !others.has(key)).map(([, row]) => row);
}

function newTitles(before: PublicOrder | null, after: PublicOrder): string[] {
  const known = new Set(before ? titlesOf(before) : []);
  return titlesOf(after).filter((title) => !known.has(title));
}

/** By place and term: an order that moves in lists has other rows. */
function rowsOf(order: PublicOrder): Rows {
  const place = { newest_first: -order.dateCreated.epochMilliseconds, ...keyRowOf(order) };
  return new Map(
    termsOf(order).map((term) => [`${place.newest_first} ${term}`, { term, ...place }]),
  );
}
