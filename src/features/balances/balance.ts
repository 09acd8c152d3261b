import { CARRIERS, type Carrier, type ServiceSlug } from '../../carriers/contract.ts';
import type { Marketplace, SourceBalance, SourceSettlement } from '../../connectors/contract.ts';
import { rawNumber } from '../../platform/json.ts';
import type { Decimal } from '../../platform/money.ts';
import { formatMillis, type Instant } from '../../platform/time.ts';

/** What one purse of an account holds, as far as it is known. */
export interface Balance extends SourceBalance {
  readonly service: ServiceSlug;
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
  const isCarrier = CARRIERS.includes(balance.service as Carrier);
  return {
    ...(isCarrier ? { carrier: balance.service } : { marketplace: balance.service }),
    account_id: balance.accountId,
    purse: balance.purse === '' ? null : balance.purse,
    currency: balance.currency,
    available: amount(balance.available),
    pending: amount(balance.pending),
    ...(isCarrier && {
      balance: amount(balance.balance ?? null),
      credit_limit: amount(balance.creditLimit ?? null),
    }),
    releases: (balance.releases ?? []).map(({ at, amount }) => ({
      at: formatMillis(at),
      amount: rawNumber(amount),
    })),
    as_of: formatMillis(balance.asOf),
    is_derived: balance.isDerived,
  };
}

function amount(value: Decimal | null) {
  return value === null ? null : rawNumber(value);
}
