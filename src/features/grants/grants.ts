import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { notice } from '../../platform/db/notices.ts';
import { newId } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import { SCOPES, type Scope } from '../keys/index.ts';
import { type Doer, noteAct, type PersonDoing } from '../trail/index.ts';
import * as store from './store.ts';
import { removeGrant } from './store-records.ts';

/** What a person lets an agent do, as it was agreed at consent. */
interface Agreement {
  readonly personId: string;
  readonly clientId: string;
  readonly clientName: string;
  /** Where the agent gets its answers: a host, or the scheme of an application. */
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

/** Under which name a client's tokens are made, and what it may read in all. */
interface Agreed {
  readonly grantId: string;
  readonly scopes: readonly Scope[];
}

/**
 * Keeps for which organisation and person an agent reads; only then its tokens are worth anything.
 * A client has one grant there: who agrees again with the same one widens it by what they gave, and
 * takes out of it what they kept back.
 * @param refused what the client asked for and did not get
 * @param address where the person's request came from
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
  // Two tabs may answer at once.
  await store.lockMember(scope, person_id);
  const note = (subject: string) =>
    noteAct(scope, { personId: person_id, address }, 'agent_connected', {
      subject,
      label: agreement.clientName,
    });
  const held = await store.standingGrant(scope, person_id, client_id);
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

/** Agents that hold something which still works, newest first. */
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
 * Ends what an agent holds; every process refuses it within a second.
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

/** Ends all grants of the person there, tokens being issued included. */
export async function disconnectOwnAgents(scope: WriteScope, by: PersonDoing): Promise<void> {
  // A consent at the same time waits, or is found.
  await store.lockMember(scope, by.personId);
  for (const grantId of await store.grantsOf(scope, by.personId))
    await disconnectAgent(scope, by, grantId);
}

/** The same from the side of the authorization server, which does not know organisations. */
export async function endGrant(handle: WriteHandle, grantId: string): Promise<void> {
  const organizationId = await store.organizationOfGrant(handle, grantId);
  if (
    organizationId !== null &&
    (await disconnectAgent(handle.within(organizationId), 'house', grantId))
  )
    return;
  await removeGrant(handle, grantId);
}

/**
 * For which organisation the person let this client read last; null when for none, or when all was
 * taken back.
 */
export function organizationReadBy(
  handle: Handle,
  { personId, clientId }: { personId: string; clientId: string },
): Promise<string | null> {
  return store.newestOrganization(handle, personId, clientId);
}

/** Whether it was not revoked, and the person has belonged to the organisation ever since. */
export function grantStands(handle: Handle, grantId: string): Promise<boolean> {
  return store.grantStands(handle, grantId);
}
