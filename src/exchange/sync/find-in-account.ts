import type { Marketplace } from '../../connectors/contract.ts';
import type { Connection, SealedConnection } from '../../features/connections/index.ts';
import {
  accountsNotConnected,
  findProblems,
  type MarketplaceAccount,
} from '../../features/findings/index.ts';
import { findOrganization } from '../../features/organizations/index.ts';
import { hasten } from '../../features/schedules/index.ts';
import type { Database } from '../../platform/db/database.ts';

/** Compares what is stored of a marketplace's account; what does not fit becomes a finding. */
export async function findInAccount(
  database: Database,
  { organizationId, service, accountId }: Connection,
): Promise<void> {
  await findIn(database, organizationId, [{ marketplace: service as Marketplace, accountId }]);
}

/** Compares what is stored of accounts that are not connected: former ones, and imported orders. */
export async function findInOtherAccounts(
  database: Database,
  organizationId: string,
): Promise<void> {
  const accounts = await database.within(organizationId).read(accountsNotConnected);
  await findIn(database, organizationId, accounts);
}

async function findIn(
  database: Database,
  organizationId: string,
  accounts: readonly MarketplaceAccount[],
): Promise<void> {
  const organization = await database.read((handle) => findOrganization(handle, organizationId));
  if (!organization) return;
  for (const account of accounts)
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
