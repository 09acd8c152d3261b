import type { State } from '../../simulators/order.ts';
import type { TurnedClock } from './clock.ts';
import type { Shop } from './stand.ts';

/** Does to an order what makes it come into a state. */
export function act({ world }: Shop, id: string, state: Exclude<State, 'placed'>): void {
  const acts: Record<typeof state, () => void> = {
    paid: () => world.pay(id),
    packed: () => world.pack(id),
    shipped: () => world.ship(id),
    delivered: () => world.deliver(id),
    cancelled: () => world.cancel(id),
    returning: () => world.sendBack(id),
    returned: () => world.takeBack(id),
    partially_refunded: () => world.refund(id, '10.00'),
    refunded: () => world.refund(id),
  };
  acts[state]();
}

const LIVES: readonly (readonly Exclude<State, 'placed'>[])[] = [
  ['paid', 'shipped', 'delivered'],
  ['paid'],
  ['paid', 'packed'],
  ['paid', 'shipped'],
  [],
  ['paid', 'shipped', 'delivered', 'returning'],
  ['cancelled'],
  ['paid', 'shipped', 'delivered', 'returned', 'refunded'],
  ['paid', 'refunded'],
  ['paid', 'cancelled'],
];

/** An order every few hours; the clock is turned as it goes on. */
export function liveThrough(shop: Shop, clock: TurnedClock, orders: number): void {
  for (let count = 0; count < orders; count++) {
    clock.advance({ hours: 3, minutes: 7 });
    const { id } = shop.world.place(count % 3 === 0 ? { lines: [{ quantity: 2 }] } : {});
    for (const state of LIVES[count % LIVES.length] ?? []) {
      clock.advance({ minutes: 11 });
      act(shop, id, state);
    }
  }
}
