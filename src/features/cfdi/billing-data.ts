import type { BillingData, SourceBillingData } from '../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { openText, sealText } from '../../platform/db/sealed-text.ts';
import { fail } from '../../platform/failure.ts';
import { SealError } from '../../platform/seal.ts';
import { type AccountOfOrders, type OrderIdentity, ordersOfForgotten } from '../orders/index.ts';
import { noteAct, type PersonDoing } from '../trail/index.ts';
import * as store from './store-billing-data.ts';

/**
 * Seals and stores the billing data of buyers. Data of a forgotten buyer are left out.
 * @returns how many orders have new or different data
 */
export async function recordBillingData(
  scope: WriteScope,
  account: AccountOfOrders,
  given: readonly SourceBillingData[],
): Promise<number> {
  if (given.length === 0) return 0;
  const ids = given.map(({ orderId }) => orderId);
  const forgotten = await ordersOfForgotten(scope, account, ids);
  const vault = await scope.vault();
  const last = new Map(given.map(({ orderId, data }) => [orderId, JSON.stringify(data)]));
  const sealed = [...last]
    .filter(([orderId]) => !forgotten.has(orderId))
    .map(async ([orderId, text]) => {
      const binding = bindingOf({ ...account, id: orderId });
      return {
        order_id: orderId,
        data_box: await sealText(vault, binding, text),
        data_digest: vault.digest(binding, Buffer.from(text)),
      };
    });
  const rows = await Promise.all(sealed);
  return rows.length === 0 ? 0 : store.upsert(scope, account, rows);
}

/** `given` for each of these orders whose buyer gave data. */
export async function billingDataStates(
  scope: ReadScope,
  account: AccountOfOrders,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const given = await store.givenAmong(scope, account, orderIds);
  return new Map(given.map((orderId) => [orderId, 'given']));
}

/** Whether the buyer of an order gave data for its invoice. */
export async function hasBillingData(scope: ReadScope, order: OrderIdentity): Promise<boolean> {
  return (await store.givenAmong(scope, order, [order.id])).length > 0;
}

/**
 * What the buyer of an order gave for its invoice, noted in the trail.
 * @throws Failure not_found where there is none, or it cannot be decrypted
 */
export async function viewBillingData(
  scope: WriteScope,
  by: PersonDoing,
  order: OrderIdentity,
): Promise<BillingData> {
  const box = await store.boxOf(scope, order);
  const data = box && (await opened(scope, order, box));
  if (!data) throw fail('not_found', { message: 'No hay datos de facturación de esta orden.' });
  await noteAct(scope, by, 'billing_data_viewed', { subject: order.id, label: order.id });
  return data;
}

/** Erases what the buyers of these orders gave. */
export function forgetBillingData(
  scope: WriteScope,
  account: AccountOfOrders,
  orderIds: readonly string[],
): Promise<void> {
  return store.forget(scope, account, orderIds);
}

/** Erases what all buyers of an account gave, also for orders that were never stored. */
export function forgetAllBillingData(scope: WriteScope, account: AccountOfOrders): Promise<void> {
  return store.forgetAccount(scope, account);
}

async function opened(
  scope: ReadScope,
  order: OrderIdentity,
  box: Buffer,
): Promise<BillingData | null> {
  try {
    return JSON.parse(await openText(await scope.vault(), bindingOf(order), box));
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

function bindingOf({ marketplace, accountId, id }: OrderIdentity): readonly string[] {
  return ['billing_data', marketplace, accountId, id];
}
