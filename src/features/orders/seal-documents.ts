import type { WriteScope } from '../../platform/db/database.ts';
import { sealBundle } from './bundle.ts';
import { lockUnsealed, unsealedOrganizations } from './store-sealing.ts';

/** Organisations with documents that were stored before documents were sealed. */
export const organizationsToSeal = unsealedOrganizations;

/**
 * Seals an organisation's documents that a former version stored.
 * @returns how many bundles, `limit` at most
 */
export async function sealDocuments(scope: WriteScope, limit: number): Promise<number> {
  // Before the bundles: a transaction that records orders and makes the key would wait for them.
  await scope.vault();
  const bundles = await lockUnsealed(scope, limit);
  for (const bundle of bundles)
    await sealBundle(
      scope,
      { marketplace: bundle.marketplace, accountId: bundle.account_id },
      bundle,
    );
  return bundles.length;
}
