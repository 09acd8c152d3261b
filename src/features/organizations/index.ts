/** Organisations: who the customers are and which plan they have. */
export {
  changePlan,
  createOrganization,
  describeOrganization,
  effectiveTerms,
  findOrganization,
  type Organization,
} from './organizations.ts';
