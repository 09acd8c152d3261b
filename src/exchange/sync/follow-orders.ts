import { LAST_LOOK, linkOlderCfdis } from '../../features/cfdi/index.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import { findSoon } from './find-in-account.ts';
import { followUpOf } from './follow-up.ts';
import type { Origin } from './origin.ts';
import type { FollowParts } from './store-money.ts';

/** A sync run that came to its end. */
export interface FinishedRun {
  /** The beginning of its window; null = it read everything. */
  readonly from: Instant | null;
  /** Things of its last slice that were new or different. */
  readonly changed: number;
}

/**
 * After a sync run of orders: those that are older than the last look of their CFDI are linked
 * before findings are looked for.
 */
export async function followOrders(
  parts: FollowParts,
  origin: Origin,
  run: FinishedRun,
): Promise<void> {
  if (mayHaveOld(origin, run)) {
    const { listeners } = followUpOf(parts, origin.isFirstImport);
    await linkOlderCfdis(parts.database.within(origin.connection.organizationId), listeners);
  }
  await findSoon(parts, origin);
}

/** A first import, or the first run after an account was not read for long. */
function mayHaveOld({ isFirstImport, startedAt }: Origin, { from, changed }: FinishedRun): boolean {
  if (isFirstImport) return true;
  const isLong = from === null || compareInstants(from, startedAt.subtract(LAST_LOOK)) < 0;
  return isLong && changed > 0;
}
