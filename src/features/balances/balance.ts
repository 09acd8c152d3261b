import type { Marketplace, SourceBalance, SourceSettlement } from '../../connectors/contract.ts';
import { rawNumber } from '../../platform/json.ts';
import { formatMillis, type Instant } from '../../platform/time.ts';

/** What one purse of an account holds, as far as it is known. */
export interface Balance extends SourceBalance {
  readonly marketplace: Marketplace;
  readonly accountId: string;
}

export interface Settlement extends Omit<SourceSettlement, 'raw'> {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  /** Its place in lists: when it was paid, else when its period ends, else when it was first seen. */
  readonly listedAt: Instant;
}

/** The public balance, for events and tools. */
export function presentBalance(balance: Balance) {
  return {
    marketplace: balance.marketplace,
    account_id: balance.accountId,
    purse: balance.purse === '' ? null : balance.purse,
    currency: balance.currency,
    available: balance.available === null ? null : rawNumber(balance.available),
    pending: balance.pending === null ? null : rawNumber(balance.pending),
    releases: (balance.releases ?? []).map(({ at, amount }) => ({
      at: formatMillis(at),
      amount: rawNumber(amount),
    })),
    as_of: formatMillis(balance.asOf),
    is_derived: balance.isDerived,
  };
}
