import { LAST_LOOK, linkDueCfdis, makeOlderCfdisDue } from '../../features/cfdi/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import { findSoon } from './find-in-account.ts';
import { listenersByOrigin } from './follow-up.ts';
import type { Origin } from './origin.ts';
import type { FollowParts } from './store-money.ts';

/** A sync run that came to its end. */
export interface FinishedRun {
  /** The beginning of its window; null = it read everything. */
  readonly from: Instant | null;
  /** Things of its last slice that were new or different. */
  readonly changed: number;
}

/** At the end of a sync run that may have orders which are older than the last look of their CFDI. */
export async function finishOrders(
  scope: WriteScope,
  origin: Origin,
  run: FinishedRun,
): Promise<number> {
  if (mayHaveOld(origin, run)) await makeOlderCfdisDue(scope);
  return 0;
}

/** After a sync run of orders: CFDI have their old orders before findings are looked for. */
export async function followOrders(
  parts: FollowParts,
  origin: Origin,
  run: FinishedRun,
): Promise<void> {
  if (mayHaveOld(origin, run)) {
    const listeners = listenersByOrigin(parts);
    const organization = parts.database.within(origin.connection.organizationId);
    await linkDueCfdis(organization, (isBackfill) => listeners(origin.isFirstImport || isBackfill));
  }
  await findSoon(parts, origin);
}

/** A first import, or the first run after an account was not read for long. */
function mayHaveOld({ isFirstImport, startedAt }: Origin, { from, changed }: FinishedRun): boolean {
  if (isFirstImport) return true;
  const isLong = from === null || compareInstants(from, startedAt.subtract(LAST_LOOK)) < 0;
  return isLong && changed > 0;
}
