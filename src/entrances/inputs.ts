import { nearestOf } from '../platform/nearest.ts';
import { type Instant, isBeforeTimes, parseInstant } from '../platform/time.ts';

/** A full timestamp as callers type it; null for anything else. An offset's unencoded plus sign arrives as a space. */
export function instantOf(text: string): Instant | null {
  return parseInstant(plusRestored(text));
}

/** Why a text is no instant; goes on from «El parámetro from» and the like. */
export function instantRule(text: string): string {
  return isBeforeTimes(plusRestored(text))
    ? 'debe ser del año 1970 en adelante.'
    : 'debe ser una fecha y hora completa en ISO 8601 con Z o desfase, por ejemplo 2026-11-20T18:00:00Z.';
}

function plusRestored(text: string): string {
  return text.replace(/ (?=\d{2}:?\d{2}$)/, '+');
}

const KINDS = {
  parameter: { one: 'parámetro', many: 'parámetros', place: 'operación' },
  argument: { one: 'argumento', many: 'argumentos', place: 'herramienta' },
} as const;

/** What to say of a name that does not exist: the one that was probably meant, or all there are. */
export function unknownSentence(kind: keyof typeof KINDS, name: string, known: readonly string[]): string {
  const { one, many, place } = KINDS[kind];
  const missing = `El ${one} ${JSON.stringify(name.slice(0, LONGEST_SHOWN))} no existe`;
  if (known.length === 0) return `${missing}: esta ${place} no recibe ${many}.`;
  const nearest = nearestOf(name.slice(0, LONGEST_SHOWN), known);
  return nearest === null
    ? `${missing}. Esta ${place} admite: ${known.join(', ')}.`
    : `${missing}. ¿Quisiste decir ${nearest}?`;
}

const LONGEST_SHOWN = 60;
