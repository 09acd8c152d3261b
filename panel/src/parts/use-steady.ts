import { useRef } from 'react';

/**
 * Things in the order in which the screen has them: new ones come first, the others keep their places.
 * A row that moved would lose the focus, and be another one under the pointer.
 */
export function useSteady<Thing>(
  things: readonly Thing[],
  keyOf: (thing: Thing) => string,
): readonly Thing[] {
  const former = useRef<readonly string[]>([]);
  const byKey = new Map(things.map((thing) => [keyOf(thing), thing]));
  const kept = former.current.filter((key) => byKey.has(key));
  const added = [...byKey.keys()].filter((key) => !kept.includes(key));
  former.current = [...added, ...kept];
  return former.current.flatMap((key) => byKey.get(key) ?? []);
}
