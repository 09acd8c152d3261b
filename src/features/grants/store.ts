import { bulk } from '../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { build, statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';
import type { AgentCall } from './call.ts';

export interface AccessRow {
  readonly payload: string;
  readonly grant_id: string;
  readonly organization_id: string;
  readonly person_id: string;
  readonly client_id: string;
  readonly client_name: string;
  readonly scopes: string[];
  readonly role: string;
}

export interface GrantRow {
  readonly grant_id: string;
  readonly person_id: string;
  readonly client_id: string;
  readonly client_name: string;
  readonly redirect_host: string;
  readonly scopes: string[];
  readonly created_at: Instant;
}

export interface LivingGrantRow extends GrantRow {
  readonly person_name: string;
  readonly last_used_at: Instant | null;
}

interface ToolRow {
  readonly grant_id: string;
  readonly tool: string;
  readonly calls: number;
  readonly last_at: Instant;
}

/** Alive while one of its tokens or codes is; the record of the grant itself has no `grant_id`. */
const LIVING = statement<LivingGrantRow>(
  'agent_grants.living',
  `select held.grant_id, held.person_id, people.name as person_name, held.client_id, held.client_name,
          held.redirect_host, held.scopes, held.created_at, held.last_used_at
     from agent_grants held join people on people.id = held.person_id
     join members on members.organization_id = held.organization_id and members.person_id = held.person_id
    where held.organization_id = $1 and held.disconnected_at is null and members.created_at <= held.created_at
      and exists (select from oauth_records token
                   where token.grant_id = held.grant_id and token.consumed_at is null
                     and token.expires_at > $2)
    order by held.created_at desc, held.grant_id`,
);

const TOOLS = statement<ToolRow>(
  'agent_tools.of-grants',
  `select grant_id, tool, calls, last_at from agent_tools
    where organization_id = $1 and grant_id = any($2) order by grant_id, tool`,
);

const USES = bulk('agent_tools', ['organization_id', 'grant_id', 'tool', 'calls', 'last_at']);

/** One order for all, so that two processes do not deadlock. */
const COUNT_TOOLS = USES.statement(
  'agent_tools.count',
  (given) => `insert into agent_tools (${USES.names})
   select ${USES.names} from ${given} order by organization_id, grant_id, tool
   on conflict (organization_id, grant_id, tool) do update
     set calls = agent_tools.calls + excluded.calls,
         last_at = greatest(agent_tools.last_at, excluded.last_at)`,
);

const LOCK_MEMBER = statement<object>(
  'members.lock-one',
  'select 1 as one from members where organization_id = $1 and person_id = $2 for no key update',
);

const CALLS = bulk('agent_calls', [
  'organization_id',
  'grant_id',
  'person_id',
  'client_id',
  'tool',
  'at',
  'duration_ms',
  'row_count',
  'outcome',
]);

const INSERT_CALLS = CALLS.statement(
  'agent_calls.insert',
  (given) => `insert into agent_calls (${CALLS.names}) select ${CALLS.names} from ${given}`,
);

const TOUCH = bulk('agent_grants', ['grant_id', 'last_used_at']).statement(
  'agent_grants.touch',
  (given) => `update agent_grants
      set last_used_at = greatest(coalesce(agent_grants.last_used_at, '-infinity'), used.at)
     from (select grant_id, max(last_used_at) as at from ${given} group by grant_id order by grant_id) as used
    where agent_grants.grant_id = used.grant_id`,
);

/** @param hash SHA-256 of the access token, in hex */
export function accessByToken(handle: Handle, hash: string): Promise<AccessRow | undefined> {
  return handle.first(
    build
      .selectFrom('oauth_records as token')
      .innerJoin('agent_grants as held', 'held.grant_id', 'token.grant_id')
      .innerJoin('members', (join) =>
        join
          .onRef('members.organization_id', '=', 'held.organization_id')
          .onRef('members.person_id', '=', 'held.person_id')
          // A member who left and joined again consents anew.
          .onRef('members.created_at', '<=', 'held.created_at'),
      )
      .select([
        'token.payload',
        'held.grant_id',
        'held.organization_id',
        'held.person_id',
        'held.client_id',
        'held.client_name',
        'held.scopes',
        'members.role',
      ])
      .where('token.model', '=', 'AccessToken')
      .where('token.id', '=', hash)
      .where('held.disconnected_at', 'is', null),
  );
}

