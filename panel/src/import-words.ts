/** Sentences of first imports and sync runs. */
import type { Output } from './client.ts';
import { countText, dayOfText } from './format.ts';

type Import = Output<'connections.imports'>['data'][number];
type Run = Output<'connections.runs'>['data'][number];

const MINUTE = 60;
const HOUR = 60;

export const importWords = {
  /** «Órdenes: 1,250 de 4,800» */
  count: ({ stream, items, total }: Import) =>
    total === null
      ? `${stream}: ${countText(items)} hasta ahora`
      : `${stream}: ${countText(items)} de ${countText(total)}`,
  span: ({ from, to }: Import, timezone: string) =>
    from === null
      ? `Todo lo que hay en la cuenta hasta el ${dayOfText(to, timezone)}`
      : `Del ${dayOfText(from, timezone)} al ${dayOfText(to, timezone)}`,
  pace: ({ items, total, per_minute, remaining_seconds }: Import, service: string) => {
    if (total !== null && items >= total) return 'Ya leímos todo. Falta una última revisión.';
    if (per_minute === null) return 'Calculando cuánto falta…';
    const pace = `${countText(per_minute)} por minuto`;
    if (remaining_seconds !== null) return `${left(remaining_seconds)}, a ${pace}`;
    return total === null ? `${pace}; ${service} no informa el total` : pace;
  },
} as const;

export const runOutcomes: Readonly<Record<Run['outcome'], string>> = {
  done: 'Completa',
  behind: 'Con retraso',
  stopped: 'No terminó',
};

export const runWords = {
  open: 'Historial de sincronización',
  title: (service: string, account: string) => `Sincronizaciones de ${service}: ${account}`,
  intro: 'Las últimas 20 de cada tipo de dato, de la más reciente a la más antigua.',
  which: 'Dato',
  all: 'Todos',
  read: (count: string, isOne: boolean) => `${count} ${isOne ? 'registro' : 'registros'}`,
  empty: 'Aún no termina ninguna sincronización de esta cuenta.',
  behind: 'El servicio no entregó todos los cambios; los que falten llegan después.',
} as const;

/** «45 s», «3 min», «2 h 5 min» */
export function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < MINUTE) return seconds < 1 ? 'menos de 1 s' : `${seconds} s`;
  const minutes = Math.round(seconds / MINUTE);
  if (minutes < HOUR) return `${minutes} min`;
  const rest = minutes % HOUR;
  return `${Math.floor(minutes / HOUR)} h${rest === 0 ? '' : ` ${rest} min`}`;
}

function left(seconds: number): string {
  if (seconds < MINUTE) return 'Falta menos de 1 min';
  return `Faltan unos ${durationText(seconds * 1_000)}`;
}
