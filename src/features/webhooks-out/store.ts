import { bulk } from '../../platform/db/bulk.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

const EVENTS = bulk('events', ['id', 'type', 'created_at', 'data']);

const INSERT = EVENTS.statement(
  'events.insert',
  (given) => `insert into events (organization_id, ${EVENTS.names}) select $1, * from ${given}`,
);

const KEEP_DAYS = 30;

export const RETENTIONS = [
  retention('events', KEEP_DAYS, removeBefore('events.remove', 'events', 'created_at')),
];

export async function insert(
  scope: WriteScope,
  events: readonly { id: string; type: string; at: Instant; data: string }[],
): Promise<void> {
  const rows = events.map(({ at, ...event }) => ({ ...event, created_at: at }));
  await scope.prepared(INSERT, INSERT.values([], rows));
}
