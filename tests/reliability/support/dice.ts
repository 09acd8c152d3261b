/** Chance that a seed repeats. */
export interface Dice {
  /** From 0 up to, not including, 1. */
  roll(): number;
  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** Mulberry32. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const roll = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    roll,
    below: (end) => Math.floor(roll() * end),
    chance: (probability) => roll() < probability,
    pick: (from) => from[Math.floor(roll() * from.length)] as (typeof from)[number],
  };
}
