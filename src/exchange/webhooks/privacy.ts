import type { Marketplace, PrivacyRequest } from '../../connectors/contract.ts';
import { raiseAlert } from '../../features/alerts/index.ts';
import { forgetAllBillingData, forgetBillingData } from '../../features/cfdi/index.ts';
import { forgetUnreadable, type SealedConnection } from '../../features/connections/index.ts';
import {
  type AccountOfOrders,
  forgetAllDocuments,
  forgetBuyers,
  forgetDocuments,
  orderIdsAfter,
} from '../../features/orders/index.ts';
import { blankReceipts } from '../../features/receipts/index.ts';
import { noteRemoval } from '../../features/removals/index.ts';
import { forgetRecipients } from '../../features/shipments/index.ts';
import { forgetDestinations } from '../../features/warehouse/index.ts';
import { sha256 } from '../../platform/ids.ts';
import { forgetConnection } from '../connect/disconnect.ts';
import type { ExchangeParts } from '../parts.ts';
import { listenersOf } from '../sync/follow-up.ts';

const ORDERS_AT_ONCE = 200;

/** What forgetting needs. */
export type ForgettingParts = Pick<ExchangeParts, 'database' | 'orderListeners' | 'announce'>;

/** A marketplace's account with its connection. */
export interface ConnectedAccount extends AccountOfOrders {
  readonly organizationId: string;
  /** Of the connection. */
  readonly id: string;
}

/**
 * Serves a privacy request of a buyer or seller that a marketplace forwards. Copies in the outbox
 * and in receipts that are not named here end with their retention of thirty days; a CFDI must be
 * stored by law.
 * @returns how many orders look different now
 */
export async function honourPrivacy(
  parts: ExchangeParts,
  connection: SealedConnection,
  request: PrivacyRequest,
): Promise<{ changed: number }> {
  if ('show' in request) return showBuyer(parts, connection, request.orderIds);
  if (request.forget === 'account') return forgetAccount(parts, accountOf(connection));
  return forgetBuyer(parts, accountOf(connection), request.orderIds);
}

/** The seller answers the buyer; an alert informs the seller and says where our data are. */
async function showBuyer(
  parts: ExchangeParts,
  { organizationId, id, name }: SealedConnection,
  orderIds: readonly string[],
): Promise<{ changed: number }> {
  const where =
    orderIds.length > 0
      ? `Lo que guardamos está en sus órdenes: ${orderIds.join(', ')}.`
      : 'No guardamos órdenes de esa persona.';
  const message = `Un comprador de ${name} pidió saber qué datos suyos tenemos. ${where} Respóndele antes de 30 días.`;
  const subject = `${id}:${sha256(orderIds.join()).slice(0, 16)}`;
  await parts.database
    .within(organizationId)
    .write((scope) => raiseAlert(scope, { kind: 'buyer_data_request', subject, message }));
  return { changed: 0 };
}

/** Forgets the buyers of these orders of an account, for good. @returns as `honourPrivacy` */
export async function forgetBuyer(
  parts: ForgettingParts,
  account: ConnectedAccount,
  orderIds: readonly string[],
): Promise<{ changed: number }> {
  const organization = parts.database.within(account.organizationId);
  let changed = 0;
  for (let done = 0; done < orderIds.length; done += ORDERS_AT_ONCE) {
    const ids = orderIds.slice(done, done + ORDERS_AT_ONCE);
    changed += await organization.write(async (scope) => {
      const options = { forGood: true, listeners: listenersOf(parts) };
      const count = await forgetBuyers(scope, account, ids, options);
      await forgetUnreadable(scope, account.id, ids);
      await forgetDestinations(scope, account, ids);
      await forgetRecipients(scope, ordersOf(account, ids));
      await forgetBillingData(scope, account, ids);
      await noteRemoval(scope, 'buyers', { ...subjectOf(account), order_ids: ids });
      return count;
    });
    // In its own transaction, so that it delays no order. From here on the documents are not stored
    // again.
    await organization.write((scope) => forgetDocuments(scope, account, ids));
  }
  return { changed };
}

/**
 * Forgets the buyers of a seller who uninstalled us. Their orders stay; a new connection needs a
 * new permission.
 */
export async function forgetAccount(
  parts: ForgettingParts,
  account: ConnectedAccount,
): Promise<{ changed: number }> {
  const organization = parts.database.within(account.organizationId);
  // The store withdrew its permission, and its webhook registration with it.
  await forgetConnection(parts, account.organizationId, account.id);
  await organization.write(async (scope) => {
    await forgetUnreadable(scope, account.id, null);
    await blankReceipts(scope, account.id);
    await forgetAllBillingData(scope, account);
    await noteRemoval(scope, 'account', subjectOf(account));
  });
  while (!(await organization.write((scope) => forgetAllDocuments(scope, account))));
  let changed = 0;
  let after = '';
  for (;;) {
    const ids = await organization.read((scope) =>
      orderIdsAfter(scope, account, after, ORDERS_AT_ONCE),
    );
    changed += await organization.write(async (scope) => {
      const options = { forGood: false, listeners: listenersOf(parts) };
      const count = await forgetBuyers(scope, account, ids, options);
      await forgetDestinations(scope, account, ids);
      await forgetRecipients(scope, ordersOf(account, ids));
      return count;
    });
    after = ids.at(-1) ?? after;
    if (ids.length < ORDERS_AT_ONCE) return { changed };
  }
}

/** Only marketplaces send privacy requests. */
function accountOf({ id, organizationId, service, accountId }: SealedConnection): ConnectedAccount {
  return { id, organizationId, marketplace: service as Marketplace, accountId };
}

function ordersOf({ marketplace, accountId }: AccountOfOrders, ids: readonly string[]) {
  return ids.map((id) => ({ marketplace, accountId, id }));
}

function subjectOf({ id, marketplace, accountId }: ConnectedAccount) {
  return { connection_id: id, marketplace, account_id: accountId };
}
