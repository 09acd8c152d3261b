import { z } from 'zod';
import { PLANS, type Plan, type PlanTerms } from '../../../features/plans/index.ts';

export const PLAN_NAMES = Object.keys(PLANS) as [Plan, ...Plan[]];

export const Terms = z.object({
  plan: z.enum(PLAN_NAMES),
  name: z.string(),
  /** The amount; null = agreed with each customer. */
  price_per_month: z.number().nullable(),
  trial_days: z.int().nullable(),
  api: z.boolean(),
  webhooks: z.enum(['none', 'read', 'full']),
  event_days: z.int(),
  webhook_endpoints: z.int(),
  requests_per_minute: z.int(),
  /** Whether another figure may be agreed. */
  custom_quota: z.boolean(),
  keys: z.int(),
});

export function presentTerms(plan: Plan, terms: PlanTerms) {
  return {
    plan,
    name: terms.name,
    price_per_month: terms.pricePerMonth,
    trial_days: terms.trialDays,
    api: terms.api,
    webhooks: terms.webhooks,
    event_days: terms.eventDays,
    webhook_endpoints: terms.webhookEndpoints,
    requests_per_minute: terms.requestsPerMinute,
    custom_quota: terms.customQuota,
    keys: terms.keys,
  };
}
