import { bulk } from '../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

const PUT = statement<object>(
  'schedules.put',
  `insert into schedules (organization_id, task, subject, every_seconds, due_at, planned_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (organization_id, task, subject) do update
     set every_seconds = excluded.every_seconds, due_at = excluded.due_at, planned_at = excluded.planned_at,
         claimed_at = null, setbacks = 0`,
);

const PUT_OFF = statement<object>(
  'schedules.put-off',
  `update schedules set due_at = $4, planned_at = $5
    where organization_id = $1 and task = $2 and subject = $3`,
);

const HASTEN = statement<object>(
  'schedules.hasten',
  `update schedules
      set due_at = least(due_at, $4::timestamptz), planned_at = $5::timestamptz
    where organization_id = $1 and task = $2 and subject = $3`,
);

const PLANNED_SINCE = statement<object>(
  'schedules.planned-since',
  `select from schedules
    where organization_id = $1 and task = $2 and subject = $3 and planned_at > $4::timestamptz`,
);

/** One minute, two, four, eight …, at most an hour and never more than the task's own period. */
const SET_BACK = statement<object>(
  'schedules.set-back',
  `update schedules
      set setbacks = least(setbacks + 1, 20), planned_at = $4::timestamptz,
          due_at = greatest($5::timestamptz, $4::timestamptz
                     + least(every_seconds, 3600, 60 * 2 ^ least(setbacks, 6)) * interval '1 second')
    where organization_id = $1 and task = $2 and subject = $3`,
);

/** The connection's other tasks that were set back are due at once: its service answers again. */
const RECOVER = statement<object>(
  'schedules.recover',
  `with recovered as (
     update schedules set setbacks = 0
      where organization_id = $1 and task = $2 and subject = $3 and setbacks > 0
     returning subject)
   update schedules s set due_at = least(s.due_at, $4::timestamptz), planned_at = $4::timestamptz
     from recovered r
    where s.organization_id = $1 and s.setbacks > 0 and (s.task <> $2 or s.subject <> $3)
      and split_part(s.subject, ':', 1) = split_part(r.subject, ':', 1)`,
);

const PLANNED = bulk('schedules', ['organization_id', 'task', 'subject', 'every_seconds']);

/** Locks the organisations: an erasure of one of them waits, and of one that is gone none is put. */
const PUT_MISSING = PLANNED.statement<{ subject: string }>(
  'schedules.put-missing',
  (given) => `insert into schedules (due_at, planned_at, ${PLANNED.names})
   select $1::timestamptz, $1::timestamptz, given.*
     from ${given} join organizations o on o.id = given.organization_id
      for key share of o
   on conflict (organization_id, task, subject) do nothing
   returning subject`,
);

/** A clock may be ahead of another one by less than this. */
const PUT_RIGHT = statement<object>(
  'schedules.put-right',
  `update schedules set due_at = $1::timestamptz, planned_at = $1::timestamptz
    where (organization_id, task, subject) in (
      select organization_id, task, subject from schedules
       where planned_at > $1::timestamptz + interval '1 minute' order by planned_at desc limit $2)`,
);

interface ClaimedRow {
  readonly organization_id: string;
  readonly task: string;
  readonly subject: string;
  readonly is_first: boolean;
  readonly setbacks: number;
}

/**
 * The first due row of every organisation comes before the second of any. The next due time counts
 * from now: a process that slept does not catch up on every missed turn.
 */
const CLAIM = statement<ClaimedRow>(
  'schedules.claim',
  `with oldest as materialized (
     select organization_id, task, subject, due_at from schedules
      where due_at <= $1::timestamptz and task = any($2) order by due_at limit $4),
   ranked as materialized (
     select organization_id, task, subject, due_at,
            row_number() over (partition by organization_id order by due_at) as rank
       from oldest order by rank, due_at limit $3),
   due as materialized (
     select s.organization_id, s.task, s.subject, s.claimed_at is null as is_first, r.rank, r.due_at
       from ranked r join schedules s using (organization_id, task, subject)
      where s.due_at <= $1::timestamptz
        for update of s skip locked),
   claimed as (
     update schedules s
        set claimed_at = $1::timestamptz, planned_at = $1::timestamptz,
            due_at = $1::timestamptz + s.every_seconds * interval '1 second'
       from due
      where s.organization_id = due.organization_id and s.task = due.task and s.subject = due.subject
     returning s.organization_id, s.task, s.subject, s.setbacks, due.is_first, due.rank, due.due_at)
   select organization_id, task, subject, setbacks, is_first from claimed order by rank, due_at`,
);

