import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { build, statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

const RAISE = statement<object>(
  'alerts.raise',
  `insert into alerts (organization_id, kind, subject, message, first_at, last_at)
   values ($1, $2, $3, $4, $5, $5)
   on conflict (organization_id, kind, subject) do update
     set message = excluded.message, last_at = excluded.last_at,
         times = case when alerts.resolved_at is null then alerts.times + 1 else 1 end,
         first_at = case when alerts.resolved_at is null then alerts.first_at else excluded.first_at end,
         resolved_at = null`,
);

export async function raise(
  scope: WriteScope,
  alert: { kind: string; subject: string; message: string },
  at: Instant,
): Promise<void> {
  await scope.prepared(RAISE, [alert.kind, alert.subject, alert.message, at.toString()]);
}

/** @returns whether there was one to resolve. */
export async function resolve(
  scope: WriteScope,
  kind: string,
  subject: string,
  at: Instant,
): Promise<boolean> {
  const query = scope
    .update('alerts')
    .set({ resolved_at: at.toString() })
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('resolved_at', 'is', null);
  return (await scope.rows(query.returning('kind'))).length > 0;
}

/** Alerts about one connection: their subject is its id, or begins with it. */
export async function resolveOf(
  scope: WriteScope,
  kinds: readonly string[],
  connectionId: string,
  at: Instant,
): Promise<void> {
  await scope.rows(
    scope
      .update('alerts')
      .set({ resolved_at: at.toString() })
      .where('kind', 'in', kinds)
      .where((row) =>
        row.or([row('subject', '=', connectionId), row('subject', 'like', `${connectionId}:%`)]),
      )
      .where('resolved_at', 'is', null),
  );
}

export async function isOpen(scope: ReadScope, kind: string, subject: string): Promise<boolean> {
  const query = scope
    .select('alerts')
    .select('kind')
    .where('kind', '=', kind)
    .where('subject', '=', subject);
  return (await scope.first(query.where('resolved_at', 'is', null))) !== undefined;
}

export function openOfKind(
  handle: Handle,
  kind: string,
): Promise<{ organization_id: string; subject: string }[]> {
  return handle.rows(
    build
      .selectFrom('alerts')
      .select(['organization_id', 'subject'])
      .where('kind', '=', kind)
      .where('resolved_at', 'is', null),
  );
}

export function list(scope: ReadScope, all: boolean) {
  const query = scope
    .select('alerts')
    .select(['kind', 'subject', 'message', 'first_at', 'last_at', 'times', 'resolved_at'])
    .orderBy('last_at', 'desc')
    .orderBy('kind')
    .orderBy('subject');
  return scope.rows(all ? query : query.where('resolved_at', 'is', null));
}

/** Counted from its resolution. */
const KEEP_DAYS = 180;

export const RETENTIONS = [
  retention('alerts', KEEP_DAYS, removeBefore('alerts.remove', 'alerts', 'resolved_at')),
];
