import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import { type DetailWithHistory, type StoredDetailRow, withHistory } from './store-details.ts';
import type { KeyRow } from './store-keys.ts';

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
