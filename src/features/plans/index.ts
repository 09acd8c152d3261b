/** The five plans and what they allow. */
export { isPlan, PLANS, type Plan, type PlanTerms, termsOf } from './plans.ts';
