/** Chance that can be repeated: the same seed always throws the same numbers. */
export interface Dice {
  /** At least 0, less than 1. */
  roll(): number;
  between(low: number, high: number): number;
  /** A whole number, both ends included. */
  whole(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  weighted<T extends { weight: number }>(list: readonly T[]): T;
}

export function dice(...seed: (string | number)[]): Dice {
  let state = hash(seed.join('/'));

  /** mulberry32 */
  function roll(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  function pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[Math.floor(roll() * list.length)] as T;
  }

  function weighted<T extends { weight: number }>(list: readonly T[]): T {
    let left = roll() * list.reduce((sum, { weight }) => sum + weight, 0);
    for (const one of list) {
      left -= one.weight;
      if (left < 0) return one;
    }
    return pick(list);
  }

  return {
    roll,
    pick,
    weighted,
    between: (low, high) => low + roll() * (high - low),
    whole: (low, high) => low + Math.floor(roll() * (high - low + 1)),
    chance: (probability) => roll() < probability,
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}
