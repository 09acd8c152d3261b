import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { HistoryEntry } from './public/render.ts';
import type { KeyRow } from './store-keys.ts';

export interface StoredDetailRow extends Pick<Rows['orders'], 'detail_json' | 'last_updated'> {
  /** JSON: status, native status and time of each. */
  readonly history: string;
}

const WANTED = bulk('orders', ['marketplace', 'account_id', 'id'], { place: 'int4' });

/** Each by its key, in the requested order. */
const DETAILS = WANTED.statement<StoredDetailRow>(
  'orders.details',
  (given) => `select found.*, coalesce(passed.history, '[]') as history
     from ${given}
    cross join lateral (
      select o.detail_json, o.last_updated from orders o
       where o.organization_id = $1 and o.marketplace = given.marketplace
         and o.account_id = given.account_id and o.id between given.id and given.id
       order by o.id limit 1) as found
    cross join lateral (
      select json_agg(json_build_array(h.status, h.marketplace_status, h.at)
                      order by h.recorded_at)::text as history
        from order_history h
       where h.organization_id = $1 and h.marketplace = given.marketplace
         and h.account_id = given.account_id and h.order_id = given.id) as passed
    order by given.place`,
);

export interface DetailWithHistory extends Omit<StoredDetailRow, 'history'> {
  readonly history: readonly HistoryEntry[];
}

export async function details(
  scope: ReadScope,
  wanted: readonly KeyRow[],
): Promise<DetailWithHistory[]> {
  const placed = wanted.map((key, place) => ({ ...key, place }));
  const rows = await scope.prepared(DETAILS, DETAILS.values([], placed));
  return rows.map(withHistory);
}

export function withHistory<Row extends { readonly history: string }>(row: Row) {
  const entries = JSON.parse(row.history) as [string, string, string][];
  const history: HistoryEntry[] = entries.map(([status, native, at]) => ({
    status,
    marketplace_status: native,
    at: Temporal.Instant.from(at),
  }));
  return { ...row, history };
}
