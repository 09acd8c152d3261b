import type { ServiceSlug } from '../../carriers/contract.ts';
import type { Marketplace, SourceBalance, SourceSettlement } from '../../connectors/contract.ts';
import type { Instant } from '../../platform/time.ts';

/** The known amounts of one purse of an account. */
export interface Balance extends SourceBalance {
  readonly service: ServiceSlug;
  readonly accountId: string;
}

export interface Settlement extends Omit<SourceSettlement, 'raw'> {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  /**
   * The position in lists: the time of payment, else the end of the period, else the time when it was
   * first seen.
   */
  readonly listedAt: Instant;
}
