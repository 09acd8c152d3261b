import type { Tone } from '../../parts/StatusBadge.tsx';
import type { statuses } from '../../words.ts';

export const TONES: Readonly<Record<keyof typeof statuses, Tone>> = {
  pending: 'idle',
  paid: 'busy',
  ready_to_ship: 'warn',
  partially_shipped: 'busy',
  shipped: 'busy',
  delivered: 'good',
  cancelled: 'bad',
  returned: 'bad',
  refunded: 'bad',
  unknown: 'idle',
};
