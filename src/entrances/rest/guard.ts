import type { IncomingMessage } from 'node:http';
import type { Access, AccessCache, Scope } from '../../features/keys/index.ts';
import { effectiveTerms } from '../../features/organizations/index.ts';
import type { Quota } from '../../features/quota/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Failure, fail } from '../../platform/failure.ts';
import type { Instant } from '../../platform/time.ts';
import { contextOf } from '../http.ts';

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
 * Lets a request in, in this order: key (401), plan (403), scope (403), quota (429). A 403 spends one request
 * if one is left and never becomes a 429.
 * @param scope what the operation needs; null = any valid key
 */
export async function admit(
  parts: GuardParts,
  request: IncomingMessage,
  scope: Scope | null,
): Promise<Admitted> {
  const { key, organization } = await identify(parts, request);
  const context = contextOf(request);
  context.organizationId = organization.id;
  const terms = effectiveTerms(organization);
  const state = await parts.quota.spend(organization.id, terms.requestsPerMinute);
  context.quota = state;
  const lastUsedAt = parts.access.markUsed(key);

  if (organization.isSuspended) throw fail('organization_suspended');
  if (!terms.api) throw fail('plan_does_not_include_api', { message: planSentence(terms.name) });
  if (scope && !key.scopes.includes(scope))
    throw fail('insufficient_scope', { details: { required_scope: scope } });
  if (!state.admitted)
    throw fail('rate_limit_exceeded', { headers: { 'retry-after': String(state.retryAfter) } });
  return { key, organization, lastUsedAt };
}

async function identify(parts: GuardParts, request: IncomingMessage): Promise<Access> {
  const header = request.headers.authorization;
  if (header === undefined) throw refuse(parts, request, fail('missing_api_key', BEARER));
  const text = /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
  const access = await parts.access.find(text);
  if (!access) throw refuse(parts, request, fail('invalid_api_key', BEARER));
  // Whatever the clock of the process that revoked it says.
  if (access.key.revokedAt) throw refuse(parts, request, fail('api_key_revoked', BEARER));
  if (hasPassed(access.key.expiresAt, parts.clock))
    throw refuse(parts, request, fail('api_key_expired', BEARER));
  return access;
}

const BEARER = { headers: { 'www-authenticate': 'Bearer' } };

/** Counts a failed authentication; past the guard's limit the answer is 429 instead. */
function refuse({ quota }: GuardParts, request: IncomingMessage, failure: Failure): Failure {
  const context = contextOf(request);
  const state = quota.spendFailure(context.address);
  context.quota = state;
  if (state.admitted) return failure;
  return fail('too_many_requests', { headers: { 'retry-after': String(state.retryAfter) } });
}

function hasPassed(instant: Instant | null, clock: Clock): boolean {
  return instant !== null && instant.epochMilliseconds <= clock.millis();
}

function planSentence(plan: string): string {
  return `Tu plan ${plan} no incluye la API. Cambia a Intermedio o superior en Configuración › Plan.`;
}
