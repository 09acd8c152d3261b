import type { Tone } from '../../parts/StatusBadge.tsx';

/** Of the states of payouts, in `settlementStatuses`. */
export const PAYOUT_TONES: Readonly<Record<string, Tone>> = {
  paid: 'good',
  pending: 'busy',
  expected: 'idle',
  failed: 'bad',
  cancelled: 'bad',
};
