import type { WriteScope } from '../../../platform/db/database.ts';
import { readDetail } from '../public/render.ts';
import { holdClock } from '../store-clock.ts';
import { storedAfter } from '../store-walks.ts';
import { foundBy } from './index-orders.ts';
import * as store from './store.ts';

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
