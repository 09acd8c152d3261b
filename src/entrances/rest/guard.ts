import type { IncomingMessage } from 'node:http';
import type { Access, AccessCache, KeyScope } from '../../features/keys/index.ts';
import { effectiveTerms } from '../../features/organizations/index.ts';
import type { PlanTerms } from '../../features/plans/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Failure, fail } from '../../platform/failure.ts';
import type { FailureCode } from '../../platform/failures.ts';
import { nameAndPath } from '../../platform/site-pages.ts';
import {
  admitOrganization,
  bearerOf,
  type CountingParts,
  type CredentialOwner,
  hasPassed,
  refuseCaller,
  refuseLacking,
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

/** What an operation needs beside a valid key and a plan with the API. */
export interface Needs {
  /** Why the plan does not include it; null = it does. Absent = every plan with the API does. */
  readonly planRefusal?: (terms: PlanTerms) => Failure | null;
  /** Null = any valid key. */
  readonly scope: KeyScope | null;
}

export interface GuardParts extends KeyParts, CountingParts {}

/**
 * Lets a request in, in this order: key (401), plan (403), scope (403), quota (429).
 * @param operation null = it needs no more than a valid key
 */
export async function admit(
  parts: GuardParts,
  request: IncomingMessage,
  operation: Needs | null,
): Promise<Admitted> {
  const access = await identify(parts, request);
  const { key, organization } = access;
  const lastUsedAt = parts.access.markUsed(key);
  await admitOrganization(parts, request, ownerOf(access), operation && lackOf(operation, access));
  return { key, organization, lastUsedAt };
}

/**
 * The same caller once the body has arrived, which may take long: a key that ended meanwhile does
 * nothing more. Spends nothing.
 */
export async function admitStill(
  parts: GuardParts,
  request: IncomingMessage,
  operation: Needs,
  { lastUsedAt }: Admitted,
): Promise<Admitted> {
  const access = await identify(parts, request);
  refuseLacking(access.organization, lackOf(operation, access));
  return { ...access, lastUsedAt };
}

function lackOf(operation: Needs, access: Access): Failure | null {
  return planLack(operation, access) ?? scopeLack(operation, access);
}

function planLack({ planRefusal }: Needs, { organization }: Access): Failure | null {
  return planRefusal?.(effectiveTerms(organization)) ?? null;
}

function scopeLack({ scope }: Needs, { key }: Access): Failure | null {
  return scope === null || key.scopes.includes(scope) ? null : scopeRefusal(scope);
}

/** The refusal for a key without a permission. */
export function scopeRefusal(scope: KeyScope): Failure {
  return fail('insufficient_scope', {
    message: `A la clave le falta el permiso ${scope}. Crea otra que lo tenga en ${nameAndPath('keys')}.`,
    details: { required_scope: scope },
  });
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
