import { OPEN_TAGS, type OpenTag } from '../../../connectors/contract.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import type { OrderPage } from '../list-orders.ts';
import type { KeyRow } from '../store-keys.ts';
import * as store from './store.ts';
import { termOf, valueIn } from './term.ts';

const TERMS = OPEN_TAGS.map((tag) => termOf('tag', tag));

interface TaggedOrder extends Pick<KeyRow, 'marketplace' | 'account_id' | 'id'> {
  readonly tag: OpenTag;
}

/** What is open of the orders of a page, which lists do not say: a row for each of their tags. */
export async function openTagsOf(
  scope: ReadScope,
  { json }: Pick<OrderPage, 'json'>,
): Promise<TaggedOrder[]> {
  const orders = JSON.parse(json) as (KeyRow & { date_created: string })[];
  const places = orders.map(({ marketplace, account_id, id, date_created }) => ({
    marketplace,
    account_id,
    id,
    newest_first: -Temporal.Instant.from(date_created).epochMilliseconds,
  }));
  const found = await store.tagged(scope, TERMS, places);
  return found.map(({ term, ...key }) => ({ ...key, tag: valueIn(term) as OpenTag }));
}

/** Orders with any of these tags, counted up to a limit. */
export async function countOpen(
  scope: ReadScope,
  most: number,
): Promise<{ count: number; hasMore: boolean }> {
  const count = await store.countTagged(scope, TERMS, most + 1);
  return { count: Math.min(count, most), hasMore: count > most };
}
