/** Organisations: the customers and their plans. */
export {
  changeOrganization,
  changePlan,
  createOrganization,
  describeOrganization,
  effectiveTerms,
  findOrganization,
  isTrialOver,
  listOrganizations,
  lockOrganization,
  type Organization,
  renameOrganization,
  setSuspended,
  TIMEZONES,
  webhookEndpointLimit,
} from './organizations.ts';
