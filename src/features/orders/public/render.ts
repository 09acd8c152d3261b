import { document, type Members, membersIn } from '../../../platform/documents.ts';
import { parseLossless } from '../../../platform/json.ts';
import { formatMicros, formatMillis, type Instant } from '../../../platform/time.ts';
import type { PublicOrder } from '../order.ts';
import { ORDER } from './fields.ts';

export const ORDER_DETAIL = document<PublicOrder>('Una orden con todo su detalle.', ORDER);
export const ORDER_IN_LISTS = document<PublicOrder>('Una orden.', membersIn('list', ORDER));

/**
 * The whole public order of lists, as JSON text. It is rendered under the delta clock, so that a
 * page is a join of stored texts.
 */
export function renderList(order: PublicOrder, lastUpdated: Instant): string {
  return `${ORDER_IN_LISTS.write(order).slice(0, -1)},"last_updated":"${formatMicros(lastUpdated)}"}`;
}

/** The public order of `GET /v1/orders/{id}`, without `status_history` and `last_updated`. */
export function renderDetail(order: PublicOrder): string {
  return ORDER_DETAIL.write(order);
}

/** Public names of the fields of the detail that differ. */
export function changedFields(before: PublicOrder, after: PublicOrder): readonly string[] {
  return MEMBERS.filter(([, { write }]) => write(before) !== write(after)).map(([name]) => name);
}

const MEMBERS = Object.entries<Members<PublicOrder>[string]>(ORDER);
/** Public names of all fields of the detail. */
export const ORDER_FIELDS: readonly string[] = MEMBERS.map(([name]) => name);

/**
 * The stored detail in our own types; for fields that a source could not give again, and for
 * listeners.
 */
export function readDetail(detailJson: string): PublicOrder {
  return ORDER_DETAIL.read(parseLossless(detailJson));
}

export interface HistoryEntry {
  readonly status: string;
  readonly marketplace_status: string;
  readonly at: Instant;
}

/** The detail with the fields that its stored text lacks. */
export function spliceDetail(
  detailJson: string,
  history: readonly HistoryEntry[],
  lastUpdated: Instant,
): string {
  const entries = history.map(({ status, marketplace_status, at }) => ({
    status,
    marketplace_status,
    at: formatMillis(at),
  }));
  return `${detailJson.slice(0, -1)},"status_history":${JSON.stringify(entries)},"last_updated":"${formatMicros(lastUpdated)}"}`;
}