export async function insertGrant(scope: WriteScope, row: GrantRow): Promise<void> {
  await scope.rows(
    scope.insert('agent_grants', [
      { ...row, created_at: row.created_at.toString(), last_used_at: null, disconnected_at: null },
    ]),
  );
}

/** Other consents of the same person wait until the transaction ends. */
export async function lockMember(scope: WriteScope, personId: string): Promise<void> {
  await scope.prepared(LOCK_MEMBER, [personId]);
}

/** The client's current grant there. */
export async function changeGrant(
  scope: WriteScope,
  grantId: string,
  row: Omit<GrantRow, 'grant_id' | 'created_at'>,
): Promise<void> {
  await scope.rows(scope.update('agent_grants').set(row).where('grant_id', '=', grantId));
}

export function livingGrants(scope: ReadScope, now: Instant): Promise<LivingGrantRow[]> {
  return scope.prepared(LIVING, [now.toString()]);
}

export function clientNames(
  scope: ReadScope,
  grantIds: readonly string[],
): Promise<Pick<GrantRow, 'grant_id' | 'client_name'>[]> {
  return scope.rows(
    scope
      .select('agent_grants')
      .select(['grant_id', 'client_name'])
      .where('grant_id', 'in', grantIds),
  );
}

export function toolsOf(scope: ReadScope, grantIds: readonly string[]): Promise<ToolRow[]> {
  return scope.prepared(TOOLS, [grantIds]);
}

/** @returns the client's name; null when it was not connected. */
export async function disconnect(
  scope: WriteScope,
  grantId: string,
  at: Instant,
): Promise<string | null> {
  const rows = await scope.rows(
    scope
      .update('agent_grants')
      .set({ disconnected_at: at.toString() })
      .where('grant_id', '=', grantId)
      .where('disconnected_at', 'is', null)
      .returning('client_name'),
  );
  return rows[0]?.client_name ?? null;
}

/** Grants that were not revoked. */
export async function grantsOf(scope: ReadScope, personId: string): Promise<string[]> {
  const rows = await scope.rows(
    scope
      .select('agent_grants')
      .select('grant_id')
      .where('person_id', '=', personId)
      .where('disconnected_at', 'is', null)
      .orderBy('grant_id'),
  );
  return rows.map((row) => row.grant_id);
}

export async function organizationOfGrant(handle: Handle, grantId: string): Promise<string | null> {
  const row = await handle.first(
    build.selectFrom('agent_grants').select('organization_id').where('grant_id', '=', grantId),
  );
  return row?.organization_id ?? null;
}

export async function newestOrganization(
  handle: Handle,
  personId: string,
  clientId: string,
): Promise<string | null> {
  const row = await handle.first(
    build
      .selectFrom('agent_grants')
      .select('organization_id')
      .where('person_id', '=', personId)
      .where('client_id', '=', clientId)
      .where('disconnected_at', 'is', null)
      .orderBy('created_at', 'desc')
      .limit(1),
  );
  return row?.organization_id ?? null;
}

export async function insertCalls(handle: WriteHandle, calls: readonly AgentCall[]): Promise<void> {
  const rows = calls.map((call) => ({
    organization_id: call.organizationId,
    grant_id: call.grantId,
    person_id: call.personId,
    client_id: call.clientId,
    tool: call.tool,
    at: call.at,
    duration_ms: Math.round(call.milliseconds),
    row_count: call.rows,
    outcome: call.outcome,
  }));
  await handle.raw(INSERT_CALLS, INSERT_CALLS.values([], rows));
}

/** A tool's counts to be added to a grant's. */
export interface ToolUse extends Pick<AgentCall, 'organizationId' | 'grantId' | 'tool'> {
  readonly calls: number;
  readonly lastAt: Instant;
}

export async function countTools(handle: WriteHandle, uses: readonly ToolUse[]): Promise<void> {
  const rows = uses.map((use) => ({
    organization_id: use.organizationId,
    grant_id: use.grantId,
    tool: use.tool,
    calls: use.calls,
    last_at: use.lastAt,
  }));
  await handle.raw(COUNT_TOOLS, COUNT_TOOLS.values([], rows));
}

export async function touchGrants(handle: WriteHandle, uses: readonly ToolUse[]): Promise<void> {
  const rows = uses.map((use) => ({ grant_id: use.grantId, last_used_at: use.lastAt }));
  await handle.raw(TOUCH, TOUCH.values([], rows));
}

const KEEP_DAYS = 365;

export const CALLS_RETENTION = retention(
  'agent_calls',
  KEEP_DAYS,
  removeBefore('agent_calls.remove', 'agent_calls', 'at'),
);
