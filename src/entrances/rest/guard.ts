import type { IncomingMessage } from 'node:http';
import type { Access, AccessCache, KeyScope } from '../../features/keys/index.ts';
import type { Organization } from '../../features/organizations/index.ts';
import type { Quota } from '../../features/quota/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { fail } from '../../platform/failure.ts';
import type { FailureCode } from '../../platform/failures.ts';
import { admitOrganization, connectionOfToken, hasPassed, refuseCaller } from '../guard.ts';

/** The authenticated caller. */
export interface Admitted extends Access {
  /** When the key was used before this request, in epoch milliseconds. */
  readonly lastUsedAt: number | null;
}

interface KeyParts {
  readonly access: AccessCache;
  readonly clock: Clock;
}

export interface GuardParts extends KeyParts {
  readonly quota: Quota;
}

/**
 * Lets a request in, in this order: key (401), plan (403), scope (403), quota (429).
 * @param scope what the operation needs; null = any valid key
 */
export async function admit(
  parts: GuardParts,
  request: IncomingMessage,
  scope: KeyScope | null,
): Promise<Admitted> {
  const { key, organization } = await identify(parts, request);
  const lastUsedAt = parts.access.markUsed(key);
  const lacking =
    scope && !key.scopes.includes(scope)
      ? fail('insufficient_scope', { details: { required_scope: scope } })
      : null;
  await admitOrganization(parts.quota, request, organization, lacking);
  return { key, organization, lastUsedAt };
}

async function identify(parts: GuardParts, request: IncomingMessage): Promise<Access> {
  const text = connectionOfToken(request);
  const found = text === null ? 'missing_api_key' : await readKey(parts, text);
  if (typeof found === 'string') throw refuseCaller(parts.quota, request, fail(found, BEARER));
  return found;
}

/** The organisation that a text is a valid key of. */
export async function ownerOfKey(parts: KeyParts, text: string): Promise<Organization | null> {
  const found = await readKey(parts, text);
  return typeof found === 'string' ? null : found.organization;
}

/** The caller of this key, or why the key is refused. */
async function readKey({ access, clock }: KeyParts, text: string): Promise<Access | FailureCode> {
  const found = await access.find(text);
  if (!found) return 'invalid_api_key';
  // By the database's clock, not by that of the process that revoked it.
  if (found.key.revokedAt) return 'api_key_revoked';
  if (hasPassed(found.key.expiresAt, clock)) return 'api_key_expired';
  return found;
}

const BEARER = { headers: { 'www-authenticate': 'Bearer' } };
