import type { ServiceSlug } from '../../carriers/contract.ts';
import type { Marketplace, SourceBalance, SourceSettlement } from '../../connectors/contract.ts';
import type { Instant } from '../../platform/time.ts';

/** What one purse of an account holds, as far as it is known. */
export interface Balance extends SourceBalance {
  readonly service: ServiceSlug;
  readonly accountId: string;
}

export interface Settlement extends Omit<SourceSettlement, 'raw'> {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  /**
   * Its place in lists: when it was paid, else when its period ends, else when it was first seen.
   */
  readonly listedAt: Instant;
}
