/**
 * Agents as the authorization server leaves them: a person, a member, a grant and an access token.
 */
import { randomBytes } from 'node:crypto';
import { SCOPES, type Scope } from '../../src/features/keys/index.ts';
import type { Role } from '../../src/features/people/index.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { notice } from '../../src/platform/db/notices.ts';
import { newId, sha256 } from '../../src/platform/ids.ts';
import type { TestApp } from './app.ts';

export interface Agent {
  readonly token: string;
  readonly grantId: string;
  readonly personId: string;
  readonly organizationId: string;
  /** What an MCP client sends with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What it takes to let an agent in. */
interface Place extends Pick<TestApp, 'app' | 'env' | 'organization'> {
  readonly clock: Clock;
}

interface AgentOptions {
  readonly organizationId?: string;
  readonly scopes?: readonly Scope[];
  readonly seconds?: number;
  /** Of the person; owner unless said otherwise. */
  readonly role?: Role;
  readonly audience?: string;
}

/** Where agents call an instance. */
export function mcpAddress({ app: instance }: Pick<TestApp, 'app'>): string {
  return `${instance.url}/mcp`;
}

/** The address that tokens are made for, as the instance knows itself. */
export function resourceOf({ app: instance, env }: Pick<TestApp, 'app' | 'env'>): string {
  const { port } = new URL(instance.url);
  return `${env.PUBLIC_URL ?? `http://localhost:${port}`}/mcp`;
}

/** An agent that a person of the organisation let in. */
export function anAgent(own: Place, options: AgentOptions = {}): Promise<Agent> {
  const { organizationId = own.organization.id, audience = resourceOf(own) } = options;
  return own.app.database.write((handle) =>
    letIn(handle.sql, { ...options, organizationId, audience, now: own.clock.now() }),
  );
}

interface NewAgent extends AgentOptions {
  readonly organizationId: string;
  readonly audience: string;
  readonly now: Temporal.Instant;
}

/** @param run a statement at the instance's database */
export async function letIn(
  run: (text: string, values: readonly unknown[]) => Promise<unknown>,
  { organizationId, audience, now, scopes = SCOPES, seconds = 900, role = 'owner' }: NewAgent,
): Promise<Agent> {
  const [personId, grantId, token] = [newId(), newId(), randomBytes(32).toString('base64url')];
  const expires = now.add({ seconds });
  const payload = {
    aud: audience,
    scope: scopes.join(' '),
    exp: Math.floor(expires.epochMilliseconds / 1000),
  };
  await run(
    `insert into people (id, name, email, email_verified, created_at, updated_at)
     values ($1, 'Ana Prueba', $2, true, $3, $3)`,
    [personId, `${personId}@tienda.example`, now.toString()],
  );
  await run(
    `insert into members (organization_id, person_id, role, created_at) values ($1, $2, $4, $3)`,
    [organizationId, personId, now.toString(), role],
  );
  await run(
    `insert into agent_grants (organization_id, grant_id, person_id, client_id, client_name, redirect_host, scopes, created_at)
     values ($1, $2, $3, 'cliente-1', 'Agente de prueba', '127.0.0.1', $4, $5)`,
    [organizationId, grantId, personId, [...scopes], now.toString()],
  );
  await run(
    `insert into oauth_records (model, id, payload, grant_id, expires_at) values ('AccessToken', $1, $2, $3, $4)`,
    [sha256(token), JSON.stringify(payload), grantId, expires.toString()],
  );
  return {
    token,
    grantId,
    personId,
    organizationId,
    headers: { authorization: `Bearer ${token}` },
  };
}

/** «Desconectar»: the grant ends, and every process hears of it. */
export async function disconnect({ app: instance, clock }: TestApp, agent: Agent): Promise<void> {
  await instance.database.write(async (handle) => {
    await handle.sql('update agent_grants set disconnected_at = $2 where grant_id = $1', [
      agent.grantId,
      clock.now().toString(),
    ]);
    await handle.rows(notice('access', agent.organizationId));
  });
}

/** The person leaves the organisation. */
export async function removeMember({ app: instance }: TestApp, agent: Agent): Promise<void> {
  await instance.database.write(async (handle) => {
    await handle.sql('delete from members where person_id = $1', [agent.personId]);
    await handle.rows(notice('access', agent.organizationId));
  });
}
