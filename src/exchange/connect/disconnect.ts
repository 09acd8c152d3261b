import { resolveAlertsOf } from '../../features/alerts/index.ts';
import { connectionById, disconnect } from '../../features/connections/index.ts';
import { unscheduleAll } from '../../features/schedules/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { VERSION_ENDS } from './api-versions.ts';
import { type Unsubscribed, unsubscribe } from './unsubscribe.ts';

/** Kinds of alerts that end with a connection. */
const ALERTS = [
  'connection',
  'connection_gaps',
  'stream',
  'push',
  'pushes',
  'renewal',
  'subscription',
  'tracing',
  'access',
  'unreadable',
  'too_large',
  VERSION_ENDS,
] as const;

/**
 * Disconnects an account for its organisation. The webhook registration at the service is removed
 * first; where that fails, the account is disconnected all the same.
 * @returns what became of the registration
 */
export async function disconnectAccount(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
): Promise<Unsubscribed> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  const pushes = connection ? await unsubscribe(parts, connection) : 'none';
  await forgetConnection(parts, organizationId, connectionId);
  return pushes;
}

/** Deletes an account's credentials and schedules; synchronised data stay. Calls no service. */
export async function forgetConnection(
  { database }: Pick<ExchangeParts, 'database'>,
  organizationId: string,
  connectionId: string,
): Promise<void> {
  await database.within(organizationId).write(async (scope) => {
    await disconnect(scope, connectionId);
    await unscheduleAll(scope, connectionId);
    await resolveAlertsOf(scope, ALERTS, connectionId);
  });
}
