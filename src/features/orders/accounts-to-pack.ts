import type { Handle } from '../../platform/db/database.ts';
import type { AccountOfOrders } from './order.ts';
import { accountsWithLoose } from './store-packing.ts';

/**
 * Documents of an account repeat each other's words: twenty of them together take a ninth of their
 * size, one alone takes half. Packing fewer loose bundles than this saves nothing.
 */
const LEAST_LOOSE = 8;
const MOST_ACCOUNTS = 10_000;

/** An account and its organisation. */
interface AccountOfOrganization extends AccountOfOrders {
  readonly organizationId: string;
}

/** Accounts with documents to be packed. */
export async function accountsToPack(handle: Handle): Promise<AccountOfOrganization[]> {
  const places = await accountsWithLoose(handle, LEAST_LOOSE, MOST_ACCOUNTS);
  return places.map(({ organization_id: organizationId, marketplace, account_id: accountId }) => ({
    organizationId,
    marketplace,
    accountId,
  }));
}
