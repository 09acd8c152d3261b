import type { IncomingMessage } from 'node:http';
import { effectiveTerms, type Organization } from '../features/organizations/index.ts';
import type { Quota, QuotaState, RequestCaller, UsageRecorder } from '../features/quota/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Failure, fail } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import type { Instant } from '../platform/time.ts';
import { contextOf } from './http.ts';

/**
 * The credential of `Authorization: Bearer …`; null without the header, empty when it is something
 * else.
 */
export function bearerOf(request: IncomingMessage): string | null {
  const header = request.headers.authorization;
  return header === undefined ? null : (/^bearer +(\S+) *$/i.exec(header)?.[1] ?? '');
}

/** Counts a failed authentication; past the guard's limit the answer is 429 instead. */
export function refuseCaller(quota: Quota, request: IncomingMessage, failure: Failure): Failure {
  const context = contextOf(request);
  const state = quota.spendFailure(context.address);
  context.quota = state;
  if (state.admitted) return failure;
  return fail('too_many_requests', { headers: { 'retry-after': String(state.retryAfter) } });
}

/** What the quota counts, and for whom it is shown. */
export interface CountingParts {
  readonly quota: Quota;
  readonly usage: UsageRecorder;
}

/** Whom a valid credential names. */
export interface CredentialOwner {
  readonly organization: Organization;
  readonly caller: RequestCaller;
}

/**
 * What is asked once it is known who calls, whatever the entrance: organisation and plan (403),
 * scope (403), quota (429). A 403 spends one request if one is left and never becomes a 429.
 * @param lacking what the plan or the caller lacks for this request beside the API; null = nothing
 */
export async function admitOrganization(
  parts: CountingParts,
  request: IncomingMessage,
  owner: CredentialOwner,
  lacking: Failure | null,
): Promise<void> {
  const { organization, caller } = owner;
  const state = await spend(parts, request, owner);
  refuseLacking(organization, lacking);
  if (state.admitted) return;
  parts.usage.count(organization.id, caller, false);
  throw fail('rate_limit_exceeded', { headers: { 'retry-after': String(state.retryAfter) } });
}

/**
 * What the organisation, its plan or the caller lacks, whatever is left of the quota.
 * @throws Failure
 */
export function refuseLacking(organization: Organization, lacking: Failure | null): void {
  const terms = effectiveTerms(organization);
  if (organization.isSuspended) throw fail('organization_suspended');
  if (!terms.api) throw planRefusal(terms.name);
  if (lacking) throw lacking;
}

/** Spends one request if one is left; the answer's headers have the numbers. */
async function spend(
  { quota, usage }: CountingParts,
  request: IncomingMessage,
  { organization, caller }: CredentialOwner,
): Promise<QuotaState> {
  const context = contextOf(request);
  context.organizationId = organization.id;
  const { requestsPerMinute } = effectiveTerms(organization);
  const state = await quota.spend(organization.id, requestsPerMinute);
  context.quota = state;
  if (state.admitted) usage.count(organization.id, caller, true);
  return state;
}

/**
 * Counts a request that is refused without asking who calls, if it carries a valid credential: its
 * answer has the organisation's numbers. Spends one request if one is left, like a 403. A request
 * that was counted is not again.
 */
export type Charge = (request: IncomingMessage) => Promise<void>;

/** @param ownerOf whom a credential of any kind is valid for */
export function openCharge(
  parts: CountingParts,
  log: Log,
  ownerOf: (credential: string) => Promise<CredentialOwner | null>,
): Charge {
  return async (request) => {
    const context = contextOf(request);
    const credential = context.quota ? null : bearerOf(request);
    if (!credential) return;
    try {
      const owner = await ownerOf(credential);
      if (owner) await spend(parts, request, owner);
    } catch (error) {
      log.warn({ request: context.id, err: error }, 'refused request not counted');
    }
  };
}

export function hasPassed(instant: Instant | null, clock: Clock): boolean {
  return instant !== null && instant.epochMilliseconds <= clock.millis();
}

/** The refusal for a plan without API. */
export function planRefusal(plan: string): Failure {
  return fail('plan_does_not_include_api', { message: `Tu plan ${plan} no incluye la API.` });
}
