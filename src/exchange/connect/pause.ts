import { findService } from '../../carriers/registry.ts';
import { resolveAlertsOf } from '../../features/alerts/index.ts';
import { connectionById, setPaused } from '../../features/connections/index.ts';
import { authorize } from '../../features/people/index.ts';
import { hasten } from '../../features/schedules/index.ts';
import { noteAct, type PersonDoing } from '../../features/trail/index.ts';
import { fail } from '../../platform/failure.ts';
import type { ExchangeParts } from '../parts.ts';
import { hastenAll } from '../wire/refused-access.ts';
import { JOB_ALERTS } from './job-alerts.ts';

/**
 * Pauses an account: its streams are not read, and its troubles raise no alert. Its credentials are
 * renewed all the same, and its webhooks are stored. A sync run that is under way ends its slice.
 * @param by for the trail; null = the operator
 * @returns whether it was not paused before
 * @throws Failure not_found, insufficient_role
 */
export function pauseAccount(
  parts: Pick<ExchangeParts, 'database'>,
  organizationId: string,
  connectionId: string,
  by: PersonDoing | null = null,
): Promise<boolean> {
  return change(parts, { organizationId, connectionId, by, isPaused: true });
}

/**
 * Resumes a paused account: the next tick reads all streams from where they were, and fetches the
 * open orders, which covers the webhooks of the meantime.
 * @param by for the trail; null = the operator
 * @returns whether it was paused before
 * @throws Failure not_found, insufficient_role
 */
export function resumeAccount(
  parts: Pick<ExchangeParts, 'database'>,
  organizationId: string,
  connectionId: string,
  by: PersonDoing | null = null,
): Promise<boolean> {
  return change(parts, { organizationId, connectionId, by, isPaused: false });
}

interface Change {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly by: PersonDoing | null;
  readonly isPaused: boolean;
}

function change(
  { database }: Pick<ExchangeParts, 'database'>,
  { organizationId, connectionId, by, isPaused }: Change,
): Promise<boolean> {
  return database.within(organizationId).write(async (scope) => {
    if (by) await authorize(scope, by.personId, 'manage_connections');
    const connection = await connectionById(scope, connectionId);
    if (!connection || connection.state === 'disconnected') throw fail('not_found');
    if (!(await setPaused(scope, connectionId, isPaused))) return false;
    await noteAct(scope, by ?? 'operator', isPaused ? 'connection_paused' : 'connection_resumed', {
      subject: connectionId,
      label: `${findService(connection.service)?.name}: ${connection.name}`,
    });
    if (isPaused) {
      await resolveAlertsOf(scope, JOB_ALERTS, connectionId);
      return true;
    }
    await hastenAll(scope, connectionId);
    for (const task of ['access', 'subscribe', 'trace'] as const)
      await hasten(scope, task, connectionId, scope.clock.now());
    return true;
  });
}
