import { openAccessMemory } from '../../platform/db/access-memory.ts';
import type { Database, Handle } from '../../platform/db/database.ts';
import type { Notices } from '../../platform/db/notices.ts';
import { sha256 } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import { isScope, type Scope } from '../keys/index.ts';
import { findOrganization, type Organization } from '../organizations/index.ts';
import { type Role, scopesFor } from '../people/index.ts';

import * as store from './store.ts';

/**
 * An agent that calls with an access token, and the organisation and person it reads for. The token
 * may have expired: the caller must check.
 */
export interface AgentAccess {
  readonly grantId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly personId: string;
  readonly role: Role;
  /** Scopes of the token that the person still grants, and that their role still allows. */
  readonly scopes: readonly Scope[];
  /** The address that the token was made for. */
  readonly audience: string;
  readonly expiresAt: Instant;
  readonly organization: Organization;
}

/**
 * Caches access tokens in memory; a change of plan, member or grant empties the cache in every
 * process with its commit.
 */
export interface AgentAccessCache {
  /**
   * @returns null when it is no token of this instance, its grant was revoked, or the person left
   * the organisation
   */
  find(token: string): Promise<AgentAccess | null>;
}

/** The fields used from the authorization server's record of an access token. */
interface TokenPayload {
  readonly aud?: string;
  readonly scope?: string;
  /** Epoch seconds. */
  readonly exp: number;
}

const TOKEN = /^[\w-]{20,256}$/;

export function openAgentAccessCache(database: Database, notices: Notices): AgentAccessCache {
  const memory = openAccessMemory<AgentAccess>(notices, ({ organization }) => organization.id);
  return {
    async find(token) {
      if (!TOKEN.test(token)) return null;
      const hash = sha256(token);
      return memory.find(hash, () => database.read((handle) => findAccess(handle, hash)));
    },
  };
}

async function findAccess(handle: Handle, hash: string): Promise<AgentAccess | null> {
  const row = await store.accessByToken(handle, hash);
  const organization = row && (await findOrganization(handle, row.organization_id));
  if (!row || !organization) return null;
  const token = JSON.parse(row.payload) as TokenPayload;
  const role = row.role as Role;
  const may = scopesFor(role);
  return {
    grantId: row.grant_id,
    clientId: row.client_id,
    clientName: row.client_name,
    personId: row.person_id,
    role,
    scopes: (token.scope ?? '')
      .split(' ')
      .filter(isScope)
      .filter((scope) => may.includes(scope) && row.scopes.includes(scope)),
    audience: token.aud ?? '',
    expiresAt: Temporal.Instant.fromEpochMilliseconds(token.exp * 1000),
    organization,
  };
}
