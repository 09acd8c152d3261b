import type { WriteHandle } from '../../platform/db/database.ts';
import { holdClock } from './store-clock.ts';
import { link, unlinked } from './store-replaced.ts';
import { accountOf } from './thin-documents.ts';

/**
 * Records at the orders their documents that were stored before orders referred to them.
 * @returns how many bundles were linked, `limit` at most
 */
export async function linkDocuments(handle: WriteHandle, limit: number): Promise<number> {
  const bundles = await unlinked(handle, limit);
  for (const [organizationId, theirs] of Map.groupBy(bundles, (bundle) => bundle.organization_id)) {
    const scope = handle.within(organizationId);
    await holdClock(scope);
    for (const bundle of theirs) await link(scope, accountOf(bundle), bundle.recorded_at);
  }
  return bundles.length;
}
