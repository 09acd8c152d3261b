import { together, type WriteScope } from '../../platform/db/database.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import { isOlderThanStored, type Version } from '../../platform/version.ts';
import { type FreshCandidate, fill, NO_BUYER, prepare } from './candidate.ts';
import { lacksTimes, readKnown } from './known.ts';
import type { Order, OrderIdentity, OrderListener, RecordedOrder } from './order.ts';
import type { StoredVersion } from './store.ts';
import * as store from './store.ts';
import { forgottenAhead, markArrived } from './store-forgotten.ts';
import { fills } from './withheld.ts';
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

interface Look {
  /** Whether the clock is held, and the stored rows are read whole. */
  readonly lock: boolean;
  readonly now: Instant;
}

/**
 * The only writer of orders. Looks first, without a lock, which orders' public content changed; if
 * any did, takes the organisation's clock row and looks again under it, so that stamp order is
 * commit order and the history never names a stale status. Unchanged orders cost no write.
 */
export async function recordOrders(
  scope: WriteScope,
  orders: readonly Order[],
  listeners: readonly OrderListener[] = [],
): Promise<Recorded> {
  const newest = newestOfEach(orders);
  const judged = await judgeAll(
    scope,
    newest.map((order) => prepare(order, null)),
    { lock: false },
  );
  const needsClock = judged.some(({ verdict }) => verdict === 'changed');
  const suspects = needsClock
    ? judged.filter(({ verdict }) => verdict !== 'nothing new')
    : await raise(scope, judged);
  const which = await changeOrders(scope, suspects, listeners);
  return { changed: which.length, unchanged: orders.length - which.length, which };
}

async function changeOrders(
  scope: WriteScope,
  suspects: readonly Judged[],
  listeners: readonly OrderListener[],
): Promise<readonly OrderIdentity[]> {
  if (suspects.length === 0) return [];
  const unseen = suspects.filter(({ stored }) => !stored).map(({ candidate }) => candidate.order);
  // The look begins when the clock was taken: a statement sees what was committed before it began.
  const [first, judged, forgotten] = await together([
    store.takeClock(scope, suspects.length),
    judgeAll(
      scope,
      suspects.map(({ candidate }) => candidate),
      { lock: true },
    ),
    forgottenAhead(scope, unseen),
  ]);
  await raise(scope, judged);

  const changes = withoutBuyers(judged, forgotten)
    .filter(({ verdict }) => verdict === 'changed')
    .map(({ candidate, stored }) => ({ candidate, stored: stored ?? null }));
  const which = await writeOrders(scope, first, changes, listeners);
  await markArrived(scope, forgotten);
  return which;
}

/**
 * Orders that come for the first time, and whose buyers had asked to be forgotten, are stored
 * without them.
 */
function withoutBuyers(
  judged: readonly Judged[],
  forgotten: readonly OrderIdentity[],
): readonly Judged[] {
  if (forgotten.length === 0) return judged;
  const keys = new Set(forgotten.map(keyOf));
  return judged.map((one) => {
    if (!keys.has(keyOf(one.candidate.order))) return one;
    const { source } = one.candidate;
    return { ...one, candidate: prepare({ ...source, ...NO_BUYER }, null) };
  });
}

/**
 * Same content, newer version: the version alone moves.
 * @returns those for which it could not, because somebody wrote another content in between.
 */
async function raise(scope: WriteScope, judged: readonly Judged[]): Promise<Judged[]> {
  const newer = judged.filter(({ verdict }) => verdict === 'newer version');
  if (newer.length === 0) return [];
  const raised = await store.raiseVersions(
    scope,
    newer.map(({ candidate }) => ({ ...candidate.order, fingerprint: candidate.fingerprint })),
  );
  const done = new Set(raised.map(keyOfRow));
  return newer.filter(({ candidate }) => !done.has(keyOf(candidate.order)));
}

async function judgeAll(
  scope: WriteScope,
  candidates: readonly FreshCandidate[],
  { lock }: { lock: boolean },
): Promise<Judged[]> {
  if (candidates.length === 0) return [];
  // The second look needs what stood there before; the first one only where a source left something
  // out.
  const detail = lock || candidates.some(({ source }) => source.keep.length > 0);
  const rows = await store.versions(
    scope,
    candidates.map(({ order }) => order),
    { lock, detail },
  );
  const stored = new Map(rows.map((row) => [keyOfRow(row), row]));
  const look = { lock, now: scope.clock.now() };
  return candidates.map((candidate) => judge(candidate, stored.get(keyOf(candidate.order)), look));
}

function judge(given: FreshCandidate, stored: StoredVersion | undefined, look: Look): Judged {
  if (!stored) return { verdict: 'changed', candidate: given, stored };
  if (isOlderThanStored(given.order, versionOf(stored), look.now))
    return judgeOlder(given, stored, look);
  const isWhole =
    given.source.keep.length === 0 &&
    !stored.is_buyer_forgotten &&
    stored.annotation === null &&
    !lacksTimes(given.source);
  const candidate = isWhole ? given : prepare(given.source, stored);
  if (candidate.fingerprint !== stored.fingerprint)
    return { verdict: 'changed', candidate, stored };
  return {
    verdict: isWorthRaising(candidate.order, stored) ? 'newer version' : 'nothing new',
    candidate,
    stored,
  };
}

/** An older version changes nothing, unless it tells the money that the newer one could not. */
function judgeOlder(given: FreshCandidate, stored: StoredVersion, { lock }: Look): Judged {
  const { gap } = readKnown(stored.annotation);
  if (!fills(given.source, gap)) return { verdict: 'nothing new', candidate: given, stored };
  return { verdict: 'changed', candidate: lock ? fill(given.source, stored, gap) : given, stored };
}

function versionOf({ changed_at: changedAt, fetched_at: fetchedAt }: StoredVersion): Version {
  return { changedAt, fetchedAt };
}

/** A version that is not raised costs nothing as long as no older one can be told from it. */
function isWorthRaising(order: RecordedOrder, stored: StoredVersion): boolean {
  if (!order.changedAt) return false;
  return !stored.changed_at || compareInstants(order.changedAt, stored.changed_at) > 0;
}

/** A page may carry one order twice: the newer version counts, and of equal ones the later. */
function newestOfEach(orders: readonly Order[]): Order[] {
  const newest = new Map<string, Order>();
  for (const order of orders) {
    const other = newest.get(keyOf(order));
    const isOlderOne =
      other?.changedAt && order.changedAt && compareInstants(order.changedAt, other.changedAt) < 0;
    if (!isOlderOne) newest.set(keyOf(order), order);
  }
  return [...newest.values()];
}

function keyOf({ marketplace, accountId, id }: OrderIdentity): string {
  return `${marketplace}\n${accountId}\n${id}`;
}

function keyOfRow(row: { marketplace: string; account_id: string; id: string }): string {
  return `${row.marketplace}\n${row.account_id}\n${row.id}`;
}
