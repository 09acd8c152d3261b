import { z } from 'zod';
import type { StreamName } from '../../connectors/contract.ts';
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

/** The connection that a task is about. */
export function connectionOf({ subject }: Pick<DueJob, 'subject'>): string {
  return partsOf(subject).connectionId;
}

/** What a sync run works on. */
export function partsOf(subject: string): { connectionId: string; stream: StreamName } {
  const [connectionId = '', stream = 'orders'] = subject.split(':');
  return { connectionId, stream: stream as StreamName };
}
