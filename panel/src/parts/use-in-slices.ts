import { useDeferredValue } from 'react';

/** A far jump draws its rows in slices, which let inputs come between; other rows come at once. */
export function useInSlices<Row extends { readonly index: number }>(
  inSight: readonly Row[],
): readonly Row[] {
  const later = useDeferredValue(inSight);
  const isNear =
    later.length === 0 ||
    ((later.at(-1)?.index ?? 0) >= (inSight[0]?.index ?? 0) &&
      (later[0]?.index ?? 0) <= (inSight.at(-1)?.index ?? 0));
  return isNear ? inSight : later;
}
