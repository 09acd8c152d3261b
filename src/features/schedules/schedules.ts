import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

/** Recurring tasks that the tick claims. */
const TASKS = [
  'sync',
  'renew',
  'subscribe',
  'housekeeping',
  'trace',
  'access',
  'rerender',
  'findings',
] as const;
export type Task = (typeof TASKS)[number];

/** The due time of a stream's next reconciliation: it is never claimed, its sync run reads it. */
export const RECONCILIATION = 'sweep';
type Reconciliation = typeof RECONCILIATION;

/** In place of an organisation, for tasks of the installation itself. */
export const INSTANCE = '00000000-0000-0000-0000-000000000000';

export interface DueTask {
  readonly organizationId: string;
  readonly task: Task;
  /** The subject of the task, such as a connection and its stream. */
  readonly subject: string;
  /** Whether it was never claimed before. */
  readonly isFirst: boolean;
  /** Runs in a row in which the service did not answer. */
  readonly setbacks: number;
}

export const CLAIM_AT_ONCE = 1_000;
/** Organisations take turns among so many of the rows that have been due the longest. */
const CLAIM_AMONG = 10 * CLAIM_AT_ONCE;
const PUT_RIGHT_AT_ONCE = 1_000;

/** Schedules a recurring task, or moves it. The next run counts as the first one. */
export async function schedule(
  scope: WriteScope,
  task: Task | Reconciliation,
  subject: string,
  everySeconds: number,
  firstDue: Instant,
): Promise<void> {
  await store.put(scope, task, subject, everySeconds, firstDue);
}

/** Removes all schedules of one connection. */
export async function unscheduleAll(scope: WriteScope, connectionId: string): Promise<void> {
  await store.removeAll(scope, connectionId);
}

/** Removes one task from the schedule. */
export async function unschedule(scope: WriteScope, task: Task, subject: string): Promise<void> {
  await store.remove(scope, task, subject);
}

/** Makes it due at this instant, sooner or later than it was. */
export async function putOff(
  scope: WriteScope,
  task: Task,
  subject: string,
  until: Instant,
): Promise<void> {
  await store.putOff(scope, task, subject, until);
}

/** Makes it due at this instant at the latest. */
export async function hasten(
  scope: WriteScope,
  task: Task | Reconciliation,
  subject: string,
  at: Instant,
): Promise<void> {
  await store.hasten(scope, task, subject, at);
}

/**
 * After a run that the service did not answer, the next one is due after a minute, then two, four
 * and so on, up to an hour or the task's own period.
 * @param notBefore the service's own earliest time; null = it gave none
 */
export async function setBack(
  scope: WriteScope,
  task: Task,
  subject: string,
  notBefore: Instant | null = null,
): Promise<void> {
  const now = scope.clock.now();
  await store.setBack(scope, task, subject, now, notBefore ?? now);
}

/**
 * After a run that the service answered: the next setback is the first one again, and the
 * connection's other tasks that were set back are due.
 */
export async function recover(scope: WriteScope, task: Task, subject: string): Promise<void> {
  await store.recover(scope, task, subject);
}

export interface Planned {
  readonly organizationId: string;
  readonly task: Task;
  readonly subject: string;
  readonly everySeconds: number;
}

/** Schedules the tasks without a schedule, due at once. @returns how many */
export function planMissing(
  handle: WriteHandle,
  planned: readonly Planned[],
  due: Instant,
): Promise<number> {
  return store.putMissing(handle, planned, due);
}

/** @returns null when it is not scheduled */
export function dueAt(
  scope: ReadScope,
  task: Task | Reconciliation,
  subject: string,
): Promise<Instant | null> {
  return store.dueAt(scope, task, subject);
}

/** Whether it was scheduled or hastened after this time, due or not. */
export function isPlannedSince(
  scope: ReadScope,
  task: Task | Reconciliation,
  subject: string,
  since: Instant,
): Promise<boolean> {
  return store.isPlannedSince(scope, task, subject, since);
}

/** Makes tasks due now that were planned by a wall clock that was ahead. */
export async function putRight(handle: WriteHandle, now: Instant): Promise<void> {
  await store.putRight(handle, now, PUT_RIGHT_AT_ONCE);
}

/**
 * Claims due tasks and sets their next due time; over any number of processes each is claimed once.
 * Organisations take turns.
 * @returns at most `CLAIM_AT_ONCE`
 */
export async function claimDue(handle: WriteHandle, now: Instant): Promise<DueTask[]> {
  const rows = await store.claim(handle, now, TASKS, CLAIM_AT_ONCE, CLAIM_AMONG);
  return rows.map((row) => ({
    organizationId: row.organization_id,
    task: row.task as Task,
    subject: row.subject,
    isFirst: row.is_first,
    setbacks: row.setbacks,
  }));
}

interface Overdue {
  readonly task: string;
  readonly count: number;
  /** The due time of the one that waits longest. */
  readonly oldest: Instant;
}

/** The tasks of all organisations that are due and not claimed yet. */
export function overdueTasks(handle: Handle, now: Instant): Promise<readonly Overdue[]> {
  return store.overdue(handle, now, TASKS);
}
