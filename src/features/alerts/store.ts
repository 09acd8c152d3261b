import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { build, search, statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

/**
 * An open alert that is raised again was not mailed again. One that begins anew keeps the time of
 * its last mail unless a clock that was ahead wrote it.
 */
const RAISE = statement<object>(
  'alerts.raise',
  `insert into alerts (organization_id, kind, subject, message, first_at, last_at, told_at)
   values ($1, $2, $3, $4, $5, $5, case when $6::boolean then $5::timestamptz end)
   on conflict (organization_id, kind, subject) do update
     set message = excluded.message, last_at = excluded.last_at,
         told_at = case when alerts.resolved_at is null then alerts.told_at
                        when excluded.told_at is null and alerts.told_at < excluded.first_at
                        then alerts.told_at else excluded.told_at end,
         times = case when alerts.resolved_at is null then alerts.times + 1 else 1 end,
         first_at = case when alerts.resolved_at is null then alerts.first_at else excluded.first_at end,
         resolved_at = null`,
);

export async function raise(
  scope: WriteScope,
  { kind, subject, message }: { kind: string; subject: string; message: string },
  at: Instant,
  hasOwnMail: boolean,
): Promise<void> {
  await scope.prepared(RAISE, [kind, subject, message, at.toString(), hasOwnMail]);
}

/**
 * @param by the id of a person; null = the alert ended by itself
 * @returns its message; null = there was none to resolve
 */
export async function resolve(
  scope: WriteScope,
  { kind, subject }: { kind: string; subject: string },
  at: Instant,
  by: string | null,
): Promise<string | null> {
  const query = scope
    .update('alerts')
    .set({ resolved_at: at.toString(), settled_by: by })
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('resolved_at', 'is', null);
  return (await scope.rows(query.returning('message')))[0]?.message ?? null;
}

/** Its mail is not sent again. @returns its message; null = no person settled it at that instant. */
export async function reopen(
  scope: WriteScope,
  kind: string,
  subject: string,
  resolvedAt: Instant,
): Promise<string | null> {
  const query = scope
    .update('alerts')
    .set({ resolved_at: null })
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('resolved_at', '=', resolvedAt)
    .where('settled_by', 'is not', null);
  return (await scope.rows(query.returning('message')))[0]?.message ?? null;
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
      .set({ resolved_at: at.toString(), settled_by: null })
      .where('kind', 'in', kinds)
      .where((row) =>
        row.or([row('subject', '=', connectionId), row('subject', 'like', `${connectionId}:%`)]),
      )
      .where('resolved_at', 'is', null),
  );
}

/** Open, and not mailed since it began. The index `alerts_untold` has this condition. */
const UNMAILED = 'resolved_at is null and (told_at is null or told_at < first_at)';

/** Organisations with an alert to mail, and no mail about alerts between two instants. */
const WITH_UNMAILED = search<{ organization_id: string }>(
  'alerts.organizations-with-unmailed',
  (isAmong) => `select distinct organization_id from alerts unmailed
    where ${UNMAILED} and not exists (
      select from alerts mailed
       where ${isAmong('mailed.organization_id')}
         and mailed.organization_id = unmailed.organization_id
         and mailed.told_at > $1::timestamptz and mailed.told_at <= $2::timestamptz)`,
);

export async function organizationsWithUnmailed(
  handle: Handle,
  mailedSince: Instant,
  now: Instant,
): Promise<string[]> {
  const rows = await handle.search(WITH_UNMAILED, [mailedSince.toString(), now.toString()]);
  return rows.map(({ organization_id }) => organization_id);
}

const TAKE_UNMAILED = statement<UnmailedRow>(
  'alerts.take-unmailed',
  `update alerts set told_at = greatest($2::timestamptz, first_at)
    where organization_id = $1 and ${UNMAILED} returning kind, subject, message`,
);

interface UnmailedRow {
  readonly kind: string;
  readonly subject: string;
  readonly message: string;
}

/** Marks open alerts as mailed; of several processes one gets each. */
export function takeUnmailed(scope: WriteScope, at: Instant): Promise<UnmailedRow[]> {
  return scope.prepared(TAKE_UNMAILED, [at.toString()]);
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

interface Wanted {
  readonly all: boolean;
  /** Null = every kind. */
  readonly kinds: readonly string[] | null;
  readonly limit: number | null;
}

export function list(scope: ReadScope, { all, kinds, limit }: Wanted) {
  const query = scope
    .select('alerts')
    .select(['kind', 'subject', 'message', 'first_at', 'last_at', 'times', 'resolved_at'])
    .orderBy('last_at', 'desc')
    .orderBy('kind')
    .orderBy('subject')
    .$if(!all, (some) => some.where('resolved_at', 'is', null))
    .$if(kinds !== null, (some) => some.where('kind', 'in', kinds ?? []))
    .$if(limit !== null, (some) => some.limit(limit ?? 0));
  return scope.rows(query);
}

/** Those of the last days, the last one that was resolved first. @param kinds null = every kind */
export function listResolved(
  scope: ReadScope,
  { since, kinds, limit }: { since: Instant; kinds: readonly string[] | null; limit: number },
) {
  const query = scope
    .select('alerts')
    .select(['kind', 'subject', 'message', 'first_at', 'resolved_at', 'settled_by'])
    .where('resolved_at', '>=', since)
    .orderBy('resolved_at', 'desc')
    .orderBy('kind')
    .orderBy('subject')
    .limit(limit)
    .$if(kinds !== null, (some) => some.where('kind', 'in', kinds ?? []))
    .$narrowType<{ resolved_at: Instant }>();
  return scope.rows(query);
}

/** Counted from its resolution. */
const KEEP_DAYS = 180;

export const RETENTIONS = [
  retention('alerts', KEEP_DAYS, removeBefore('alerts.remove', 'alerts', 'resolved_at')),
];
