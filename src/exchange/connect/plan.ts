import { findService } from '../../carriers/registry.ts';
import { everyConnection } from '../../features/connections/index.ts';
import { type Planned, planMissing } from '../../features/schedules/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { streamsOf } from '../streams.ts';

/**
 * Puts streams on the calendar that a service has come to offer since its accounts were connected.
 * @returns how many
 */
export async function planStreams({ database, clock }: ExchangeParts): Promise<number> {
  const connections = await database.read(everyConnection);
  const planned = connections.flatMap(({ organizationId, id, service }): Planned[] => {
    const connector = findService(service);
    if (!connector) return [];
    const { traceEvery } = connector;
    const streams = streamsOf(connector).map(([stream, { every }]) => ({
      organizationId,
      task: 'sync' as const,
      subject: `${id}:${stream}`,
      everySeconds: every.minutes * 60,
    }));
    if (!traceEvery) return streams;
    const everySeconds = traceEvery.minutes * 60;
    return [...streams, { organizationId, task: 'trace', subject: id, everySeconds }];
  });
  return database.write((handle) => planMissing(handle, planned, clock.now()));
}
