import type { Clock } from '../../platform/clock.ts';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { notice } from '../../platform/db/notices.ts';
import { invalid } from '../../platform/failure.ts';
import { newId, newPublicId } from '../../platform/ids.ts';
import { isPlainName, NO_ADDRESS_IN_NAME } from '../../platform/plain-name.ts';
import type { Instant } from '../../platform/time.ts';
import { type Plan, type PlanTerms, termsOf, USUAL_QUOTA } from '../plans/index.ts';
import { type Doer, noteAct } from '../trail/index.ts';
import { followPlan } from '../webhooks-out/index.ts';
import * as store from './store.ts';

export interface Organization {
  readonly id: string;
  /** Its name in the addresses of carriers' webhooks. */
  readonly publicId: string;
  readonly name: string;
  readonly plan: Plan;
  /** Requests a minute agreed separately from the plan; null = the plan's own. */
  readonly quotaOverride: number | null;
  readonly trialEndsAt: Instant | null;
  readonly isSuspended: boolean;
  /** In whose days sales are shown, and in whose hours times. */
  readonly timezone: Timezone;
  /** Its orders are samples, and it has no accounts. */
  readonly isSample: boolean;
}

/** The time zones of Mexico, the usual one first. */
export const TIMEZONES = [
  'America/Mexico_City',
  'America/Cancun',
  'America/Hermosillo',
  'America/Tijuana',
] as const;
type Timezone = (typeof TIMEZONES)[number];

/** Makes an organisation; on Demo its trial begins now. */
export async function createOrganization(
  handle: WriteHandle,
  clock: Clock,
  given: { name: string; plan: Plan; isSample?: true },
): Promise<Organization> {
  const name = readName(given.name);
  const now = clock.now();
  const row = {
    id: newId(),
    public_id: newPublicId(),
    name,
    plan: given.plan,
    quota_override: null,
    trial_ends_at: trialEnd(given.plan, now),
    suspended_at: null,
    timezone: TIMEZONES[0],
    is_sample: given.isSample ?? false,
  };
  await store.insert(handle, { ...row, createdAt: now });
  return fromRow(row);
}

/** @throws Failure invalid_request */
export async function renameOrganization(
  handle: WriteHandle,
  id: string,
  name: string,
): Promise<void> {
  await store.rename(handle, id, readName(name));
}

/**
 * Changes what the organisation is called and in whose days it thinks.
 * @throws Failure invalid_request
 */
export async function changeOrganization(
  scope: WriteScope,
  by: Doer,
  change: { readonly name: string; readonly timezone: Timezone },
): Promise<void> {
  const name = readName(change.name);
  await store.change(scope.handle, scope.organizationId, { name, timezone: change.timezone });
  await noteAct(scope, by, 'organization_changed', { label: name });
}

/** Whether a trial has ended: what is there can be read, and nothing can be changed. */
export function isTrialOver({ plan, trialEndsAt }: Organization, now: Instant): boolean {
  if (plan !== 'demo' || trialEndsAt === null) return false;
  return Temporal.Instant.compare(trialEndsAt, now) <= 0;
}

export async function findOrganization(handle: Handle, id: string): Promise<Organization | null> {
  const row = await store.byId(handle, id);
  return row ? fromRow(row) : null;
}

/**
 * Locks the organisation's row until the transaction ends. Transactions that count or check before
 * they add, such as keys, members and connections, take it before any other lock.
 */
export function lockOrganization(scope: WriteScope): Promise<void> {
  return store.lock(scope);
}

/**
 * Changes the plan; every process applies it within a second. `quota` replaces the plan's requests
 * a minute.
 * @returns false when there is no such organisation.
 * @throws Failure invalid_request: a quota for a plan with a fixed one
 */
