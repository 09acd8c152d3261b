import { STREAMS } from '../connectors/contract.ts';
import { resolveAlert } from '../features/alerts/index.ts';
import { disconnect } from '../features/connections/index.ts';
import { unscheduleAll } from '../features/schedules/index.ts';
import type { ExchangeParts } from './parts.ts';

/** Forgets an account's credentials and all that was planned for it; what was synchronised stays. */
export async function disconnectAccount(
  { database }: Pick<ExchangeParts, 'database'>,
  organizationId: string,
  connectionId: string,
): Promise<void> {
  await database.within(organizationId).write(async (scope) => {
    await disconnect(scope, connectionId);
    await unscheduleAll(scope, connectionId);
    await resolveAlert(scope, 'connection', connectionId);
    await resolveAlert(scope, 'connection_gaps', connectionId);
    await resolveAlert(scope, 'pushes', connectionId);
    for (const stream of STREAMS) await resolveAlert(scope, 'stream', `${connectionId}:${stream}`);
  });
}
