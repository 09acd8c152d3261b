import type { WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
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
