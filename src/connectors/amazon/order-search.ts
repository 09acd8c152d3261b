import type { Call, IdPage, StreamRequest } from '../contract.ts';
import { nameIn } from '../read-rows.ts';
import { behind, type Span, type TokenPosition } from '../token-paging.ts';
import type { AmazonCredentials } from './credentials.ts';
import { endOf, iso } from './transactions.ts';
import { MEXICO, SearchPage } from './wire.ts';

type AmazonCall = Call<AmazonCredentials>;

export const ORDERS = '/orders/2026-01-01/orders';

/** A page of the orders that changed in a span, with these data sets. */
export function askPage(
  call: AmazonCall,
  part: Span & TokenPosition,
  includedData: string | undefined,
) {
  return call.get(ORDERS, SearchPage, {
    query: {
      lastUpdatedAfter: iso(part.from),
      lastUpdatedBefore: iso(part.to),
      marketplaceIds: MEXICO,
      includedData,
      maxResultsPerPage: part.size,
      paginationToken: part.token ?? undefined,
    },
    rate: 'orderSearch',
  });
}

/** A page of their ids, and the position of the next one with all that the part holds. */
export async function listIds(
  call: AmazonCall,
  request: StreamRequest,
  part: Span & TokenPosition,
): Promise<IdPage> {
  const at = call.now().epochMilliseconds;
  const { orders: rows, pagination } = await askPage(call, part, undefined);
  const token = pagination?.nextToken ?? null;
  const isOver = token === null || token === part.token;
  const next = isOver ? behind(part, endOf(request)) : { ...part, token, at };
  return { ids: rows.map((row) => nameIn(row, 'orderId')), next: next && JSON.stringify(next) };
}
