import type { WriteHandle, WriteScope } from '../../platform/db/database.ts';
import type { Retention } from '../../platform/db/retention.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import { reduce, unpackOrNull } from './bundle.ts';
import type { AccountOfOrders } from './order.ts';
import type { BundleAccount, BundleOfAccount } from './store-documents.ts';
import {
  type Fate,
  fatesOf,
  lockReplacedBefore,
  lockReplacedOf,
  noteReplaced,
  organizationsWithReplaced,
} from './store-replaced.ts';

/** Each bundle holds many documents, and is compressed again. */
const BUNDLES_AT_ONCE = 10;

/**
 * Removes documents that a newer one replaced before that time. The last document of an order
 * stays.
 * @returns how many bundles were searched, `limit` at most
 */
export async function thinDocuments(
  handle: WriteHandle,
  before: Instant,
  limit: number,
): Promise<number> {
  const bundles = await lockReplacedBefore(handle, before, limit);
  for (const bundle of bundles) await thin(handle.within(bundle.organization_id), bundle, before);
  return bundles.length;
}

/** A document stays for so many days after a newer one replaced it. */
export function documentRetention(keepDays: number): Retention {
  return {
    table: 'order_documents',
    keepDays,
    atOnce: BUNDLES_AT_ONCE,
    remove: thinDocuments,
    byOrganization: { find: organizationsWithReplaced, remove: thinDocumentsOf },
  };
}

async function thinDocumentsOf(scope: WriteScope, before: Instant, limit: number): Promise<number> {
  const bundles = await lockReplacedOf(scope, before, limit);
  for (const bundle of bundles) await thin(scope, bundle, before);
  return bundles.length;
}

async function thin(scope: WriteScope, bundle: BundleOfAccount, before: Instant): Promise<void> {
  const account = accountOf(bundle);
  const fates = await fatesOf(scope, account, bundle);
  const stays = ({ is_known, replaced_at }: Fate) =>
    is_known && (replaced_at === null || compareInstants(replaced_at, before) >= 0);
  const kept = fates.some(stays) ? await unpackOrNull(scope, account, bundle) : [];
  // A bundle that does not open is removed once none of its documents is to stay.
  const left = kept?.filter((_, index) => stays(fates[index] as Fate));
  if (left) await reduce(scope, account, bundle, left);
  const [next = null] = fates
    .filter(stays)
    .flatMap(({ replaced_at }) => replaced_at ?? [])
    .sort(compareInstants);
  await noteReplaced(scope, account, bundle.recorded_at, next);
}

export function accountOf({ marketplace, account_id }: BundleAccount): AccountOfOrders {
  return { marketplace, accountId: account_id };
}
