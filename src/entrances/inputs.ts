import { type Instant, parseInstant } from '../platform/time.ts';

/** A full timestamp as callers type it; null for anything else. An offset's unencoded plus sign arrives as a space. */
export function instantOf(text: string): Instant | null {
  return parseInstant(text.replace(/ (?=\d{2}:?\d{2}$)/, '+'));
}

/** Goes on from «El parámetro from» and the like. */
export const INSTANT_RULE =
  'debe ser una fecha y hora completa en ISO 8601 con Z o desfase, por ejemplo 2026-11-20T18:00:00Z.';

/** What was probably meant by a name that does not exist. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  return known.toSorted((a, b) => distance(name, a) - distance(name, b))[0];
}

/** Edit distance of two short words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a.slice(0, 60)].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const [above = 0, left = 0, diagonal = 0] = [row[j + 1], next[j], row[j]];
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === b[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
