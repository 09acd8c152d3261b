import { add, compare, type Decimal, subtract, ZERO } from '../platform/money.ts';
import type { MovementKind } from './contract.ts';

/** A named part of an amount, such as a column of its row. */
export interface AmountPart {
  readonly name: string;
  readonly kind: MovementKind;
  readonly amount: Decimal;
}

/**
 * The parts of an amount that are not zero, and what they leave of it as `other`, so that they
 * always add up to it.
 * @param restName of the part that is left
 */
export function wholeOf(
  total: Decimal,
  parts: readonly AmountPart[],
  restName: string,
): AmountPart[] {
  const rest = subtract(total, add(ZERO, ...parts.map(({ amount }) => amount)));
  return [...parts, { name: restName, kind: 'other' as const, amount: rest }].filter(
    ({ amount }) => compare(amount, ZERO) !== 0,
  );
}
