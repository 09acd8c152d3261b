/** Acts of a person on an order: its life goes on from there by hand. */
import { type Order, reachedAt, type State, type Step, stateAt, wholeSecond } from '../order.ts';
import type { openListed } from './listed.ts';

interface Acting {
  readonly listed: ReturnType<typeof openListed>;
  now(): number;
  order(id: string): Order | undefined;
  recallCart(number: number): Order[];
}

/**
 * What must have happened before an act, so that a test may ship an unpaid order.
 */
const PATHS: Record<State, readonly State[]> = {
  placed: [],
  paid: [],
  packed: ['paid'],
  shipped: ['paid', 'packed'],
  delivered: ['paid', 'packed', 'shipped'],
  returning: ['paid', 'packed', 'shipped', 'delivered'],
  returned: ['paid', 'packed', 'shipped', 'delivered', 'returning'],
  partially_refunded: ['paid'],
  refunded: ['paid'],
  cancelled: [],
};

export function openActs({ listed, now, order, recallCart }: Acting) {
  /** What was to come is dropped: from here on the order is in the caller's hands. */
  function act(id: string, state: State, more: Partial<Step> = {}): void {
    const unlisted = order(id);
    if (!unlisted) throw new Error(`there is no order ${id}`);
    if (!listed.find(id)) listed.remember(recallCart(unlisted.number));
    const subject = listed.find(id) as Order;
    const at = wholeSecond(now());
    const past = subject.steps.filter((step) => step.at <= at);
    const missing = PATHS[state].filter((before) => !past.some((step) => step.state === before));
    subject.steps = [
      ...past,
      ...missing.map((before) => ({ state: before, at })),
      { state, at, ...more },
    ];
  }

  /** A cart is packed and sent as one. */
  function actOnCart(id: string, state: State): void {
    act(id, state);
    for (const other of listed.cart((order(id) as Order).cart) ?? []) {
      const alive = !['cancelled', state].includes(stateAt(other, now())) && !other.inPerson;
      if (alive && reachedAt(other, 'paid', now()) !== null) act(other.id, state);
    }
  }

  return {
    pay: (id: string) => act(id, 'paid'),
    pack: (id: string) => actOnCart(id, 'packed'),
    ship: (id: string) => actOnCart(id, 'shipped'),
    deliver: (id: string) => actOnCart(id, 'delivered'),
    cancel: (id: string, by: 'buyer' | 'seller' = 'buyer') => act(id, 'cancelled', { by }),
    sendBack: (id: string) => act(id, 'returning'),
    takeBack: (id: string) => act(id, 'returned'),
    refund: (id: string, amount?: string) =>
      act(id, amount ? 'partially_refunded' : 'refunded', amount ? { amount } : {}),
  };
}
