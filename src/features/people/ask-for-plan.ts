import type { WriteScope } from '../../platform/db/database.ts';
import type { Postbox } from '../../platform/mail.ts';
import { findOrganization, lockOrganization } from '../organizations/index.ts';
import { type Plan, termsOf } from '../plans/index.ts';
import { lastOf, noteAct, type PersonDoing } from '../trail/index.ts';
import { planRequestMail } from './mails.ts';

/** The same plan is not asked for again within this time. */
const AGAIN_AFTER_HOURS = 24;

interface PlanWish {
  readonly plan: Plan;
  /** The person's own words to the operator; null = none. */
  readonly note: string | null;
  readonly person: { readonly name: string; readonly email: string };
}

/** `already`: it is the plan, or it was asked for within a day. `no_contact`: nothing to mail to. */
export const WISH_OUTCOMES = ['sent', 'already', 'no_contact'] as const;

/** Mails the operator that an organisation wants another plan, once a day for each plan. */
export async function askForPlan(
  scope: WriteScope,
  by: PersonDoing,
  { postbox, supportEmail }: { postbox: Postbox; supportEmail: string | null },
  { plan, note, person }: PlanWish,
): Promise<(typeof WISH_OUTCOMES)[number]> {
  await lockOrganization(scope);
  const organization = await findOrganization(scope.handle, scope.organizationId);
  if (organization?.plan === plan) return 'already';
  const { name: wanted } = termsOf(plan);
  const last = await lastOf(scope, 'plan_requested', wanted);
  const since = scope.clock.now().subtract({ hours: AGAIN_AFTER_HOURS });
  if (last && Temporal.Instant.compare(last.at, since) > 0) return 'already';
  if (!organization || supportEmail === null) return 'no_contact';
  const present = termsOf(organization.plan).name;
  const facts = { organization, present, wanted, note, person };
  await postbox.put(scope.handle, planRequestMail(supportEmail, facts));
  await noteAct(scope, by, 'plan_requested', { label: wanted });
  return 'sent';
}
