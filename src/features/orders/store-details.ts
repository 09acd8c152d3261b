import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { HistoryEntry } from './public/render.ts';
import type { KeyRow } from './store-keys.ts';

type DetailRow = Pick<
  Rows['orders'],
  'marketplace' | 'account_id' | 'detail_json' | 'last_updated'
>;

/** The external id, the marketplace and the account; null = any. */
type WhichRow = readonly [id: string, marketplace: string | null, accountId: string | null];

const WITH_ID = `where organization_id = $1 and id = $2 and ($3::text is null or marketplace = $3)
      and ($4::text is null or account_id = $4)`;

const BY_ID = statement<DetailRow>(
  'orders.by-id',
  `select marketplace, account_id, detail_json, last_updated from orders ${WITH_ID} limit 2`,
);

/** The order with an external id, or two of several. */
export function byExternalId(scope: ReadScope, which: WhichRow): Promise<DetailRow[]> {
  return scope.prepared(BY_ID, which);
}

const NAMESAKES = statement<Pick<KeyRow, 'marketplace' | 'account_id'>>(
  'orders.namesakes',
  `select marketplace, account_id from orders ${WITH_ID} order by marketplace, account_id`,
);

/** The accounts that have an order with an external id. */
export function namesakes(scope: ReadScope, which: WhichRow) {
  return scope.prepared(NAMESAKES, which);
}

const HISTORY = statement<Pick<Rows['order_history'], 'status' | 'marketplace_status' | 'at'>>(
  'orders.history',
  `select status, marketplace_status, at from order_history
    where organization_id = $1 and marketplace = $2 and account_id = $3 and order_id = $4
    order by recorded_at`,
);

export function history(
  scope: ReadScope,
  order: Pick<KeyRow, 'marketplace' | 'account_id'>,
  id: string,
): Promise<HistoryEntry[]> {
  return scope.prepared(HISTORY, [order.marketplace, order.account_id, id]);
}

interface StoredDetailRow extends Pick<Rows['orders'], 'detail_json' | 'last_updated'> {
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

/** The sort key of a walk, newest first. */
export type SortKey = KeyRow & Pick<Rows['orders'], 'newest_first'>;

const DETAILS_AFTER = statement<SortKey & StoredDetailRow>(
  'orders.details-after',
  `select page.*, coalesce((
       select json_agg(json_build_array(h.status, h.marketplace_status, h.at)
                       order by h.recorded_at)::text
         from order_history h
        where h.organization_id = $1 and h.marketplace = page.marketplace
          and h.account_id = page.account_id and h.order_id = page.id), '[]') as history
     from (select newest_first, marketplace, account_id, id, detail_json, last_updated
             from orders
            where organization_id = $1
              and (newest_first, marketplace, account_id, id)
                  > ($2::bigint, $3::text, $4::text, $5::text)
              and newest_first <= $6::bigint and ($8::text is null or marketplace = $8)
            order by newest_first, marketplace, account_id, id limit $7) as page
    order by newest_first, marketplace, account_id, id`,
);

/** Newest first, by the index of the list. @param oldest the greatest `newest_first`; marketplace null = all */
export async function detailsAfter(
  scope: ReadScope,
  { newest_first, marketplace, account_id, id }: SortKey,
  { oldest, marketplace: only }: { readonly oldest: number; readonly marketplace: string | null },
  limit: number,
): Promise<(SortKey & DetailWithHistory)[]> {
  const key = [newest_first, marketplace, account_id, id];
  const rows = await scope.prepared(DETAILS_AFTER, [...key, oldest, limit, only]);
  return rows.map(withHistory);
}

function withHistory<Row extends { readonly history: string }>(row: Row) {
  const entries = JSON.parse(row.history) as [string, string, string][];
  const history: HistoryEntry[] = entries.map(([status, native, at]) => ({
    status,
    marketplace_status: native,
    at: Temporal.Instant.from(at),
  }));
  return { ...row, history };
}
