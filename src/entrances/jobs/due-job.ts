import type { StreamName } from '../../connectors/contract.ts';
import type { NewJob } from '../../platform/queue.ts';

/** What a recurring task's job carries. */
export interface DueJob {
  readonly organizationId: string;
  /** A connection, a connection and its stream, or what the task calls it. */
  readonly subject: string;
}

/** A recurring task's job; an equal one that waits stands for it. */
export function jobOf({ organizationId, subject }: DueJob): NewJob {
  return {
    data: { organizationId, subject } satisfies DueJob,
    key: `${organizationId}:${subject}`,
  };
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
