import { findService } from '../../carriers/registry.ts';
import { type SealedConnection, subscriptionSecretOf } from '../../features/connections/index.ts';
import { applicationOf, type ExchangeParts } from '../parts.ts';
import { asUpstream } from '../wire/errors.ts';
import { openConnection } from '../wire/open-connection.ts';
import { openOneTry } from '../wire/patience.ts';
import { notificationAddressOf } from './notification-address.ts';

/** A person waits for the answer. */
const LONGEST_MS = 8_000;

/**
 * `none`: nothing was registered. `left`: it could not be removed, and its webhooks are dropped
 * here.
 */
export type Unsubscribed = 'removed' | 'left' | 'none';

/**
 * Removes the webhook registration of a connection while it still has credentials. Never throws.
 */
export async function unsubscribe(
  parts: ExchangeParts,
  connection: SealedConnection,
): Promise<Unsubscribed> {
  const notifications = findService(connection.service)?.notifications;
  if (!notifications?.remove || connection.box === null) return 'none';
  try {
    const patience = openOneTry(parts.clock, LONGEST_MS);
    const { connector, call } = openConnection(parts, connection, { patience });
    const secret = subscriptionSecretOf(parts.keyring, connection);
    await notifications.remove(call, {
      address: notificationAddressOf(parts, connector, connection.id, secret),
      application: applicationOf(parts, connector.slug),
      secret,
    });
    return 'removed';
  } catch (thrown) {
    const error = asUpstream(thrown, connection.service);
    const why = error ? { kind: error.kind, reason: error.message } : { err: thrown };
    parts.log.of('connect').warn({ connection: connection.id, ...why }, 'not unsubscribed');
    return 'left';
  }
}
