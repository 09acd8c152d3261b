import { together, type WriteScope } from '../../platform/db/database.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import { isOlderThanStored, type Version } from '../../platform/version.ts';
import { NO_BUYER } from './buyer.ts';
import { completeWithOlder, type FreshCandidate, freshCandidateOf } from './candidate.ts';
import { lacksTimes, readKnown } from './known.ts';
import { byKey, lockOrders } from './lock-orders.ts';
import { hasPricesFor } from './missing-prices.ts';
import {
  type Order,
  type OrderIdentity,
  type OrderListener,
  orderKey,
  type RecordedOrder,
} from './order.ts';
import { forgottenAhead, markArrived } from './store-forgotten-ahead.ts';
import { identityOf } from './store-keys.ts';
import { raiseVersions } from './store-newer-versions.ts';
import { type StoredVersion, versions } from './store-versions.ts';
import { writeOrders } from './write-orders.ts';

/** How many orders of a batch were new or different. */
interface Recorded {
  readonly changed: number;
  readonly unchanged: number;
  /** The changed ones. */
  readonly which: readonly OrderIdentity[];
}

interface Judged {
  readonly verdict: 'changed' | 'newer version' | 'nothing new';
  readonly candidate: FreshCandidate;
  readonly stored: StoredVersion | undefined;
}

/** Stored orders as read, by `orderKey`. */
interface Look {
  readonly stored: ReadonlyMap<string, StoredVersion>;
  /** Whether the clock is held, and the stored rows are read whole. */
  readonly isLocked: boolean;
}

/**
 * Records orders as their sources give them. First compares, without a lock, which orders' public
 * content changed; if any did, locks the organisation's clock and compares again under it, so that
 * stamp order is commit order and the history never names a stale status. Unchanged orders cause no
 * write.
 */
export async function recordOrders(
  scope: WriteScope,
  orders: readonly Order[],
  listeners: readonly OrderListener[] = [],
): Promise<Recorded> {
  const candidates = newestOfEach(orders).map((order) => freshCandidateOf(order, null));
  const judged = judgeAll(scope, candidates, await lookAt(scope, candidates));
  const needsClock = judged.some(({ verdict }) => verdict === 'changed');
  const suspects = needsClock
    ? judged.filter(({ verdict }) => verdict !== 'nothing new')
    : await raise(scope, judged);
  const which = await changeOrders(scope, suspects, listeners);
  return { changed: which.length, unchanged: orders.length - which.length, which };
}

async function lookAt(scope: WriteScope, candidates: readonly FreshCandidate[]): Promise<Look> {
  if (candidates.length === 0) return { stored: new Map(), isLocked: false };
  // The stored content is needed only where a source left something out.
  const detail = candidates.some(({ source }) => source.keep.length > 0);
  const orders = candidates.map(({ order }) => order);
  return { stored: byKey(await versions(scope, orders, { lock: false, detail })), isLocked: false };
}

async function changeOrders(
  scope: WriteScope,
  suspects: readonly Judged[],
  listeners: readonly OrderListener[],
): Promise<readonly OrderIdentity[]> {
  if (suspects.length === 0) return [];
  const candidates = suspects.map(({ candidate }) => candidate);
  const unseen = suspects.filter(({ stored }) => !stored).map(({ candidate }) => candidate.order);
  const [{ first, stored }, forgotten] = await together([
    lockOrders(
      scope,
      candidates.map(({ order }) => order),
    ),
    forgottenAhead(scope, unseen),
  ]);
  const judged = judgeAll(scope, candidates, { stored, isLocked: true });
  await raise(scope, judged);

  const changes = withoutBuyers(judged, forgotten)
    .filter(({ verdict }) => verdict === 'changed')
    .map((one) => ({ candidate: one.candidate, stored: one.stored ?? null }));
  const which = await writeOrders(scope, first, changes, listeners);
  await markArrived(scope, forgotten);
  return which;
}

