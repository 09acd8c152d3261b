import type { Handle, WriteScope } from '../../platform/db/database.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import { type Kept, lettersOf, pack, unpackOrNull } from './bundle.ts';
import type { AccountOfOrders } from './order.ts';
import { holdClock } from './store-clock.ts';
import * as store from './store-documents.ts';
import { accountsWithLoose, fromFirstLoose, settle } from './store-packing.ts';
import { noteReplaced } from './store-replaced.ts';

/**
 * Documents of an account repeat each other's words: twenty of them together take a ninth of their
 * size, one alone takes half. Packing fewer loose bundles than this saves nothing.
 */
const LEAST_LOOSE = 8;
const LOOSE_AT_ONCE = 200;
const MOST_ACCOUNTS = 10_000;
/** Of a bundle: a longer one takes little less, and is read and rewritten whole. */
const MOST_LETTERS = 48_000;

/** An account and its organisation. */
interface AccountOfOrganization extends AccountOfOrders {
  readonly organizationId: string;
}

/** Accounts with documents to be packed. */
export async function accountsToPack(handle: Handle): Promise<AccountOfOrganization[]> {
  const places = await accountsWithLoose(handle, LEAST_LOOSE, MOST_ACCOUNTS);
  return places.map(({ organization_id: organizationId, marketplace, account_id: accountId }) => ({
    organizationId,
    marketplace,
    accountId,
  }));
}

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

/**
 * Loose bundles with nothing between them: a bundle covers a span of stamps, and spans must not
 * overlap.
 */
function runsOf(
  found: readonly { readonly recorded_at: Instant; readonly is_loose: boolean }[],
): Instant[][] {
  const runs: Instant[][] = [[]];
  for (const { recorded_at, is_loose } of found) {
    if (is_loose) runs.at(-1)?.push(recorded_at);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 1);
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

interface Unpacked extends store.Bundle {
  readonly texts: readonly Kept[];
}

/**
 * Neighbours that fill a bundle together, in their order; one that does not open stays alone
 * between them.
 */
function groupsOf(
  bundles: readonly (store.Bundle & { texts: readonly Kept[] | null })[],
): Unpacked[][] {
  const groups: Unpacked[][] = [];
  let room = 0;
  for (const { texts, ...bundle } of bundles) {
    if (!texts) {
      room = -1;
      continue;
    }
    const letters = lettersOf(texts);
    if (groups.length === 0 || letters > room) {
      groups.push([]);
      room = MOST_LETTERS;
    }
    groups.at(-1)?.push({ ...bundle, texts });
    room -= letters;
  }
  return groups;
}

function earliest(bundles: readonly store.Bundle[]): Instant | null {
  const [first = null] = bundles
    .flatMap(({ replaced_at }) => replaced_at ?? [])
    .sort(compareInstants);
  return first;
}
