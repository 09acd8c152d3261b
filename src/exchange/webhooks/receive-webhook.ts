import type { ConnectedService } from '../../carriers/registry.ts';
import { parseOrNull } from '../../connectors/answer-document.ts';
import { tooDeep } from '../../connectors/bounds.ts';
import type { Notification, Webhook } from '../../connectors/contract.ts';
import {
  connectionByAddress,
  connectionsByAccount,
  openCredentials,
  type SealedConnection,
  subscriptionSecretOf,
} from '../../features/connections/index.ts';
import { keepReceipt, settleReceipt } from '../../features/receipts/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { isStorableText, storableText } from '../../platform/json.ts';
import { SealError } from '../../platform/seal.ts';
import { namedBy, proves } from '../connect/notification-address.ts';
import { applicationOf, type ExchangeParts } from '../parts.ts';
import { notificationJob, notificationJobOf } from './notification-job.ts';

/** No service has longer ids; a forged webhook may. */
const LONGEST_ID = 200;

/** A webhook as it was received. */
interface Pushed extends Omit<Webhook, 'body'> {
  /** Present where the address names the connection; null = one address for all accounts. */
  readonly connectionId: string | null;
  /** The token of the address, for services that sign nothing. */
  readonly token: string | null;
}

/**
 * Stores a webhook and enqueues its notifications in one transaction, so that nothing is lost once
 * this returns. A webhook for an account that is not connected is dropped.
 * @throws Failure invalid_payload, invalid_webhook_secret
 */
export async function receiveWebhook(
  parts: ExchangeParts,
  connector: ConnectedService,
  { connectionId, token, ...pushed }: Pushed,
): Promise<void> {
  const { notifications } = connector;
  if (!notifications) throw fail('not_found');
  const bearer = notifications.isTokened
    ? await connectionOfToken(parts, connector, token ?? '')
    : null;
  const webhook: Webhook = { ...pushed, body: readBody(pushed.text) };
  if (bearer && webhook.body === null) throw fail('invalid_payload');
  const connections = bearer ? [bearer] : await addressees(parts, connector, webhook, connectionId);
  const reported = notifications.notificationsIn(webhook).filter(isBounded);
  const asksPrivacy = reported.some((notification) => !('stream' in notification));
  const genuine = whoseItIs(parts, connector, connections, webhook, asksPrivacy);
  const receipt = notifications.kept ? JSON.stringify(notifications.kept(webhook)) : webhook.text;
  for (const connection of genuine) await storeOrMerge(parts, connection, receipt, reported);
  if (bearer && genuine.length === 0)
    parts.log
      .of('webhooks')
      .info(
        { connection: bearer.id, account: notifications.account(webhook) },
        'webhook without an account dropped',
      );
}

/** Whether an address names a connection of this service. */
export async function isConnectionOf(
  { database }: ExchangeParts,
  { slug }: ConnectedService,
  connectionId: string,
): Promise<boolean> {
  const found = await database.read((handle) => connectionByAddress(handle, connectionId));
  return found?.service === slug;
}

/** One answer for a missing token, a wrong one, and that of an unknown connection. */
async function connectionOfToken(
  { database, keyring }: ExchangeParts,
  { slug }: ConnectedService,
  token: string,
): Promise<SealedConnection> {
  const id = namedBy(token);
  const found =
    id === null ? null : await database.read((handle) => connectionByAddress(handle, id));
  const connection = found?.service === slug ? found : null;
  const isProved = proves(
    token,
    connection?.id ?? '',
    connection ? subscriptionSecretOf(keyring, connection) : '',
  );
  if (!connection || !isProved) throw fail('invalid_webhook_secret');
  return connection;
}

/** A connection whose credentials do not open does not cost the others their webhook. */
function whoseItIs(
  parts: ExchangeParts,
  { slug, notifications }: ConnectedService,
  connections: readonly SealedConnection[],
  webhook: Webhook,
  asksPrivacy: boolean,
): SealedConnection[] {
  const { keyring } = parts;
  const application = applicationOf(parts, slug);
  const shut: SealError[] = [];
  const genuine = connections.filter((connection) => {
    // Only some marketplaces use the secret, and older connections have none.
    const secrets = {
      application,
      get secret() {
        return subscriptionSecretOf(keyring, connection);
      },
    };
    try {
      const credentials = openCredentials(keyring, connection);
      if (credentials !== null)
        return notifications?.verify(webhook, credentials, secrets) === true;
      return asksPrivacy && notifications?.verifyPrivacy?.(webhook, secrets) === true;
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      parts.log
        .of('webhooks')
        .error(
          { connection: connection.id, err: error },
          'webhook to a connection that does not open',
        );
      shut.push(error);
      return false;
    }
  });
  // No connection takes it, so the service should send it again.
  if (genuine.length === 0 && shut[0]) throw shut[0];
  return genuine;
}

async function addressees(
  parts: ExchangeParts,
  { slug, notifications }: ConnectedService,
  webhook: Webhook,
  connectionId: string | null,
): Promise<SealedConnection[]> {
  if (connectionId !== null) {
    const one = await parts.database.read((handle) => connectionByAddress(handle, connectionId));
    return one && one.service === slug ? [one] : [];
  }
  const account = notifications?.account(webhook) ?? null;
  if (account === null || !isStorableText(account)) throw fail('invalid_payload');
  return parts.database.read((handle) => connectionsByAccount(handle, slug, account));
}

/** Webhooks beyond the budget merge into one sync run; privacy requests are always stored. */
async function storeOrMerge(
  parts: ExchangeParts,
  connection: SealedConnection,
  receipt: string,
  reported: readonly Notification[],
): Promise<void> {
  const streams = reported.flatMap((notification) =>
    'stream' in notification ? [notification.stream] : [],
  );
  const mayMerge = streams.length === reported.length;
  if (mayMerge && !parts.notificationBudget.take(connection.id))
    return parts.notificationBudget.merge(connection, streams);
  await parts.database.receipts
    .within(connection.organizationId)
    .write((scope) => keep(parts, scope, connection, receipt, reported));
}

async function keep(
  parts: ExchangeParts,
  scope: WriteScope,
  { id: connectionId, service }: SealedConnection,
  receipt: string,
  reported: readonly Notification[],
): Promise<void> {
  const body = storableText(receipt);
  const receiptId = await keepReceipt(scope, { connectionId, source: service, body });
  let waiting = 0;
  for (const notification of reported) {
    const job = notificationJobOf(
      { organizationId: scope.organizationId, connectionId, receiptId, hint: notification },
      service,
    );
    const queued = await parts.queue.enqueue(scope.handle, notificationJob, job);
    if (queued !== null) waiting++;
  }
  // An equal notification that is still queued will fetch this change too.
  if (waiting === 0)
    await settleReceipt(scope, receiptId, reported.length === 0 ? 'ignored' : 'merged');
}

function isBounded(notification: Notification): boolean {
  const ids =
    'stream' in notification
      ? [notification.id]
      : 'orderIds' in notification
        ? notification.orderIds
        : [];
  return ids.every((id) => id.length <= LONGEST_ID && isStorableText(id));
}

/**
 * Not every webhook is JSON: some stores greet a new address with a form. Texts that cannot be
 * stored are taken: a buyer's note with half an emoji costs no order its webhook.
 */
function readBody(text: string): unknown {
  const body = parseOrNull(text);
  if (tooDeep(body)) throw fail('invalid_payload');
  return body;
}
