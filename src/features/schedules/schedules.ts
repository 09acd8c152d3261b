import type { ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

/** What recurs by itself: the tick claims it. */
const TASKS = ['sync', 'renew', 'subscribe', 'housekeeping', 'trace'] as const;
export type Task = (typeof TASKS)[number];

/** What goes along with a task once its time has come: nobody claims it, the task asks. */
type Companion = 'sweep';

/** Stands for «no organisation»: tasks of the house itself. */
export const HOUSE = '00000000-0000-0000-0000-000000000000';

interface DueTask {
  readonly organizationId: string;
  readonly task: Task;
  /** What the task works on, such as a connection and its stream. */
  readonly subject: string;
}

const CLAIM_AT_ONCE = 100;

/** Puts what recurs on the calendar, or moves it there. */
export async function schedule(
  scope: WriteScope,
  task: Task | Companion,
  subject: string,
  everySeconds: number,
  firstDue: Instant,
): Promise<void> {
  await store.put(scope, task, subject, everySeconds, firstDue);
}

/** Takes everything about one connection off the calendar. */
export async function unscheduleAll(scope: WriteScope, connectionId: string): Promise<void> {
  await store.removeAll(scope, connectionId);
}

/** Not before this instant. */
export async function putOff(scope: WriteScope, task: Task, subject: string, until: Instant): Promise<void> {
  await store.putOff(scope, task, subject, until);
}

/** At the latest at this instant. */
export async function hasten(scope: WriteScope, task: Task, subject: string, at: Instant): Promise<void> {
  await store.hasten(scope, task, subject, at);
}

export interface Planned {
  readonly organizationId: string;
  readonly task: Task;
  readonly subject: string;
  readonly everySeconds: number;
}

/** Puts on the calendar what is not there yet, due at once. @returns how many */
export function planMissing(handle: WriteHandle, planned: readonly Planned[], due: Instant): Promise<number> {
  return store.putMissing(handle, planned, due);
}

/** @returns null when it is not on the calendar. */
export function dueAt(scope: ReadScope, task: Task | Companion, subject: string): Promise<Instant | null> {
  return store.dueAt(scope, task, subject);
}

/** Takes what is due and sets its next due time; over any number of processes each is taken once. */
export async function claimDue(handle: WriteHandle, now: Instant): Promise<DueTask[]> {
  const rows = await store.claim(handle, now, TASKS, CLAIM_AT_ONCE);
  return rows.map((row) => ({
    organizationId: row.organization_id,
    task: row.task as Task,
    subject: row.subject,
  }));
}
