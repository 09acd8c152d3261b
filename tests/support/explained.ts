import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

/** An order of the API, as far as its money is checked. */
export interface Checked {
  readonly id: string;
  readonly total: number | null;
  readonly money_check: 'ok' | 'unexplained' | null;
  readonly money_difference: number | null;
}

/**
 * Says of how many official documents the parts give the total, and holds those of which they do
 * not to the reasons that are known: by order, or one for all of them.
 */
export function assertExplained(
  t: TestContext,
  name: string,
  orders: readonly Checked[],
  reasons: Readonly<Record<string, string>> = {},
): void {
  const of = (check: Checked['money_check']) =>
    orders.filter(({ money_check }) => money_check === check);
  const unexplained = of('unexplained');
  t.diagnostic(
    `${name}: of ${orders.length} orders the parts give the total of ${of('ok').length}; ` +
      `${unexplained.length} unexplained, ${of(null).length} without a total or lines`,
  );
  for (const { id, total, money_difference } of unexplained)
    t.diagnostic(
      `${name}: ${id} is ${total}, ${money_difference} of it unexplained: ${reasons[id] ?? 'why?'}`,
    );
  assert.deepEqual(unexplained.map(({ id }) => id).toSorted(), Object.keys(reasons).toSorted());
}
