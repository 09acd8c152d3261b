/** The orders that are listed: by id, by cart and in their order. */
import { type Order, placedAt } from '../order.ts';

export function openListed(idBase: number) {
  const known = new Map<string, Order>();
  const carts = new Map<number, Order[]>();
  let sorted: Order[] = [];

  function remember(orders: readonly Order[]): void {
    for (const order of orders) {
      known.set(order.id, order);
      known.set(String(idBase + order.number), order);
      carts.set(order.cart, [...(carts.get(order.cart) ?? []), order]);
    }
    sorted = sorted.concat(orders).sort((a, b) => placedAt(a) - placedAt(b) || a.number - b.number);
  }

  function between(oldest: number, now: number): readonly Order[] {
    if (sorted[0] && placedAt(sorted[0]) < oldest)
      sorted = sorted.filter((one) => placedAt(one) >= oldest);
    const last = sorted.at(-1);
    if (last && placedAt(last) > now) return sorted.filter((one) => placedAt(one) <= now);
    return sorted;
  }

  return {
    remember,
    between,
    /** By its id, or by `idBase` plus its number. */
    find: (id: string) => known.get(id),
    cart: (cart: number) => carts.get(cart),
  };
}