/** New orders whose buyers had requested erasure are stored without their buyers. */
function withoutBuyers(
  judged: readonly Judged[],
  forgotten: readonly OrderIdentity[],
): readonly Judged[] {
  if (forgotten.length === 0) return judged;
  const keys = new Set(forgotten.map(orderKey));
  return judged.map((one) => {
    if (!keys.has(orderKey(one.candidate.order))) return one;
    const { source } = one.candidate;
    return { ...one, candidate: freshCandidateOf({ ...source, ...NO_BUYER }, null) };
  });
}

/**
 * Same content, newer version: only the version moves.
 * @returns orders whose content another transaction changed in between
 */
async function raise(scope: WriteScope, judged: readonly Judged[]): Promise<Judged[]> {
  const newer = judged.filter(({ verdict }) => verdict === 'newer version');
  if (newer.length === 0) return [];
  const raised = await raiseVersions(
    scope,
    newer.map(({ candidate }) => ({ ...candidate.order, fingerprint: candidate.fingerprint })),
  );
  const done = new Set(raised.map((row) => orderKey(identityOf(row))));
  return newer.filter(({ candidate }) => !done.has(orderKey(candidate.order)));
}

function judgeAll(scope: WriteScope, candidates: readonly FreshCandidate[], look: Look): Judged[] {
  const now = scope.clock.now();
  return candidates.map((candidate) => judge(candidate, look, now));
}

function judge(given: FreshCandidate, look: Look, now: Instant): Judged {
  const stored = look.stored.get(orderKey(given.order));
  if (!stored)
    return { verdict: isGone(given.source) ? 'nothing new' : 'changed', candidate: given, stored };
  if (isOlderThanStored(given.order, versionOf(stored), now))
    return judgeOlder(given, stored, look);
  const isWhole =
    given.source.keep.length === 0 &&
    !stored.is_buyer_forgotten &&
    stored.annotation === null &&
    !lacksTimes(given.source);
  const candidate = isWhole ? given : freshCandidateOf(given.source, stored);
  if (candidate.fingerprint !== stored.fingerprint)
    return { verdict: 'changed', candidate, stored };
  return {
    verdict: isWorthRaising(candidate.order, stored) ? 'newer version' : 'nothing new',
    candidate,
    stored,
  };
}

/** An order that its source no longer has: what was never stored of it does not begin now. */
function isGone({ keep }: Order): boolean {
  return keep.includes('dateCreated');
}

/** An older version changes nothing, unless it has the amounts that the newer one lacked. */
function judgeOlder(given: FreshCandidate, stored: StoredVersion, { isLocked }: Look): Judged {
  const { gap } = readKnown(stored.annotation);
  if (!hasPricesFor(given.source, gap)) return { verdict: 'nothing new', candidate: given, stored };
  return {
    verdict: 'changed',
    candidate: isLocked ? completeWithOlder(stored, given.source, gap) : given,
    stored,
  };
}

function versionOf({ changed_at: changedAt, fetched_at: fetchedAt }: StoredVersion): Version {
  return { changedAt, fetchedAt };
}

/** A version is not raised as long as no older one can be distinguished from it. */
function isWorthRaising(order: RecordedOrder, stored: StoredVersion): boolean {
  if (!order.changedAt) return false;
  return !stored.changed_at || compareInstants(order.changedAt, stored.changed_at) > 0;
}

/** A page may carry one order twice: the newer version counts, and of equal ones the later. */
function newestOfEach(orders: readonly Order[]): Order[] {
  const newest = new Map<string, Order>();
  for (const order of orders) {
    const other = newest.get(orderKey(order));
    const isOlderOne =
      other?.changedAt && order.changedAt && compareInstants(order.changedAt, other.changedAt) < 0;
    if (!isOlderOne) newest.set(orderKey(order), order);
  }
  return [...newest.values()];
}
