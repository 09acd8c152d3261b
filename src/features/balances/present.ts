import { CARRIERS, type Carrier } from '../../carriers/contract.ts';
import { rawNumber } from '../../platform/json.ts';
import type { Decimal } from '../../platform/money.ts';
import { formatMillis } from '../../platform/time.ts';
import type { Balance } from './balance.ts';

/** The public balance, for events. */
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

/**
 * What a purse holds, for agents and screens, with a key for everything that may be known; null = not told, or no such
 * thing at this kind of service.
 */
export function presentPurse(balance: Balance) {
  const isCarrier = CARRIERS.includes(balance.service as Carrier);
  return {
    marketplace: isCarrier ? null : balance.service,
    carrier: isCarrier ? balance.service : null,
    account_id: balance.accountId,
    purse: balance.purse === '' ? null : balance.purse,
    currency: balance.currency,
    available: amount(balance.available),
    pending: amount(balance.pending),
    releases:
      balance.releases?.map(({ at, amount: sum }) => ({
        at: formatMillis(at),
        amount: rawNumber(sum),
      })) ?? [],
    balance: amount(balance.balance ?? null),
    credit_limit: amount(balance.creditLimit ?? null),
    taken_at: formatMillis(balance.asOf),
    is_derived: balance.isDerived,
  };
}

/** What is null because its service does not tell it, and not because there is no such thing there. */
export function untoldOf(balance: Balance): ('available' | 'pending' | 'balance' | 'credit_limit')[] {
  const isCarrier = CARRIERS.includes(balance.service as Carrier);
  const told = isCarrier
    ? { available: balance.available, balance: balance.balance, credit_limit: balance.creditLimit }
    : { available: balance.available, pending: balance.pending };
  const names = Object.keys(told) as (keyof typeof told)[];
  return names.filter((name) => (told[name] ?? null) === null);
}

function amount(value: Decimal | null) {
  return value === null ? null : rawNumber(value);
}
