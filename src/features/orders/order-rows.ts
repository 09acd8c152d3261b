import { formatMicros, type Instant } from '../../platform/time.ts';
import type { Candidate } from './candidate.ts';
import type { DocumentedChange } from './keep-documents.ts';
import { readDetail, renderList } from './public/render.ts';
import type { OrderRow } from './store-content.ts';
import type { HistoryRow } from './store-order-history.ts';
import type { StoredVersion } from './store-versions.ts';

/** A content that replaces the stored one. */
export interface Replacement {
  readonly candidate: Candidate;
  readonly stored: StoredVersion | null;
}

interface Change extends DocumentedChange {
  readonly row: OrderRow;
}

export function changeOf({ candidate, stored }: Replacement, lastUpdated: Instant): Change {
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

export function historyOf({ before, row }: Change): HistoryRow[] {
  const { marketplace, account_id, id: order_id, status, marketplace_status } = row;
  if (before?.status === status && before.marketplaceStatus === marketplace_status) return [];
  const recorded_at = row.last_updated;
  const at = row.changed_at ?? recorded_at;
  const order = { marketplace, account_id, order_id };
  const previous_status = before?.status ?? null;
  return [{ ...order, recorded_at, at, status, marketplace_status, previous_status }];
}
