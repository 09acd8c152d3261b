/** The payout that is open, as the address holds it. */
import type { Input } from '../../client.ts';

export interface PayoutSearch {
  readonly marketplace?: string;
  readonly cuenta?: string;
  readonly pago?: string;
}

const NAMES = ['marketplace', 'cuenta', 'pago'] as const;

export function payoutSearch(given: Record<string, unknown>): PayoutSearch {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = given[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
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
