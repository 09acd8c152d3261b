import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

interface RemovalRow {
  readonly id: string;
  readonly at: Instant;
  readonly kind: string;
  readonly organization_id: string;
  /** JSON. */
  readonly subject: string;
}

const INSERT = statement<object>(
  'removals.insert',
  `insert into removals (id, at, kind, organization_id, subject) values ($1, $2, $3, $4, $5)
   on conflict (id) do nothing`,
);
const HAS = statement<object>('removals.has', 'select from removals where id = $1');
const UNWRITTEN = statement<object>(
  'removals.unwritten',
  'select from removals where written_at is null limit 1',
);
const ANY = statement<object>('removals.any', 'select from removals limit 1');
const ALL = statement<RemovalRow>(
  'removals.all',
  'select id, at, kind, organization_id, subject from removals order by at, id',
);
const MARK = statement<object>(
  'removals.mark-written',
  'update removals set written_at = $2 where id = any($1::uuid[]) and written_at is null',
);
const UNMARK = statement<object>(
  'removals.unmark-written',
  'update removals set written_at = null where written_at is not null',
);
const REMOVE_OF = statement<object>(
  'removals.remove-of-organization',
  'delete from removals where organization_id = $1',
);

export async function insert(
  handle: WriteHandle,
  { id, at, kind, organizationId, subject }: NewRemoval,
): Promise<void> {
  await handle.raw(INSERT, [id, at, kind, organizationId, subject]);
}

interface NewRemoval {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  readonly organizationId: string;
  readonly subject: string;
}

export async function has(handle: Handle, id: string): Promise<boolean> {
  return (await handle.raw(HAS, [id])).length === 1;
}

export async function hasUnwritten(handle: Handle): Promise<boolean> {
  return (await handle.raw(UNWRITTEN, [])).length === 1;
}

export async function hasAny(handle: Handle): Promise<boolean> {
  return (await handle.raw(ANY, [])).length === 1;
}

export function all(handle: Handle): Promise<RemovalRow[]> {
  return handle.raw(ALL, []);
}

export async function markWritten(
  handle: WriteHandle,
  ids: readonly string[],
  at: Instant,
): Promise<void> {
  await handle.raw(MARK, [ids, at.toString()]);
}

/** The journal is written anew, although it lacks nothing: with another key. */
export async function requireJournal(handle: WriteHandle): Promise<void> {
  await handle.raw(UNMARK, []);
}

export async function removeOf(handle: WriteHandle, organizationId: string): Promise<void> {
  await handle.raw(REMOVE_OF, [organizationId]);
}

/** A backup that is older is not covered. */
export const KEEP_DAYS = 100;

export const RETENTIONS = [
  retention('removals', KEEP_DAYS, removeBefore('removals.remove', 'removals', 'at')),
];
