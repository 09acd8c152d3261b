import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
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
