import { findService } from '../../carriers/registry.ts';
import { connectionById } from '../../features/connections/index.ts';
import { hasten } from '../../features/schedules/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { streamsOf } from '../streams.ts';

/** The next tick synchronises all streams of a connection. @throws Failure not_found, connection_paused */
export async function syncSoon(scope: WriteScope, connectionId: string): Promise<void> {
  const connection = await connectionById(scope, connectionId);
  const connector = connection && findService(connection.service);
  if (!connector || connection.state === 'disconnected') throw fail('not_found');
  if (connection.state === 'paused') throw fail('connection_paused');
  for (const [stream] of streamsOf(connector))
    await hasten(scope, 'sync', `${connectionId}:${stream}`, scope.clock.now());
}
