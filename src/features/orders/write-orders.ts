import { together, type WriteScope } from '../../platform/db/database.ts';
import { epochMicros, formatMicros, fromEpochMicros, type Instant } from '../../platform/time.ts';
import type { Candidate } from './candidate.ts';
import { type DocumentedChange, keepDocuments } from './keep-documents.ts';
import { notifyListeners, type OrderIdentity, type OrderListener } from './order.ts';
import { readDetail, renderList } from './public/render.ts';
import { type OrderRow, upsertOrders } from './store-content.ts';
import { addHistory, type HistoryRow } from './store-order-history.ts';
import type { StoredVersion } from './store-versions.ts';

/** A content that replaces the stored one. */
interface Replacement {
  readonly candidate: Candidate;
  readonly stored: StoredVersion | null;
}

interface Change extends DocumentedChange {
  readonly row: OrderRow;
}

/**
 * The only writer of orders' public content: stores the replacements with their history and their
 * documents and notifies the listeners. The delta clock must be held.
 * @param first the stamp of the first one; each further one has the next microsecond
 */
export async function writeOrders(
  scope: WriteScope,
  first: Instant,
  replacements: readonly Replacement[],
  listeners: readonly OrderListener[],
): Promise<readonly OrderIdentity[]> {
  if (replacements.length === 0) return [];
  const firstMicros = epochMicros(first);
  const changes = replacements.map((replacement, index) =>
    changeOf(replacement, fromEpochMicros(firstMicros + index)),
  );
  // The listeners' first queries are answered while the rows are written, so that their own writes
  // follow without a pause.
  await together([
    notifyListeners(listeners, scope, changes),
    upsertOrders(
      scope,
      changes.map(({ row }) => row),
    ),
    addHistory(scope, changes.flatMap(historyOf)),
    keepDocuments(scope, changes),
  ]);
  return changes.map(({ after }) => after);
}

function changeOf({ candidate, stored }: Replacement, lastUpdated: Instant): Change {
  const { order, annotation, detailJson, fingerprint, toldAt, representation } = candidate;
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
    representation,
    documented_at: order.raw === null ? null : formatMicros(lastUpdated),
    told_at: toldAt && formatMicros(toldAt === 'now' ? lastUpdated : toldAt),
  };
  const before = stored?.detail_json ? readDetail(stored.detail_json) : null;
  return {
    row,
    before,
    after: order,
    lastUpdated,
    json,
    documentedBefore: stored?.documented_at ?? null,
    surplus: stored?.surplus_at ?? null,
  };
}

function historyOf({ before, row }: Change): HistoryRow[] {
  const { marketplace, account_id, id: order_id, status, marketplace_status } = row;
  if (before?.status === status && before.marketplaceStatus === marketplace_status) return [];
  const recorded_at = row.last_updated;
  const at = row.changed_at ?? recorded_at;
  const order = { marketplace, account_id, order_id };
  const previous_status = before?.status ?? null;
  return [{ ...order, recorded_at, at, status, marketplace_status, previous_status }];
}
