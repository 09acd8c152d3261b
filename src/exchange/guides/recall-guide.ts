import type { GuideApi } from '../../carriers/contract.ts';
import { lastRestore } from '../../features/backup/index.ts';
import {
  attemptsOf,
  isAlive,
  lineById,
  nextReferences,
  recallAttempt,
} from '../../features/warehouse/index.ts';
import type { OrganizationDatabase } from '../../platform/db/database.ts';

/** A parcel that waits for longer gets no second guide. */
const WATCHED_DAYS = 60;
/** Attempts at one parcel between a backup and its restore. */
const MOST_LOST = 3;

interface Account {
  readonly api: GuideApi;
  readonly connectionId: string;
}

/**
 * After a restore: looks in the carrier's listing for a guide of this line that was bought since the
 * backup, and records its attempt, so that it is not bought again. One that was cancelled since then
 * is recorded as cancelled. Call it with the line's lock.
 * @throws UpstreamError where the listing cannot be read: then no guide may be bought
 */
export async function recallGuide(
  organization: OrganizationDatabase,
  { api, connectionId }: Account,
  batchId: string,
  lineId: string,
): Promise<void> {
  const lost = await organization.read(async (scope) => {
    const recent = scope.clock.now().subtract({ hours: 24 * WATCHED_DAYS });
    const restore = await lastRestore(scope.handle, recent);
    if (restore === null || (await attemptsOf(scope, lineId)).some(isAlive)) return null;
    const line = await lineById(scope, lineId);
    return { restore, line, references: await nextReferences(scope, line, MOST_LOST) };
  });
  if (!lost) return;
  const { restore, line, references } = lost;
  const { asOf: since, restoredAt } = restore;
  for (const reference of references) {
    const guide = await api.find(reference, { from: since, to: restoredAt });
    if (!guide) continue;
    const found = { reference, connectionId, since, guide };
    await organization.write((scope) => recallAttempt(scope, batchId, line, found));
    if (!guide.isCancelled) return;
  }
}
