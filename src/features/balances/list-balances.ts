import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { listOffers, type Offer } from '../connections/index.ts';
import type { Balance } from './balance.ts';
import * as store from './store.ts';

/**
 * The latest of every purse, and of every account whether its marketplace tells balances at all: an account
 * that does not offer them has no balance here, which is not a balance of 0.
 */
export async function listBalances(
  scope: ReadScope,
  marketplaces: readonly Marketplace[] = [],
): Promise<{ balances: readonly Balance[]; offers: readonly Offer[] }> {
  const wanted = ({ marketplace }: { marketplace: Marketplace }) =>
    marketplaces.length === 0 || marketplaces.includes(marketplace);
  const [balances, offers] = [await store.balances(scope), await listOffers(scope, 'balances')];
  return { balances: balances.filter(wanted), offers: offers.filter(wanted) };
}
