import { findService } from '../../carriers/registry.ts';
import { resolveAlertsOf } from '../../features/alerts/index.ts';
import { connectionById, disconnect } from '../../features/connections/index.ts';
import { authorize } from '../../features/people/index.ts';
import { noteRemoval } from '../../features/removals/index.ts';
import { unscheduleAll } from '../../features/schedules/index.ts';
import { noteAct, type PersonDoing } from '../../features/trail/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { VERSION_ENDS } from './api-versions.ts';
import { JOB_ALERTS } from './job-alerts.ts';
import { type Unsubscribed, unsubscribe } from './unsubscribe.ts';

/** Kinds of alerts that end with a connection. */
const ALERTS = [...JOB_ALERTS, 'connection_gaps', 'unreadable', 'too_large', VERSION_ENDS] as const;

/**
 * Disconnects an account for its organisation. The webhook registration at the service is removed
 * first; where that fails, the account is disconnected all the same.
 * @param by for the trail; null = the operator
 * @returns what became of the registration
 * @throws Failure insufficient_role
 */
export async function disconnectAccount(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
  by: PersonDoing | null = null,
): Promise<Unsubscribed> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  const pushes = connection ? await unsubscribe(parts, connection) : 'none';
  await forgetConnection(parts, organizationId, connectionId, by);
  return pushes;
}

/** Deletes an account's credentials and schedules; synchronised data stay. Calls no service. */
export async function forgetConnection(
  { database }: Pick<ExchangeParts, 'database'>,
  organizationId: string,
  connectionId: string,
  by: PersonDoing | null = null,
): Promise<void> {
  await database.within(organizationId).write(async (scope) => {
    if (by) await authorize(scope, by.personId, 'manage_connections');
    const connection = await connectionById(scope, connectionId);
    if (by && connection)
      await noteAct(scope, by, 'connection_ended', {
        subject: connectionId,
        label: `${findService(connection.service)?.name}: ${connection.name}`,
      });
    await disconnect(scope, connectionId);
    await noteRemoval(scope, 'connection', { id: connectionId });
    await unscheduleAll(scope, connectionId);
    await resolveAlertsOf(scope, ALERTS, connectionId);
  });
}
