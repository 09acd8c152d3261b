import type { WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

const INSERT = statement<object>(
  'events.insert',
  `insert into events (organization_id, id, type, created_at, data)
   select $1, * from unnest($2::text[], $3::text[], $4::timestamptz[], $5::text[])`,
);

const KEEP_DAYS = 30;

export const RETENTIONS = [
  retention('events', KEEP_DAYS, removeBefore('events.remove', 'events', 'created_at')),
];

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
