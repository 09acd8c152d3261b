import type { IncomingMessage } from 'node:http';
import type { Access, AccessCache, Scope } from '../../features/keys/index.ts';
import type { Quota } from '../../features/quota/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { fail } from '../../platform/failure.ts';
import { admitOrganization, bearerOf, hasPassed, refuseCaller } from '../guard.ts';

/** Who was let in. */
export interface Admitted extends Access {
  /** When the key was used before this request, in epoch milliseconds. */
  readonly lastUsedAt: number | null;
}

export interface GuardParts {
  readonly access: AccessCache;
  readonly quota: Quota;
  readonly clock: Clock;
}

/**
 * Lets a request in, in this order: key (401), plan (403), scope (403), quota (429).
 * @param scope what the operation needs; null = any valid key
 */
export async function admit(
  parts: GuardParts,
  request: IncomingMessage,
  scope: Scope | null,
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

async function identify({ access, quota, clock }: GuardParts, request: IncomingMessage): Promise<Access> {
  const text = bearerOf(request);
  if (text === null) throw refuseCaller(quota, request, fail('missing_api_key', BEARER));
  const found = await access.find(text);
  if (!found) throw refuseCaller(quota, request, fail('invalid_api_key', BEARER));
  // Whatever the clock of the process that revoked it says.
  if (found.key.revokedAt) throw refuseCaller(quota, request, fail('api_key_revoked', BEARER));
  if (hasPassed(found.key.expiresAt, clock))
    throw refuseCaller(quota, request, fail('api_key_expired', BEARER));
  return found;
}

const BEARER = { headers: { 'www-authenticate': 'Bearer' } };
