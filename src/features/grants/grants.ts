import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { notice } from '../../platform/db/notices.ts';
import { newId } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import { SCOPES, type Scope } from '../keys/index.ts';
import { type Doer, INSTANCE_ACTOR, noteAct } from '../trail/index.ts';
import * as store from './store.ts';
import { removeGrant } from './store-records.ts';
import * as standing from './store-standing.ts';

/** The rights that a person grants an agent at consent. */
interface Agreement {
  readonly personId: string;
  readonly clientId: string;
  readonly clientName: string;
  /** The target of the agent's redirect: a host, or the scheme of an application. */
  readonly redirectHost: string;
  readonly scopes: readonly Scope[];
}

/** A connected agent. */
export interface Agent extends Agreement {
  readonly grantId: string;
  readonly personName: string;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
  /** By name. */
  readonly tools: readonly {
    readonly tool: string;
    readonly count: number;
    readonly lastAt: Instant;
  }[];
}

/** The name under which a client's tokens are made, and all that it may read. */
interface Agreed {
  readonly grantId: string;
  readonly scopes: readonly Scope[];
}

/**
 * Stores the organisation and person that an agent reads for; before that its tokens are invalid. A
 * client has one grant per person there: agreeing again adds the granted scopes to it and removes
 * the refused ones.
 * @param refused what the client requested and did not get
 * @param address the address of the person's request
 */
export async function agree(
  scope: WriteScope,
  { scopes, ...agreement }: Agreement,
  { refused, address }: { refused: readonly Scope[]; address: string | null },
): Promise<Agreed> {
  const { personId: person_id, clientId: client_id } = agreement;
  const row = {
    person_id,
    client_id,
    client_name: agreement.clientName,
    redirect_host: agreement.redirectHost,
  };
  // Two tabs may submit at once.
  await store.lockMember(scope, person_id);
  const note = (subject: string) =>
    noteAct(scope, { personId: person_id, address }, 'agent_connected', {
      subject,
      label: agreement.clientName,
    });
  const held = await standing.standingGrant(scope, person_id, client_id);
  if (!held) {
    const grantId = newId();
    await store.insertGrant(scope, {
      ...row,
      grant_id: grantId,
      scopes: [...scopes],
      created_at: scope.clock.now(),
    });
    await note(grantId);
    return { grantId, scopes };
  }
  const all = SCOPES.filter(
    (one) => scopes.includes(one) || (held.scopes.includes(one) && !refused.includes(one)),
  );
  await store.changeGrant(scope, held.grant_id, { ...row, scopes: all });
  await note(held.grant_id);
  await scope.rows(notice('access', scope.organizationId));
  return { grantId: held.grant_id, scopes: all };
}

/** Agents with a working token or code, newest first. */
export async function listAgents(scope: ReadScope): Promise<Agent[]> {
  const grants = await store.livingGrants(scope, scope.clock.now());
  const ids = grants.map((row) => row.grant_id);
  const tools = Map.groupBy(await store.toolsOf(scope, ids), (row) => row.grant_id);
  return grants.map((row) => ({
    grantId: row.grant_id,
    personId: row.person_id,
    personName: row.person_name,
    clientId: row.client_id,
    clientName: row.client_name,
    redirectHost: row.redirect_host,
    scopes: row.scopes as Scope[],
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    tools: (tools.get(row.grant_id) ?? []).map(({ tool, calls, last_at }) => ({
      tool,
      count: calls,
      lastAt: last_at,
    })),
  }));
}

/**
 * Revokes an agent's grant; every process refuses it within a second.
 * @returns false when the organisation has no such connected agent.
 */
export async function disconnectAgent(
  scope: WriteScope,
  by: Doer,
  grantId: string,
): Promise<boolean> {
  const label = await store.disconnect(scope, grantId, scope.clock.now());
  if (label === null) return false;
  await noteAct(scope, by, 'agent_disconnected', { subject: grantId, label });
  await removeGrant(scope.handle, grantId);
  await scope.rows(notice('access', scope.organizationId));
  return true;
}

/** Revokes all grants of the person there, including tokens that are being issued. */
export async function disconnectAgentsOf(
  scope: WriteScope,
  by: Doer,
  personId: string,
): Promise<void> {
  // A simultaneous consent waits for the lock, or is found here.
  await store.lockMember(scope, personId);
  for (const grantId of await store.grantsOf(scope, personId))
    await disconnectAgent(scope, by, grantId);
}

/** The same for the authorization server, which does not know organisations. */
export async function endGrant(handle: WriteHandle, grantId: string): Promise<void> {
  const organizationId = await store.organizationOfGrant(handle, grantId);
  if (
    organizationId !== null &&
    (await disconnectAgent(handle.within(organizationId), INSTANCE_ACTOR, grantId))
  )
    return;
  await removeGrant(handle, grantId);
}

/**
 * The organisation that the person's last grant to this client is for; null when there is none, or
 * all were revoked.
 */
export function organizationReadBy(
  handle: Handle,
  { personId, clientId }: { personId: string; clientId: string },
): Promise<string | null> {
  return store.newestOrganization(handle, personId, clientId);
}

/** The names of these agents; disconnected ones have theirs, too. */
export async function namesOfAgents(
  scope: ReadScope,
  grantIds: readonly string[],
): Promise<{ grantId: string; name: string }[]> {
  if (grantIds.length === 0) return [];
  const rows = await store.clientNames(scope, grantIds);
  return rows.map(({ grant_id, client_name }) => ({ grantId: grant_id, name: client_name }));
}

/** Whether the organisation's grant stands and contains this scope. */
export function grantAllows(scope: ReadScope, grantId: string, wanted: Scope): Promise<boolean> {
  return standing.grantAllows(scope, grantId, wanted);
}

/** Whether it is not revoked, and the person has belonged to the organisation ever since. */
export function grantStands(handle: Handle, grantId: string): Promise<boolean> {
  return standing.grantStands(handle, grantId);
}
