import type { WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { pack, unpackOrNull } from './bundle.ts';
import { earliest, groupsOf, runsOf } from './group-bundles.ts';
import type { AccountOfOrders } from './order.ts';
import { holdClock } from './store-clock.ts';
import * as store from './store-documents.ts';
import { fromFirstLoose, settle } from './store-packing.ts';
import { noteReplaced } from './store-replaced.ts';

const LOOSE_AT_ONCE = 200;

/**
 * Packs an account's loose documents into bundles. The clock is held, so that none is stored in
 * between.
 * @returns whether there may be more
 */
export async function packDocuments(scope: WriteScope, account: AccountOfOrders): Promise<boolean> {
  await holdClock(scope);
  const found = await fromFirstLoose(scope, account, LOOSE_AT_ONCE);
  const loose = found.filter(({ is_loose }) => is_loose).map(({ recorded_at }) => recorded_at);
  for (const neighbours of runsOf(found)) await packNeighbours(scope, account, neighbours);
  await settle(scope, account, loose);
  return found.length === LOOSE_AT_ONCE;
}

async function packNeighbours(
  scope: WriteScope,
  account: AccountOfOrders,
  stamps: readonly Instant[],
): Promise<void> {
  const bundles = await store.lockBundles(scope, account, stamps);
  const read = bundles.map(async (bundle) => ({
    ...bundle,
    texts: await unpackOrNull(scope, account, bundle),
  }));
  for (const [first, ...others] of groupsOf(await Promise.all(read))) {
    if (!first || others.length === 0) continue;
    const all = [first, ...others];
    const { recorded_at } = first;
    const content = await pack(
      scope,
      account,
      recorded_at,
      all.flatMap(({ texts }) => texts),
    );
    await store.replace(scope, account, recorded_at, content);
    await noteReplaced(scope, account, recorded_at, earliest(all));
    await store.remove(
      scope,
      account,
      others.map(({ recorded_at }) => recorded_at),
    );
  }
}
