import type { ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

const PUT = statement<object>(
  'schedules.put',
  `insert into schedules (organization_id, task, subject, every_seconds, due_at) values ($1, $2, $3, $4, $5)
   on conflict (organization_id, task, subject) do update
     set every_seconds = excluded.every_seconds, due_at = excluded.due_at`,
);

const PUT_OFF = statement<object>(
  'schedules.put-off',
  'update schedules set due_at = greatest(due_at, $4) where organization_id = $1 and task = $2 and subject = $3',
);

const HASTEN = statement<object>(
  'schedules.hasten',
  'update schedules set due_at = least(due_at, $4) where organization_id = $1 and task = $2 and subject = $3',
);

const PUT_MISSING = statement<{ subject: string }>(
  'schedules.put-missing',
  `insert into schedules (due_at, organization_id, task, subject, every_seconds)
   select $1::timestamptz, * from unnest($2::uuid[], $3::text[], $4::text[], $5::int[])
   on conflict (organization_id, task, subject) do nothing
   returning subject`,
);

/** The next due time counts from now: a house that slept does not catch up on every missed turn. */
const CLAIM = statement<{ organization_id: string; task: string; subject: string }>(
  'schedules.claim',
  `with due as materialized (
     select organization_id, task, subject from schedules where due_at <= $1::timestamptz and task = any($2)
      order by due_at limit $3 for update skip locked)
   update schedules s set claimed_at = $1::timestamptz, due_at = $1::timestamptz + s.every_seconds * interval '1 second'
     from due
    where s.organization_id = due.organization_id and s.task = due.task and s.subject = due.subject
   returning s.organization_id, s.task, s.subject`,
);

export async function put(
  scope: WriteScope,
  task: string,
  subject: string,
  everySeconds: number,
  due: Instant,
): Promise<void> {
  await scope.prepared(PUT, [task, subject, everySeconds, due.toString()]);
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
  await scope.prepared(PUT_OFF, [task, subject, until.toString()]);
}

export async function hasten(scope: WriteScope, task: string, subject: string, at: Instant): Promise<void> {
  await scope.prepared(HASTEN, [task, subject, at.toString()]);
}

export async function putMissing(
  handle: WriteHandle,
  planned: readonly { organizationId: string; task: string; subject: string; everySeconds: number }[],
  due: Instant,
): Promise<number> {
  const rows = await handle.raw(PUT_MISSING, [
    due.toString(),
    planned.map(({ organizationId }) => organizationId),
    planned.map(({ task }) => task),
    planned.map(({ subject }) => subject),
    planned.map(({ everySeconds }) => everySeconds),
  ]);
  return rows.length;
}

export async function dueAt(scope: ReadScope, task: string, subject: string): Promise<Instant | null> {
  const row = await scope.first(
    scope.select('schedules').select('due_at').where('task', '=', task).where('subject', '=', subject),
  );
  return row?.due_at ?? null;
}

export function claim(handle: WriteHandle, now: Instant, tasks: readonly string[], limit: number) {
  return handle.raw(CLAIM, [now.toString(), tasks, limit]);
}
