import type { Marketplace } from '../../connectors/contract.ts';
import type { Connection } from '../../features/connections/index.ts';
import { findProblems } from '../../features/findings/index.ts';
import { findOrganization } from '../../features/organizations/index.ts';
import type { Database } from '../../platform/db/database.ts';

/** Compares what is stored of a marketplace's account; what does not fit becomes a finding. */
export async function findInAccount(
  database: Database,
  { organizationId, service, accountId }: Connection,
): Promise<void> {
  const organization = await database.read((handle) => findOrganization(handle, organizationId));
  if (!organization) return;
  const account = { marketplace: service as Marketplace, accountId };
  await database
    .within(organizationId)
    .write((scope) => findProblems(scope, account, organization.timezone));
}
