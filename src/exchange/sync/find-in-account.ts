import type { Marketplace } from '../../connectors/contract.ts';
import type { Connection, SealedConnection } from '../../features/connections/index.ts';
import { findProblems } from '../../features/findings/index.ts';
import { findOrganization } from '../../features/organizations/index.ts';
import { hasten } from '../../features/schedules/index.ts';
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

/** After the first import of orders; findings that need them were not looked for before. */
export async function findSoon(
  { database }: { readonly database: Database },
  run: { readonly connection: SealedConnection; readonly isFirstImport: boolean },
): Promise<void> {
  if (!run.isFirstImport) return;
  const { organizationId, id } = run.connection;
  await database
    .within(organizationId)
    .write((scope) => hasten(scope, 'findings', id, scope.clock.now()));
}
