/** What follows from the orders: the stock that is left, and what happened to them. */
import {
  type Order,
  type Product,
  reachedAt,
  type State,
  type Step,
  shelvesOf,
  wholeSecond,
} from '../order.ts';

export interface Change {
  readonly order: Order;
  readonly step: Step;
}

/** Goods that left the shelf come back when one of these happens. */
const BACK_ON_THE_SHELF: readonly State[] = ['cancelled', 'returned'];

export function stockAfter(
  orders: readonly Order[],
  products: readonly Product[],
  now: number,
): Map<string, number> {
  const gone = new Map<string, number>();
  for (const one of orders) {
    if (BACK_ON_THE_SHELF.some((state) => reachedAt(one, state, now) !== null)) continue;
    for (const { sku, quantity } of one.lines) gone.set(sku, (gone.get(sku) ?? 0) + quantity);
  }
  // A shelf that ran empty is filled up again.
  return new Map(
    products
      .flatMap(shelvesOf)
      .map(({ sku, stock }) => [sku, stock - ((gone.get(sku) ?? 0) % (stock + 1))]),
  );
}

export function watchOrders(orders: () => readonly Order[], now: () => number): () => Change[] {
  const since = wholeSecond(now());
  const seen = new Map<string, number>();
  const pull = () =>
    orders()
      .flatMap((one) => {
        const past = one.steps.filter((step) => step.at <= now());
        const fresh = past.slice(seen.get(one.id) ?? 0);
        seen.set(one.id, past.length);
        return fresh.filter(({ at }) => at >= since).map((step) => ({ order: one, step }));
      })
      .sort((a, b) => a.step.at - b.step.at);
  pull();
  return pull;
}
