import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access, AccessCache, Scope } from '../../features/keys/index.ts';
import { effectiveTerms } from '../../features/organizations/index.ts';
import type { Quota } from '../../features/quota/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Failure, fail } from '../../platform/failure.ts';
import type { Instant } from '../../platform/time.ts';
import { contextOf, quotaHeaders } from '../http.ts';

/** Who was let in. */
export interface Admitted extends Access {
  /** When the key was used before this request. */
  readonly lastUsedAt: Instant | null;
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
  request: FastifyRequest,
  reply: FastifyReply,
  scope: Scope | null,
): Promise<Admitted> {
  const access = await identify(parts, request, reply);
  const { key, organization } = access;
  contextOf(request.raw).organizationId = organization.id;
  const terms = effectiveTerms(organization);
  const state = await parts.quota.spend(organization.id, terms.requestsPerMinute);
  reply.headers(quotaHeaders(state));
  const lastUsedAt = parts.access.markUsed(key);

  if (organization.isSuspended) throw fail('organization_suspended');
  if (!terms.api) throw fail('plan_does_not_include_api', { message: planSentence(terms.name) });
  if (scope && !key.scopes.includes(scope))
    throw fail('insufficient_scope', { details: { required_scope: scope } });
  if (!state.admitted)
    throw fail('rate_limit_exceeded', { headers: { 'retry-after': String(state.retryAfter) } });
  return { key, organization, lastUsedAt };
}

async function identify(parts: GuardParts, request: FastifyRequest, reply: FastifyReply): Promise<Access> {
  const header = request.headers.authorization;
  if (header === undefined) throw refuse(parts, request, reply, fail('missing_api_key', BEARER));
  const text = /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
  const access = await parts.access.find(text);
  if (!access) throw refuse(parts, request, reply, fail('invalid_api_key', BEARER));
  // Whatever the clock of the process that revoked it says.
  if (access.key.revokedAt) throw refuse(parts, request, reply, fail('api_key_revoked', BEARER));
  if (hasPassed(access.key.expiresAt, parts.clock.now()))
    throw refuse(parts, request, reply, fail('api_key_expired', BEARER));
  return access;
}

const BEARER = { headers: { 'www-authenticate': 'Bearer' } };

/** Counts a failed authentication; past the guard's limit the answer is 429 instead. */
function refuse(
  { quota }: GuardParts,
  request: FastifyRequest,
  reply: FastifyReply,
  failure: Failure,
): Failure {
  const state = quota.spendFailure(contextOf(request.raw).address);
  reply.headers(quotaHeaders(state));
  if (state.admitted) return failure;
  return fail('too_many_requests', { headers: { 'retry-after': String(state.retryAfter) } });
}

function hasPassed(instant: Instant | null, now: Instant): boolean {
  return instant !== null && Temporal.Instant.compare(instant, now) <= 0;
}

function planSentence(plan: string): string {
  return `Tu plan ${plan} no incluye la API. Cambia a Intermedio o superior en Configuración › Plan.`;
}
