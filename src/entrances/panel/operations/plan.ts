import { z } from 'zod';
import { effectiveTerms, isTrialOver } from '../../../features/organizations/index.ts';
import { askForPlan, WISH_OUTCOMES } from '../../../features/people/index.ts';
import { PLANS } from '../../../features/plans/index.ts';
import { lastOf } from '../../../features/trail/index.ts';
import { inputOf, wording } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead, defineWrite } from '../operation.ts';
import { PLAN_NAMES, presentTerms, Terms } from './plan-terms.ts';

const MOST_NOTE = 1_000;

/** The organisation's plan beside all others, and what of its trial is left. */
export const readPlanOperation = defineRead({
  action: null,
  capability: null,
  input: inputOf({}),
  output: z.object({
    current: z.enum(PLAN_NAMES),
    /** Of the current plan, as agreed with this customer. */
    requests_per_minute: z.int(),
    /** Null where no trial ever ran, or the plan is another one. */
    trial: z.object({ ends_at: z.string(), is_over: z.boolean() }).nullable(),
    plans: z.array(Terms),
    /** The change that was asked for last, unless it was made since. */
    requested: z.object({ name: z.string(), at: z.string() }).nullable(),
    /** Null = this instance names none. */
    support_email: z.string().nullable(),
    /** The operator's name; null = none is configured. */
    operator_name: z.string().nullable(),
  }),
  async run({ scope, organization, clock, operator }) {
    const { plan, trialEndsAt } = organization;
    const asked = await lastOf(scope, 'plan_requested');
    const changed = await lastOf(scope, 'plan_changed');
    const isOpen = asked !== null && (changed === null || changed.position < asked.position);
    return {
      current: plan,
      requests_per_minute: effectiveTerms(organization).requestsPerMinute,
      trial:
        plan === 'demo' && trialEndsAt !== null
          ? {
              ends_at: formatMillis(trialEndsAt),
              is_over: isTrialOver(organization, clock.now()),
            }
          : null,
      plans: PLAN_NAMES.map((name) => presentTerms(name, PLANS[name])),
      requested: isOpen ? { name: asked.label ?? '', at: formatMillis(asked.at) } : null,
      support_email: operator.supportEmail,
      operator_name: operator.operatorName,
    };
  },
});

/** Asks the operator for another plan. */
export const requestPlanOperation = defineWrite({
  action: 'manage_plan',
  capability: null,
  isOpenAfterTrial: true,
  input: inputOf({
    plan: z.enum(PLAN_NAMES).meta({ description: 'El plan que se pide.', examples: ['avanzado'] }),
    note: wording('Un mensaje al operador.', 'Vendemos en seis marketplaces.', MOST_NOTE),
  }),
  output: z.object({ outcome: z.enum(WISH_OUTCOMES) }),
  async run({ database, by, person, postbox, operator }, { plan, note }) {
    const sender = { postbox, supportEmail: operator.supportEmail };
    const wish = { plan, note: note?.trim() || null, person };
    return { outcome: await database.write((scope) => askForPlan(scope, by, sender, wish)) };
  },
});
