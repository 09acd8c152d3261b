import type { ServiceSlug } from '../../carriers/contract.ts';
import { MARKETPLACES } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { choices, type GivenBy, yesOrNo } from '../../platform/input-fields.ts';
import { listOffers, type Offer } from '../connections/index.ts';
import type { Balance } from './balance.ts';
import * as store from './store.ts';

export const BALANCE_FILTERS = {
  marketplace: choices(MARKETPLACES, 'De los marketplaces, solo estos.', [MARKETPLACES[0]]),
  include_carriers: yesOrNo(true, 'Si van también los saldos de prepago en paqueterías.'),
};
export type BalanceQuery = GivenBy<typeof BALANCE_FILTERS>;

/**
 * The latest balance of every purse, and for every account whether its service reports balances: an
 * account that offers none has no balance here, which is not a balance of 0.
 */
export async function listBalances(
  scope: ReadScope,
  services: readonly ServiceSlug[] = [],
): Promise<{ balances: readonly Balance[]; offers: readonly Offer[] }> {
  const wanted = ({ service }: { service: ServiceSlug }) =>
    services.length === 0 || services.includes(service);
  const [balances, offers] = [await store.balances(scope), await listOffers(scope, 'balances')];
  return { balances: balances.filter(wanted), offers: offers.filter(wanted) };
}
