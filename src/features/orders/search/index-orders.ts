import { flushed, type WriteScope } from '../../../platform/db/database.ts';
import type { OrderChange, OrderListener, PublicOrder } from '../order.ts';
import { readDetail } from '../public/render.ts';
import { holdClock } from '../store-clock.ts';
import { keyRowOf } from '../store-keys.ts';
import { storedAfter } from '../store-walks.ts';
import * as store from './store.ts';
import { sourcesOf, termsOf, titlesOf } from './terms.ts';

/** Keeps what orders are found by, in the transaction that changes them. */
export const indexOrders: OrderListener = async (scope, changes) => {
  // Queries of other listeners are sent first: computing takes a while.
  await flushed();
  const moves = changes.map(moveOf).filter((move) => move !== null);
  await store.removeTerms(
    scope,
    moves.flatMap(({ former, now }) => missing(former.rows, now.rows)),
  );
  await store.addTerms(
    scope,
    moves.flatMap(({ former, now }) => missing(now.rows, former.rows)),
  );
  const titles = moves.flatMap(({ former, now }) =>
    now.titles.filter((title) => !former.titles.includes(title)),
  );
  await store.addTitles(scope, [...new Set(titles)]);
};

/** Organisations with orders that are older than their terms. */
export { waiting as organizationsToIndex } from './store.ts';

/**
 * Gives some older orders their terms; no order changes meanwhile. Twice, because a former release
 * may run beside the first time.
 * @returns how many; fewer than the limit = all have them
 */
export async function indexOlderOrders(scope: WriteScope, limit: number): Promise<number> {
  await holdClock(scope);
  const build = await store.buildOf(scope);
  if (!build) return 0;
  const stored = await storedAfter(scope, build, limit);
  const found = stored.map(({ detail_json }) => foundBy(readDetail(detail_json)));
  await store.addTerms(
    scope,
    found.flatMap(({ rows }) => [...rows.values()]),
  );
  await store.addTitles(scope, [...new Set(found.flatMap(({ titles }) => titles))]);
  const last = stored.at(-1);
  if (last && stored.length === limit) {
    const { marketplace, account_id, id } = last;
    await store.moveBuild(scope, { marketplace, account_id, id });
  } else await (build.is_repeated ? store.endBuild(scope) : store.repeatBuild(scope));
  return stored.length;
}

/** By position and term: an order that moves in lists has other rows. */
type Rows = ReadonlyMap<string, store.TermRow>;

/** What an order is found by. */
interface FoundBy {
  readonly rows: Rows;
  readonly titles: readonly string[];
}

const BY_NOTHING: FoundBy = { rows: new Map(), titles: [] };

/** Null where the order is found as before, as after most changes. */
function moveOf({ before, after }: OrderChange): { former: FoundBy; now: FoundBy } | null {
  if (before && searchKey(before) === searchKey(after)) return null;
  return { former: before ? foundBy(before) : BY_NOTHING, now: foundBy(after) };
}

/** Equal for orders that are found by the same terms at the same position. */
function searchKey(order: PublicOrder): string {
  return JSON.stringify([order.dateCreated.epochMilliseconds, sourcesOf(order)]);
}

function foundBy(order: PublicOrder): FoundBy {
  const sources = sourcesOf(order);
  const position = { newest_first: -order.dateCreated.epochMilliseconds, ...keyRowOf(order) };
  const rows = new Map(
    termsOf(sources).map((term) => [`${position.newest_first} ${term}`, { term, ...position }]),
  );
  return { rows, titles: titlesOf(sources) };
}

/** The rows that the others do not have. */
function missing(rows: Rows, others: Rows): store.TermRow[] {
  return [...rows].filter(([key]) => !others.has(key)).map(([, row]) => row);
}
