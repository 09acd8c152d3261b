const LEAST_COMPARED = 3;
const LEAST_CONTAINED = 4;

/** The known name that is near enough to be a slip of the given one; null where none is. */
export function nearestOf(name: string, known: readonly string[]): string | null {
  const given = lettersOf(name);
  const near = known
    .map((candidate) => ({ candidate, distance: slipsBetween(given, lettersOf(candidate)) }))
    .filter(({ distance }) => distance !== null)
    .sort((a, b) => Number(a.distance) - Number(b.distance));
  return near[0]?.candidate ?? null;
}

/** `market_place`, `marketPlace` and `marketplace` are one name. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * How many letters two names differ in; null where those are more than a third. One that holds the
 * other is near.
 */
function slipsBetween(a: string, b: string): number | null {
  if (a === b) return 0;
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a];
  if (shorter.length >= LEAST_CONTAINED && longer.includes(shorter)) return 1;
  if (shorter.length < LEAST_COMPARED) return null;
  const most = (longer.length + 1) / 3;
  // Each letter more is a slip.
  if (longer.length - shorter.length > most) return null;
  const distance = editDistance(a, b);
  return distance <= most ? distance : null;
}

/** Letters to insert, leave out, replace, or swap with their neighbour. */
export function editDistance(a: string, b: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = at(row, j) + (a[i] === b[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwap ? at(before, j - 1) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(at(row, j + 1) + 1, at(next, j) + 1, replaced, swapped));
    }
    [before, row] = [row, next];
  }
  return at(row, b.length);
}

function at(row: readonly number[] | undefined, index: number): number {
  return row?.[index] ?? Number.POSITIVE_INFINITY;
}
