import type { WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { fingerprintOf, type OrderChange, type OrderListener, tell } from './order.ts';
import { readDetail, renderDetail, renderList } from './public/render.ts';
import * as store from './store.ts';
import * as forgotten from './store-forgotten.ts';

/**
 * Forgets who bought these orders of an account: the name goes, the orders stay. `forGood`: neither
 * a name nor a document of them is kept again, also of those that are stored later. `last_updated`
 * moves where a name was shown.
 * @returns how many orders look different now
 */
export async function forgetBuyers(
  scope: WriteScope,
  account: store.AccountOfOrders,
  ids: readonly string[],
  { forGood, listeners }: { forGood: boolean; listeners: readonly OrderListener[] },
): Promise<number> {
  if (ids.length === 0) return 0;
  // Whoever may change an order takes the clock first.
  const first = await store.takeClock(scope, ids.length);
  const rows = await store.versions(
    scope,
    ids.map((id) => ({ ...account, id })),
    { lock: true, detail: true },
  );
  if (forGood) await markForGood(scope, account, ids, rows);
  const changes = rows
    .filter(({ detail_json }) => detail_json !== null && readDetail(detail_json).buyerName !== null)
    .map((row, index) => changeOf(row, first.add({ microseconds: index })));
  if (changes.length === 0) return 0;
  await store.rewrite(
    scope,
    account,
    changes.map(({ row }) => row),
  );
  await tell(listeners, scope, changes);
  return changes.length;
}

async function markForGood(
  scope: WriteScope,
  account: store.AccountOfOrders,
  ids: readonly string[],
  rows: readonly store.StoredVersion[],
): Promise<void> {
  const stored = new Set(rows.map(({ id }) => id));
  await forgotten.markForgotten(scope, account, [...stored]);
  await forgotten.markForgottenAhead(
    scope,
    account,
    ids.filter((id) => !stored.has(id)),
  );
}

function changeOf(
  stored: store.StoredVersion,
  lastUpdated: Instant,
): OrderChange & { row: store.RewrittenOrder } {
  const before = readDetail(stored.detail_json as string);
  const after = {
    ...before,
    buyerName: null,
    changedAt: stored.changed_at,
    fetchedAt: stored.fetched_at,
    raw: null,
  };
  const json = renderList(after, lastUpdated);
  const detailJson = renderDetail(after);
  const row = {
    id: stored.id,
    last_updated: lastUpdated.toString(),
    fingerprint: fingerprintOf(detailJson),
    list_json: json,
    detail_json: detailJson,
  };
  return { row, before, after, lastUpdated, json };
}
