import { resolveAlertsOf } from '../../features/alerts/index.ts';
import { connectionById, disconnect } from '../../features/connections/index.ts';
import { unscheduleAll } from '../../features/schedules/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { VERSION_ENDS } from './api-versions.ts';
import { type Unsubscribed, unsubscribe } from './unsubscribe.ts';

/** What may be wrong with a connection as long as there is one. */
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
 * Disconnects an account at its organisation's wish: what was registered there for pushes is
 * removed first, and where that cannot be had the account is disconnected all the same.
 * @returns what became of the registered pushes
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

/**
 * Forgets an account's credentials and all that was planned for it; what was synchronised stays.
 * Nobody is called.
 */
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
