import { findService } from '../carriers/registry.ts';
import { raiseAlert, resolveAlert } from '../features/alerts/index.ts';
import { connectionById, isStillConnected, openPushSecret } from '../features/connections/index.ts';
import { asUpstream } from './errors.ts';
import { openConnection } from './open-connection.ts';
import { applicationOf, type ExchangeParts } from './parts.ts';
import { pushAddressOf } from './push-address.ts';

/**
 * Asks a service to push its changes here. Done when an account is connected and every day after, because
 * services drop subscriptions; where it cannot be had, polling goes on alone.
 */
export async function subscribe(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
): Promise<void> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  if (!connection || connection.state === 'disconnected' || connection.state === 'reauth_required') return;
  const notifications = findService(connection.service)?.notifications;
  if (!notifications?.ensure) return;
  const { connector, call } = openConnection(parts, connection);
  try {
    const secret = openPushSecret(parts.keyring, connection);
    await notifications.ensure(call, {
      address: pushAddressOf(parts, connector, connection.id, secret),
      application: applicationOf(parts, connector.slug),
      secret,
    });
    await organization.write((scope) => resolveAlert(scope, 'pushes', connectionId));
  } catch (thrown) {
    const error = asUpstream(thrown, connector.slug);
    if (!error) throw thrown;
    parts.log.warn({ connection: connectionId, kind: error.kind, reason: error.message }, 'not subscribed');
    const message = `${connector.name} no aceptó avisarnos de los cambios; los seguimos consultando cada pocos minutos.`;
    await organization.write(async (scope) => {
      if (await isStillConnected(scope, connectionId))
        await raiseAlert(scope, { kind: 'pushes', subject: connectionId, message });
    });
  }
}