export async function changePlan(
  handle: WriteHandle,
  clock: Clock,
  change: { organizationId: string; plan: Plan; quota: number | null },
): Promise<boolean> {
  if (change.quota !== null && !termsOf(change.plan).customQuota)
    throw invalid('quota', CUSTOM_QUOTA_RULE);
  const before = await store.byId(handle, change.organizationId);
  if (!before) return false;
  // A return to Demo does not start a second trial.
  const trialEndsAt =
    before.plan === change.plan
      ? before.trial_ends_at
      : (before.trial_ends_at ?? trialEnd(change.plan, clock.now()));
  await store.updatePlan(handle, change.organizationId, {
    plan: change.plan,
    quota: change.quota,
    trialEndsAt,
  });
  const scope = handle.within(change.organizationId);
  await followPlan(scope, termsOf(change.plan).webhookEndpoints);
  await noteAct(scope, 'operator', 'plan_changed', { label: termsOf(change.plan).name });
  await handle.rows(notice('access', change.organizationId));
  return true;
}

/** All organisations, by name. */
export async function listOrganizations(handle: Handle): Promise<Organization[]> {
  return (await store.all(handle)).map(fromRow);
}

/**
 * Suspends an organisation, or ends that. Its keys and agents read nothing meanwhile, and nothing
 * new can be made there. Every process applies it within a second.
 * @returns false when there is no such organisation
 */
export async function setSuspended(
  handle: WriteHandle,
  clock: Clock,
  organizationId: string,
  isSuspended: boolean,
): Promise<boolean> {
  const scope = handle.within(organizationId);
  await store.lock(scope);
  const before = await store.byId(handle, organizationId);
  if (!before) return false;
  if ((before.suspended_at !== null) === isSuspended) return true;
  await store.setSuspended(handle, organizationId, isSuspended ? clock.now() : null);
  await noteAct(scope, 'operator', isSuspended ? 'organization_suspended' : 'organization_resumed');
  await handle.rows(notice('access', organizationId));
  return true;
}

const CUSTOM_QUOTA_RULE =
  'Solo el plan Experto admite una cuota propia. ' +
  `Los demás tienen la de su plan: ${USUAL_QUOTA} solicitudes por minuto.`;

/** The current terms of the organisation: its plan's, with those agreed separately. */
export function effectiveTerms(organization: Organization): PlanTerms {
  const terms = termsOf(organization.plan);
  return organization.quotaOverride === null
    ? terms
    : { ...terms, requestsPerMinute: organization.quotaOverride };
}

/**
 * Most webhook endpoints that the plan allows, read under the organisation's lock: a change of the
 * plan comes before it or after what the caller does.
 */
export async function webhookEndpointLimit(scope: WriteScope): Promise<number> {
  await lockOrganization(scope);
  const organization = await findOrganization(scope.handle, scope.organizationId);
  return organization ? effectiveTerms(organization).webhookEndpoints : 0;
}

/** The organisation's part of `GET /v1/me`. `trial_ends_at` is null unless a trial is running. */
export async function describeOrganization(scope: ReadScope, organization: Organization) {
  const isTrialRunning =
    organization.plan === 'demo' && !isTrialOver(organization, scope.clock.now());
  return {
    organization_id: organization.id,
    plan: organization.plan,
    marketplaces_connected: await store.connectedMarketplaces(scope),
    trial_ends_at: isTrialRunning ? organization.trialEndsAt : null,
  };
}

function readName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 120)
    throw invalid('name', 'El nombre de la organización debe tener de 1 a 120 caracteres.');
  if (!isPlainName(name)) throw invalid('name', NO_ADDRESS_IN_NAME);
  return name;
}

function trialEnd(plan: Plan, from: Instant): Instant | null {
  const { trialDays } = termsOf(plan);
  return trialDays === null ? null : from.add({ hours: 24 * trialDays });
}

function fromRow(row: store.OrganizationRow): Organization {
  return {
    id: row.id,
    publicId: row.public_id,
    name: row.name,
    plan: row.plan as Plan,
    quotaOverride: row.quota_override,
    trialEndsAt: row.trial_ends_at,
    isSuspended: row.suspended_at !== null,
    timezone: row.timezone as Timezone,
    isSample: row.is_sample,
  };
}
