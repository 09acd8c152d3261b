import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';
import type { Role } from '../people/index.ts';
import type { Action, Actor } from './actor.ts';

const ABOUT = bulk('warehouse_actions', ['line_id', 'details']);

const INSERT = ABOUT.statement(
  'warehouse-actions.insert',
  (given) => `insert into warehouse_actions
     (organization_id, actor_kind, actor_id, actor_role, action, at, ${ABOUT.names})
   select $1, $2::text, $3::text, $4::text, $5::text, $6::timestamptz, * from ${given}`,
);

const OF = statement<ActionRow>(
  'warehouse-actions.of',
  `select actor_kind, actor_id, actor_role, action, line_id, at, details from warehouse_actions
    where organization_id = $1 and line_id = $2 order by seq`,
);

interface ActionRow {
  readonly actor_kind: string;
  readonly actor_id: string;
  readonly actor_role: string;
  readonly action: string;
  readonly line_id: string | null;
  readonly at: Instant;
  readonly details: string;
}

export async function insert(
  scope: WriteScope,
  { kind, id, role }: Actor,
  action: string,
  about: readonly { lineId: string | null; details: object }[],
  at: Instant,
): Promise<void> {
  const rows = about.map(({ lineId, details }) => ({
    line_id: lineId,
    details: JSON.stringify(details),
  }));
  await scope.prepared(INSERT, INSERT.values([kind, id, role, action, at.toString()], rows));
}

export async function of(scope: ReadScope, lineId: string): Promise<Action[]> {
  const rows = await scope.prepared(OF, [lineId]);
  return rows.map((row) => ({
    actor: {
      kind: row.actor_kind as Actor['kind'],
      id: row.actor_id,
      role: row.actor_role as Role,
    },
    action: row.action,
    lineId: row.line_id,
    at: row.at,
    details: JSON.parse(row.details),
  }));
}
