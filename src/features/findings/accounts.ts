import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { listConnections } from '../connections/index.ts';
import * as store from './store.ts';

/** An account of a marketplace, connected or not. */
export interface MarketplaceAccount {
  readonly marketplace: Marketplace;
  readonly accountId: string;
}

/** Accounts with orders or findings that are not connected: former ones, and imported orders. */
export async function accountsNotConnected(scope: ReadScope): Promise<MarketplaceAccount[]> {
  const connected = new Set(
    (await listConnections(scope))
      .filter(({ state }) => state !== 'disconnected')
      .map(({ service, accountId }) => `${service} ${accountId}`),
  );
  return (await store.accounts(scope))
    .filter(({ marketplace, account_id }) => !connected.has(`${marketplace} ${account_id}`))
    .map(({ marketplace, account_id: accountId }) => ({ marketplace, accountId }));
}
