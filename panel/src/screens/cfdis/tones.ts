import type { cfdiStatuses } from '../../cfdi-words.ts';
import type { Tone } from '../../parts/StatusBadge.tsx';

export const TONES: Readonly<Record<keyof typeof cfdiStatuses, Tone>> = {
  vigente: 'good',
  cancelado: 'bad',
  desconocido: 'idle',
};