const OVERDUE = statement<{ task: string; count: number; oldest: Instant }>(
  'schedules.overdue',
  `select task, count(*) as count, min(due_at) as oldest from schedules
    where due_at <= $1::timestamptz and task = any($2) group by task`,
);

export async function put(
  scope: WriteScope,
  task: string,
  subject: string,
  everySeconds: number,
  due: Instant,
): Promise<void> {
  await scope.prepared(PUT, [
    task,
    subject,
    everySeconds,
    due.toString(),
    scope.clock.now().toString(),
  ]);
}

export async function remove(scope: WriteScope, task: string, subject: string): Promise<void> {
  await scope.rows(
    scope.remove('schedules').where('task', '=', task).where('subject', '=', subject),
  );
}

/** A subject is a connection, or a connection and its stream. */
export async function removeAll(scope: WriteScope, connectionId: string): Promise<void> {
  await scope.rows(
    scope
      .remove('schedules')
      .where((row) =>
        row.or([row('subject', '=', connectionId), row('subject', 'like', `${connectionId}:%`)]),
      ),
  );
}

export async function putOff(
  scope: WriteScope,
  task: string,
  subject: string,
  until: Instant,
): Promise<void> {
  await scope.prepared(PUT_OFF, [task, subject, until.toString(), scope.clock.now().toString()]);
}

export async function hasten(
  scope: WriteScope,
  task: string,
  subject: string,
  at: Instant,
): Promise<void> {
  await scope.prepared(HASTEN, [task, subject, at.toString(), scope.clock.now().toString()]);
}

export async function setBack(
  scope: WriteScope,
  task: string,
  subject: string,
  now: Instant,
  notBefore: Instant,
): Promise<void> {
  await scope.prepared(SET_BACK, [task, subject, now.toString(), notBefore.toString()]);
}

export async function recover(scope: WriteScope, task: string, subject: string): Promise<void> {
  await scope.prepared(RECOVER, [task, subject, scope.clock.now().toString()]);
}

export async function putMissing(
  handle: WriteHandle,
  planned: readonly {
    organizationId: string;
    task: string;
    subject: string;
    everySeconds: number;
  }[],
  due: Instant,
): Promise<number> {
  const missing = planned.map(({ organizationId, task, subject, everySeconds }) => ({
    organization_id: organizationId,
    task,
    subject,
    every_seconds: everySeconds,
  }));
  const rows = await handle.raw(PUT_MISSING, PUT_MISSING.values([due.toString()], missing));
  return rows.length;
}

export async function isPlannedSince(
  scope: ReadScope,
  task: string,
  subject: string,
  since: Instant,
): Promise<boolean> {
  return (await scope.prepared(PLANNED_SINCE, [task, subject, since.toString()])).length > 0;
}

export async function dueAt(
  scope: ReadScope,
  task: string,
  subject: string,
): Promise<Instant | null> {
  const row = await scope.first(
    scope
      .select('schedules')
      .select('due_at')
      .where('task', '=', task)
      .where('subject', '=', subject),
  );
  return row?.due_at ?? null;
}

export async function putRight(handle: WriteHandle, now: Instant, limit: number): Promise<void> {
  await handle.raw(PUT_RIGHT, [now.toString(), limit]);
}

/** @param among how many of the rows due the longest are candidates */
export function claim(
  handle: WriteHandle,
  now: Instant,
  tasks: readonly string[],
  limit: number,
  among: number,
): Promise<ClaimedRow[]> {
  return handle.raw(CLAIM, [now.toString(), tasks, limit, among]);
}

export function overdue(
  handle: Handle,
  now: Instant,
  tasks: readonly string[],
): Promise<{ task: string; count: number; oldest: Instant }[]> {
  return handle.raw(OVERDUE, [now.toString(), tasks]);
}
