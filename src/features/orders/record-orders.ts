import { together, type WriteScope } from '../../platform/db/database.ts';
import {
  compareInstants,
  epochMicros,
  formatMicros,
  fromEpochMicros,
  type Instant,
} from '../../platform/time.ts';
import { ownShipping, readAnnotation, renderAnnotation, withAnnotation } from './annotation.ts';
import { keepDocuments } from './documents.ts';
import {
  abbreviate,
  fingerprintOf,
  isRefunded,
  type Order,
  type OrderChange,
  type OrderIdentity,
  type OrderListener,
  type PublicOrder,
  tell,
} from './order.ts';
import { readDetail, renderDetail, renderList } from './present.ts';
import type { StoredVersion } from './store.ts';
import * as store from './store.ts';

/** How many orders of a batch were new or different. */
interface Recorded {
  readonly changed: number;
  readonly unchanged: number;
  /** The changed ones. */
  readonly which: readonly OrderIdentity[];
}

/** An order ready to be compared and stored. */
interface Candidate {
  /** As it came. */
  readonly source: Order;
  readonly order: Order;
  readonly annotation: string | null;
  readonly detailJson: string;
  readonly fingerprint: string;
}

interface Judged {
  readonly verdict: 'changed' | 'newer version' | 'nothing new';
  readonly candidate: Candidate;
  readonly stored: StoredVersion | undefined;
}

interface Change extends OrderChange {
  readonly row: store.OrderRow;
}

/**
 * The only writer of orders. Looks first, without a lock, which orders' public content changed; if any did,
 * takes the organisation's clock row and looks again under it, so that stamp order is commit order and the
 * history never names a stale status. Unchanged orders cost no write.
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
  const which = await writeChanges(scope, suspects, listeners);
  return { changed: which.length, unchanged: orders.length - which.length, which };
}

async function writeChanges(
  scope: WriteScope,
  suspects: readonly Judged[],
  listeners: readonly OrderListener[],
): Promise<readonly OrderIdentity[]> {
  if (suspects.length === 0) return [];
  // The look begins when the clock was taken: a statement sees what was committed before it began.
  const [first, judged] = await together([
    store.takeClock(scope, suspects.length),
    judgeAll(
      scope,
      suspects.map(({ candidate }) => candidate),
      { lock: true },
    ),
  ]);
  await raise(scope, judged);

  const firstMicros = epochMicros(first);
  const changes = judged
    .filter(({ verdict }) => verdict === 'changed')
    .map((change, index) => changeOf(change, fromEpochMicros(firstMicros + index)));
  if (changes.length === 0) return [];
  // What listeners look up first is answered while the rows are written, so that what they add comes right behind.
  await together([
    tell(listeners, scope, changes),
    store.upsert(
      scope,
      changes.map(({ row }) => row),
    ),
    store.addHistory(scope, changes.flatMap(historyOf)),
    keepDocuments(scope, changes),
  ]);
  return changes.map(({ after }) => after);
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
  candidates: readonly Candidate[],
  { lock }: { lock: boolean },
): Promise<Judged[]> {
  if (candidates.length === 0) return [];
  // The second look needs what stood there before; the first one only where a source left something out.
  const detail = lock || candidates.some(({ source }) => source.keep.length > 0);
  const rows = await store.versions(
    scope,
    candidates.map(({ order }) => order),
    { lock, detail },
  );
  const stored = new Map(rows.map((row) => [keyOfRow(row), row]));
  return candidates.map((candidate) => judge(candidate, stored.get(keyOf(candidate.order))));
}

function judge(given: Candidate, stored: StoredVersion | undefined): Judged {
  if (!stored) return { verdict: 'changed', candidate: given, stored };
  if (isOlder(given.order, stored)) return { verdict: 'nothing new', candidate: given, stored };
  const isWhole = given.source.keep.length === 0 && !stored.is_buyer_forgotten && stored.annotation === null;
  const candidate = isWhole ? given : prepare(given.source, stored);
  if (candidate.fingerprint !== stored.fingerprint) return { verdict: 'changed', candidate, stored };
  return {
    verdict: isWorthRaising(candidate.order, stored) ? 'newer version' : 'nothing new',
    candidate,
    stored,
  };
}

/**
 * Fills in what the source could not give this time from what is stored, and what others know of it; abbreviates
 * the buyer, or forgets them.
 */
function prepare(source: Order, stored: StoredVersion | null): Candidate {
  const kept = stored?.detail_json
    ? withOwnShipping(readDetail(stored.detail_json), stored.annotation)
    : null;
  const gaps = kept
    ? Object.fromEntries(source.keep.map((field) => [field, kept[field as keyof typeof kept]]))
    : {};
  const forgotten = stored?.is_buyer_forgotten ? { buyerName: null, raw: null } : {};
  const whole = { ...source, ...gaps, ...forgotten };
  // Who could not tell the refunds could not tell that they cover the order either.
  const status = source.keep.includes('refundedTotal') && isRefunded(whole) ? 'refunded' : whole.status;
  const known = readAnnotation(stored?.annotation ?? null);
  const order = withAnnotation({ ...whole, status, buyerName: abbreviate(whole.buyerName) }, known);
  const detailJson = renderDetail(order);
  const annotation = renderAnnotation(known, whole.shipping);
  return { source, order, annotation, detailJson, fingerprint: fingerprintOf(detailJson) };
}

function withOwnShipping(kept: PublicOrder, annotation: string | null): PublicOrder {
  return { ...kept, shipping: ownShipping(kept, annotation) };
}

/** Versions follow the source's change time; where either is silent or both agree, the time of the fetch. */
function isOlder(order: Order, stored: StoredVersion): boolean {
  const byChange =
    order.changedAt && stored.changed_at ? compareInstants(order.changedAt, stored.changed_at) : 0;
  return (byChange || compareInstants(order.fetchedAt, stored.fetched_at)) < 0;
}

/** A version that is not raised costs nothing as long as no older one can be told from it. */
function isWorthRaising(order: Order, stored: StoredVersion): boolean {
  if (!order.changedAt) return false;
  return !stored.changed_at || compareInstants(order.changedAt, stored.changed_at) > 0;
}

function changeOf({ candidate, stored }: Judged, lastUpdated: Instant): Change {
  const { order, annotation, detailJson, fingerprint } = candidate;
  const json = renderList(order, lastUpdated);
  const row = {
    marketplace: order.marketplace,
    account_id: order.accountId,
    id: order.id,
    connection_id: order.connectionId,
    status: order.status,
    marketplace_status: order.marketplaceStatus,
    total: order.total,
    currency: order.currency,
    date_created: formatMicros(order.dateCreated),
    newest_first: -order.dateCreated.epochMilliseconds,
    last_updated: formatMicros(lastUpdated),
    changed_at: order.changedAt && formatMicros(order.changedAt),
    fetched_at: formatMicros(order.fetchedAt),
    fingerprint,
    list_json: json,
    detail_json: detailJson,
    annotation,
  };
  const before = stored?.detail_json ? readDetail(stored.detail_json) : null;
  return { row, before, after: order, lastUpdated, json };
}

function historyOf({ before, after, row }: Change): store.HistoryRow[] {
  if (before?.status === after.status && before.marketplaceStatus === after.marketplaceStatus) return [];
  return [
    {
      marketplace: after.marketplace,
      account_id: after.accountId,
      order_id: after.id,
      recorded_at: row.last_updated,
      at: row.changed_at ?? row.last_updated,
      status: after.status,
      marketplace_status: after.marketplaceStatus,
      previous_status: before?.status ?? null,
    },
  ];
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
