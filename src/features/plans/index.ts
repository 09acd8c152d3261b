/** The five plans and what they allow. */
export {
  isPlan,
  PLANS,
  type Plan,
  type PlanTerms,
  plansWithApi,
  termsOf,
  USUAL_QUOTA,
} from './plans.ts';
