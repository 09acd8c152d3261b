import { z } from 'zod';
import type { StreamName } from '../../connectors/contract.ts';
import type { DueTask } from '../../features/schedules/index.ts';
import type { NewJob } from '../../platform/queue.ts';

/** The payload of a scheduled task's job. */
export const dueJobPayload = z.object({
  organizationId: z.string(),
  /** A connection, a connection and its stream, or what the task calls it. */
  subject: z.string(),
});

export type DueJob = Readonly<z.infer<typeof dueJobPayload>>;

/** A scheduled task's job; at most one of them is queued. */
export function jobOf({ organizationId, subject }: DueJob): NewJob<DueJob> {
  return { data: { organizationId, subject }, key: `${organizationId}:${subject}` };
}

const PRIORITY = {
  /** The first run after connecting: the seller waits for it. */
  first: 10,
  usual: 0,
  /** The host did not answer the last run. */
  setBack: -10,
} as const;

/** A sync run's job: organisations have their share of the slots, and services theirs. */
export function syncJobOf(
  due: DueJob & Partial<Pick<DueTask, 'isFirst' | 'setbacks'>>,
  service: string,
): NewJob<DueJob> {
  return { ...jobOf(due), group: due.organizationId, lane: service, priority: priorityOf(due) };
}

function priorityOf({ isFirst = false, setbacks = 0 }: Partial<DueTask>): number {
  if (isFirst) return PRIORITY.first;
  return setbacks > 0 ? PRIORITY.setBack : PRIORITY.usual;
}

/** The connection that a task is about. */
export function connectionOf({ subject }: Pick<DueJob, 'subject'>): string {
  return partsOf(subject).connectionId;
}

/** What a sync run works on. */
export function partsOf(subject: string): { connectionId: string; stream: StreamName } {
  const [connectionId = '', stream = 'orders'] = subject.split(':');
  return { connectionId, stream: stream as StreamName };
}
