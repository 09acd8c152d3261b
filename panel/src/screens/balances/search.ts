/** The payout that is open and the filter of payouts, as the address holds them. */
import { fromAddress, listOf } from '../../address.ts';
import type { Input } from '../../client.ts';

export interface PayoutSearch {
  /** Payouts of these marketplaces, by commas. */
  readonly canal?: string;
  /** The payout that is open. */
  readonly marketplace?: string;
  readonly cuenta?: string;
  readonly pago?: string;
}

/** What narrows the list of payouts. */
export const FILTERS = ['canal'] as const;
const NAMES = [...FILTERS, 'marketplace', 'cuenta', 'pago'] as const;

export function payoutSearch(given: Record<string, unknown>): PayoutSearch {
  return fromAddress(given, NAMES);
}

type PayoutKey = Omit<Input<'payouts.get'>, 'cursor' | 'limit'>;

/** Null = none is open. */
export function payoutOf({ marketplace, cuenta, pago }: PayoutSearch): PayoutKey | null {
  if (!marketplace || !cuenta || !pago) return null;
  // The server refuses what is no marketplace.
  return {
    marketplace: marketplace as PayoutKey['marketplace'],
    account_id: cuenta,
    id: pago,
  };
}

type PayoutFilters = Omit<Input<'settlements.list'>, 'cursor' | 'limit'>;

/** As the server takes them. */
export function filtersOf({ canal }: PayoutSearch): PayoutFilters {
  const marketplace = listOf(canal) as NonNullable<PayoutFilters['marketplace']>;
  return marketplace.length > 0 ? { marketplace } : {};
}
