/** Organisations: who the customers are and which plan they have. */
export {
  changePlan,
  createOrganization,
  describeOrganization,
  effectiveTerms,
  findOrganization,
  listOrganizations,
  lockOrganization,
  type Organization,
  renameOrganization,
  setSuspended,
} from './organizations.ts';
