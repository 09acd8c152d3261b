import { type ConnectedService, findService } from '../../carriers/registry.ts';
import { everyConnection, organizationsWithFormer } from '../../features/connections/index.ts';
import {
  type Planned,
  planMissing,
  schedule,
  type Task,
  unschedule,
} from '../../features/schedules/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { ExchangeParts } from '../parts.ts';
import { streamsOf } from '../streams.ts';
import { scheduleRenewal } from '../wire/renew-credentials.ts';

const SUBSCRIBE_EVERY_SECONDS = 86_400;
const FIND_EVERY_SECONDS = 86_400;
/** A first import that is over sooner hastens it. */
const FIND_AFTER = { minutes: 10 };

/** Schedules every recurring task of a connection. */
export async function planConnection(
  scope: WriteScope,
  connector: ConnectedService,
  id: string,
  expireAt: Instant | null,
): Promise<void> {
  const now = scope.clock.now();
  await unschedule(scope, 'access', id);
  for (const [stream, { every }] of streamsOf(connector))
    await schedule(scope, 'sync', `${id}:${stream}`, every.minutes * 60, now);
  if (connector.notifications?.ensure)
    await schedule(scope, 'subscribe', id, SUBSCRIBE_EVERY_SECONDS, now);
  if (connector.orders)
    await schedule(scope, 'findings', id, FIND_EVERY_SECONDS, now.add(FIND_AFTER));
  if (connector.traceEvery) await scheduleTrace(scope, id, connector.traceEvery.minutes);
  if (expireAt !== null) await scheduleRenewal(scope, id, expireAt.since(now).total('seconds'));
}

/** Schedules findings of orders whose account is not connected, such as imported ones. */
export async function planFindings(scope: WriteScope): Promise<void> {
  const { task, subject, everySeconds } = findingsOf(scope.organizationId);
  await schedule(scope, task, subject, everySeconds, scope.clock.now());
}

/** Of accounts that are not connected the organisation itself is the subject. */
function findingsOf(organizationId: string): Planned {
  const subject = organizationId;
  return { organizationId, task: 'findings', subject, everySeconds: FIND_EVERY_SECONDS };
}

/**
 * Schedules the streams that a service began to offer after its accounts were connected, and the
 * tasks that a release brought or a disconnected account needs.
 * @returns how many
 */
export async function planStreams({ database, clock }: ExchangeParts): Promise<number> {
  const connections = await database.read(everyConnection);
  const planned = connections.flatMap(({ organizationId, id, service }): Planned[] => {
    const connector = findService(service);
    if (!connector) return [];
    const { orders, traceEvery } = connector;
    const tasks: [Task, string, number][] = streamsOf(connector).map(([stream, { every }]) => [
      'sync',
      `${id}:${stream}`,
      every.minutes * 60,
    ]);
    if (orders) tasks.push(['findings', id, FIND_EVERY_SECONDS]);
    if (traceEvery) tasks.push(['trace', id, traceEvery.minutes * 60]);
    return tasks.map(([task, subject, everySeconds]) => {
      return { organizationId, task, subject, everySeconds };
    });
  });
  const left = (await database.read(organizationsWithFormer)).map(findingsOf);
  return database.write((handle) => planMissing(handle, [...planned, ...left], clock.now()));
}

/** The first import has just read all histories, so the first trace waits for a period. */
async function scheduleTrace(scope: WriteScope, id: string, minutes: number): Promise<void> {
  await schedule(scope, 'trace', id, minutes * 60, scope.clock.now().add({ minutes }));
}
