import type { satStatuses } from '../../cfdi-words.ts';
import type { Tone } from '../../parts/StatusBadge.tsx';

export const TONES: Readonly<Record<keyof typeof satStatuses, Tone>> = {
  vigente: 'good',
  cancelado: 'bad',
  desconocido: 'idle',
};
