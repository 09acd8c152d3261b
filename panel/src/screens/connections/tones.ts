import type { Tone } from '../../parts/StatusBadge.tsx';
import type { states } from '../../words.ts';

export const TONES: Readonly<Record<keyof typeof states, Tone>> = {
  ok: 'good',
  delayed: 'warn',
  reauth_required: 'bad',
  error: 'bad',
  paused: 'idle',
  disconnected: 'idle',
};
