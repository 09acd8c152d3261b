import type { Call, CallRequest } from '../contract.ts';
import { walkAll } from '../lists.ts';
import { askListIfAny } from './ask.ts';
import type { TiktokShopCredentials } from './credentials.ts';
import { type Claims, claimedOrderOf } from './wire.ts';

type TiktokShopCall = Call<TiktokShopCredentials>;

/** The most rows of a list of returns, and the most orders requested by id. */
export const PAGE_SIZE = 50;

export const SEARCHES = {
  orders: { path: '/order/202309/orders/search', name: 'orders' },
  returns: { path: '/return_refund/202309/returns/search', name: 'return_orders' },
  cancellations: { path: '/return_refund/202309/cancellations/search', name: 'cancellations' },
} as const;

export function searchFor(
  path: string,
  json: object,
  query: CallRequest['query'] = {},
): CallRequest {
  return {
    method: 'POST',
    reads: true,
    path,
    query: { page_size: PAGE_SIZE, ...query },
    body: { json },
  };
}

/** @returns null where they are withheld */
export async function readClaims(
  call: TiktokShopCall,
  ids: readonly string[],
): Promise<Claims | null> {
  const [returns, cancellations] = await Promise.all([
    listClaims(call, 'returns', ids),
    listClaims(call, 'cancellations', ids),
  ]);
  return returns && cancellations && { returns, cancellations };
}

async function listClaims(
  call: TiktokShopCall,
  kind: 'returns' | 'cancellations',
  ids: readonly string[],
): Promise<unknown[] | null> {
  const { path, name } = SEARCHES[kind];
  if (ids.length === 0) return [];
  let isReported = true;
  const rows = await walkAll(call, undefined, async (page_token: string | undefined) => {
    const found = await askListIfAny(
      call,
      searchFor(path, { order_ids: ids }, { page_token }),
      name,
    );
    isReported = found !== null;
    return { rows: found?.rows ?? [], next: found?.next ?? null };
  });
  return isReported ? rows : null;
}

export function claimsOf({ returns, cancellations }: Claims, id: string | null): Claims {
  const ofThisOrder = (row: unknown) => claimedOrderOf(row) === id;
  return { returns: returns.filter(ofThisOrder), cancellations: cancellations.filter(ofThisOrder) };
}
