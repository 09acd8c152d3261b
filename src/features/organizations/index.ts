/** Organisations: the customers and their plans. */
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
  webhookEndpointLimit,
} from './organizations.ts';
