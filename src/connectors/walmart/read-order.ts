import type { Instant } from '../../platform/time.ts';
import { documentOrNull, parseOrNull } from '../answer-document.ts';
import type { Call, Read, SourceOrder } from '../contract.ts';
import { readOne } from '../read-rows.ts';
import type { WalmartCredentials } from './credentials.ts';
import {
  askedReturnsOf,
  OrderPage,
  orderIdOf,
  Return,
  ReturnPage,
  storedParts,
  toSourceOrder,
} from './wire.ts';

export type WalmartCall = Call<WalmartCredentials>;
export type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * Where a single order may be found: there is no call for one in Mexico, and each list leaves some
 * out.
 */
const LOOKUPS: readonly { path: string; filterOf(id: string): Query }[] = [
  { path: '/v3/orders', filterOf: (purchaseOrderId) => ({ purchaseOrderId }) },
  { path: '/v3/orders/wfsorders', filterOf: (customerOrderId) => ({ customerOrderId }) },
  {
    path: '/v3/orders',
    filterOf: (purchaseOrderId) => ({ purchaseOrderId, shipNodeType: 'WFSFulfilled' }),
  },
];

export async function readOrder(call: WalmartCall, id: string): Promise<Read<SourceOrder>[]> {
  for (const { path, filterOf } of LOOKUPS) {
    const answer = await call.request({
      method: 'GET',
      path,
      query: filterOf(id),
      expect: [400, 404],
    });
    // Of the other generation's lists, or an id that cannot be one there.
    if (answer.status >= 400) continue;
    const { rows } = OrderPage.parse(documentOrNull(answer));
    // A list that does not know the filter answers with others.
    const row = rows.find((one) => orderIdOf(one) === id);
    if (row !== undefined) return [await withReturns(call, row, answer.fetchedAt)];
  }
  return [];
}

async function withReturns(
  call: WalmartCall,
  row: unknown,
  fetchedAt: Instant,
): Promise<Read<SourceOrder>> {
  const asked = askedReturnsOf(row);
  const returns = asked ? await readReturns(call, asked) : null;
  return readOne(row, () => toSourceOrder(row, returns, fetchedAt), orderIdOf);
}

/**
 * @returns null where one of them could not be understood, so that nothing is taken for less than
 * it is
 */
async function readReturns(
  call: WalmartCall,
  { customerOrderId, isWfs }: { customerOrderId: string; isWfs: boolean },
): Promise<readonly unknown[] | null> {
  const answer = await call.request({
    method: 'GET',
    path: '/v3/returns',
    query: { customerOrderId, limit: 100, ...(isWfs && { isWFSEnabled: 'Y' }) },
    rate: 'returns',
    expect: [404],
  });
  if (answer.status === 404) return [];
  const { returnOrders } = ReturnPage.parse(documentOrNull(answer));
  return returnOrders.every((row) => Return.safeParse(row).success) ? returnOrders : null;
}

export function readStored(raw: string, fetchedAt: Instant): Read<SourceOrder> {
  const { order, returns } = storedParts(parseOrNull(raw));
  return readOne(order, () => toSourceOrder(order, returns, fetchedAt), orderIdOf);
}
