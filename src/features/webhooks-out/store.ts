import type { WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

const INSERT = statement<object>(
  'events.insert',
  `insert into events (organization_id, id, type, created_at, data)
   select $1, * from unnest($2::text[], $3::text[], $4::timestamptz[], $5::text[])`,
);

const REMOVE = statement<object>('events.remove', 'delete from events where created_at < $1');

export async function removeBefore(handle: WriteHandle, before: Instant): Promise<void> {
  await handle.raw(REMOVE, [before.toString()]);
}

export async function insert(
  scope: WriteScope,
  events: readonly { id: string; type: string; at: Instant; data: string }[],
): Promise<void> {
  await scope.prepared(INSERT, [
    events.map(({ id }) => id),
    events.map(({ type }) => type),
    events.map(({ at }) => at.toString()),
    events.map(({ data }) => data),
  ]);
}
