import type { IncomingMessage } from 'node:http';
import type { Access, AccessCache, KeyScope } from '../../features/keys/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { fail } from '../../platform/failure.ts';
import type { FailureCode } from '../../platform/failures.ts';
import {
  admitOrganization,
  bearerOf,
  type CountingParts,
  type CredentialOwner,
  hasPassed,
  refuseCaller,
} from '../guard.ts';

/** The authenticated caller. */
export interface Admitted extends Access {
  /** When the key was used before this request, in epoch milliseconds. */
  readonly lastUsedAt: number | null;
}

interface KeyParts {
  readonly access: AccessCache;
  readonly clock: Clock;
}

export interface GuardParts extends KeyParts, CountingParts {}

/**
 * Lets a request in, in this order: key (401), plan (403), scope (403), quota (429).
 * @param scope what the operation needs; null = any valid key
 */
export async function admit(
  parts: GuardParts,
  request: IncomingMessage,
  scope: KeyScope | null,
): Promise<Admitted> {
  const access = await identify(parts, request);
  const { key, organization } = access;
  const lastUsedAt = parts.access.markUsed(key);
  const lacking =
    scope && !key.scopes.includes(scope)
      ? fail('insufficient_scope', { details: { required_scope: scope } })
      : null;
  await admitOrganization(parts, request, ownerOf(access), lacking);
  return { key, organization, lastUsedAt };
}

async function identify(parts: GuardParts, request: IncomingMessage): Promise<Access> {
  const text = bearerOf(request);
  const found = text === null ? 'missing_api_key' : await readKey(parts, text);
  if (typeof found === 'string') throw refuseCaller(parts.quota, request, fail(found, BEARER));
  return found;
}

/** Whom a text is a valid key of. */
export async function ownerOfKey(parts: KeyParts, text: string): Promise<CredentialOwner | null> {
  const found = await readKey(parts, text);
  return typeof found === 'string' ? null : ownerOf(found);
}

function ownerOf({ key, organization }: Access): CredentialOwner {
  return { organization, caller: { kind: 'key', id: key.id } };
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
