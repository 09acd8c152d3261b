import type { Connector, Push } from '../connectors/contract.ts';
import {
  connectionsByAccount,
  openCredentials,
  type SealedConnection,
} from '../features/connections/index.ts';
import { keepReceipt, settleReceipt } from '../features/receipts/index.ts';
import type { WriteScope } from '../platform/db/database.ts';
import { fail } from '../platform/failure.ts';
import { isStorable, parseLossless } from '../platform/json.ts';
import { applicationOf, type ExchangeParts } from './parts.ts';

export const HINT_QUEUE = 'hint';
/** No marketplace has longer ones; a stranger may send anything. */
const LONGEST_ID = 200;

/**
 * Keeps a marketplace's push and puts what it hints at into the queue, in one transaction: once this returns,
 * nothing of it can be lost. A push about an account that nobody connected is dropped.
 * @throws Failure invalid_payload
 */
export async function takePush(
  parts: ExchangeParts,
  connector: Connector<unknown>,
  push: Push,
): Promise<void> {
  const { notifications } = connector;
  const body = readJson(push.body);
  const account = notifications?.account(body) ?? null;
  if (!notifications || account === null) throw fail('invalid_payload');
  const connections = await parts.database.read((handle) =>
    connectionsByAccount(handle, connector.slug, account),
  );
  const application = applicationOf(parts, connector.slug);
  const genuine = connections.filter((connection) => {
    const credentials = openCredentials(parts.keyring, connection);
    return credentials !== null && notifications.verify(push, credentials, application);
  });
  const hints = notifications.hints(body).filter(({ id }) => id.length <= LONGEST_ID);
  for (const connection of genuine)
    await parts.database
      .within(connection.organizationId)
      .write((scope) => keep(parts, scope, connection, push, hints));
}

async function keep(
  parts: ExchangeParts,
  scope: WriteScope,
  connection: SealedConnection,
  push: Push,
  hints: readonly { stream: string; id: string }[],
): Promise<void> {
  const receiptId = await keepReceipt(scope, {
    connectionId: connection.id,
    source: connection.marketplace,
    body: push.body,
  });
  let waiting = 0;
  for (const { stream, id } of hints) {
    const job = { organizationId: scope.organizationId, connectionId: connection.id, receiptId, stream, id };
    const queued = await parts.queue.enqueue(
      scope.handle,
      HINT_QUEUE,
      job,
      `${connection.id}:${stream}:${id}`,
    );
    if (queued !== null) waiting++;
  }
  // An equal hint that has not begun will see this change too.
  if (waiting === 0) await settleReceipt(scope, receiptId, hints.length === 0 ? 'ignored' : 'merged');
}

function readJson(text: string): unknown {
  let value: unknown;
  try {
    value = parseLossless(text);
  } catch (cause) {
    throw fail('invalid_payload', { cause });
  }
  if (!isStorable(value)) throw fail('invalid_payload');
  return value;
}
