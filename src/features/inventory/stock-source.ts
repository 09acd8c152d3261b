import type { Marketplace } from '../../connectors/contract.ts';

/** Whose stock it is. */
export interface StockSource {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly connectionId: string;
}
