/**
 * A seeded shop that belongs to no marketplace: goods, buyers, and orders with a life.
 * Every order's life is drawn when it is placed; its state is read off that timeline, so the world
 * moves with the clock and needs no timers.
 */
import { GOODS } from './catalogue.ts';
import { dice } from './dice.ts';
import {
  drawBuyer,
  drawCartSize,
  drawLife,
  drawLine,
  drawProducts,
  type LineSpec,
  lineOf,
} from './draw.ts';
import {
  type Account,
  accountOf,
  type Buyer,
  cents,
  decimal,
  type Order,
  type Product,
  placedAt,
  reachedAt,
  type State,
  type Step,
  shelvesOf,
  stateAt,
  wholeSecond,
} from './order.ts';

export interface Change {
  readonly order: Order;
  readonly step: Step;
}

interface OrderSpec {
  id?: string;
  buyer?: Partial<Pick<Buyer, 'firstName' | 'lastName'>>;
  lines?: readonly LineSpec[];
  /** Taken off the whole order. */
  coupon?: string;
  /** What the buyer pays for shipping. */
  shipping?: string;
  inPerson?: boolean;
  /** Default: now. */
  at?: number;
}

export interface World {
  readonly seed: string;
  readonly idBase: number;
  now(): number;
  readonly products: readonly Product[];
  /** Everything placed by now, oldest first. */
  orders(): readonly Order[];
  /** By its id, or by `idBase` plus its number. */
  order(id: string): Order | undefined;
  /** All orders of the same cart, this one included. */
  cartOf(order: Order): readonly Order[];
  /** What is on the shelves now, by SKU. */
  stock(): ReadonlyMap<string, number>;
  account(): Account[];
  /**
   * A pull: each call of the returned function gives what happened since the one before (not what
   * was filled in), oldest first.
   */
  watch(): () => Change[];

  /** Exactly this many orders over about the last days, in all states of life. */
  fill(past: { orders: number; days: number }): void;
  /**
   * From now on an order every so often (at least 2 s); `hour` is how long an hour of an order's
   * life lasts.
   */
  flow(pace: { every: number; hour?: number }): void;

  /** An order of which nothing happens by itself. */
  place(spec?: OrderSpec): Order;
  placeCart(specs: readonly OrderSpec[]): Order[];
  pay(id: string): void;
  /** This and the next two move the whole cart, as far as it is paid. */
  pack(id: string): void;
  ship(id: string): void;
  deliver(id: string): void;
  cancel(id: string, by?: 'buyer' | 'seller'): void;
  /** The buyer hands the goods to the carrier. */
  sendBack(id: string): void;
  /** The goods are back with the seller. */
  takeBack(id: string): void;
  /** All of it, or the amount given. */
  refund(id: string, amount?: string): void;
}

export interface WorldOptions {
  seed?: string | number;
  now?: () => number;
  /** Ids are this plus the order's number. */
  idBase?: number;
  /** How an id is written: its digits, with hyphens among them. */
  writeId?: (id: number) => string;
  /** For marketplaces where an order holds one line only: a cart of three becomes three orders. */
  oneLineOrders?: boolean;
  products?: number;
}

/**
 * A sequence of carts, one per slot of time, each drawn from its slot's number alone: a restart
 * finds the same.
 */
interface Stream {
  readonly number: number;
  readonly every: number;
  readonly hour: number;
}

type NewOrder = Omit<Order, 'id' | 'total' | 'tracking' | 'steps'> & {
  readonly id?: string;
  readonly steps: readonly Step[];
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Orders older than this are forgotten. */
const MEMORY = 365 * DAY;
const SLOTS = 1e9;
const NO_COUPON = '0.00';
/** Cheaper than the cheapest of the goods. */
const COUPON = '15.00';
const COUPON_CHANCE = 0.1;
const LINES = 10;

/**
 * What must have happened before an act, so that a test may ship an order that nobody has paid yet.
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

/** Goods that left the shelf come back when one of these happens. */
const BACK_ON_THE_SHELF: readonly State[] = ['cancelled', 'returned'];

export function createWorld({
  seed = 'tianguis',
  now = Date.now,
  idBase = 0,
  writeId = String,
  oneLineOrders = false,
  products: howMany = GOODS.length,
}: WorldOptions = {}): World {
  const products = drawProducts(String(seed), howMany);
  const streams: Stream[] = [];
  const flowing: { stream: Stream; next: number }[] = [];
  const known = new Map<string, Order>();
  const carts = new Map<number, Order[]>();
  let sorted: Order[] = [];
  let placedByHand = 0;

  function startStream(every: number, hour: number): Stream {
    const stream = { number: streams.length + 1, every, hour };
    streams.push(stream);
    return stream;
  }

  function slotTime({ number, every }: Stream, slot: number): number {
    return wholeSecond((slot + dice(seed, number, slot, 'time').roll()) * every);
  }

  function drawCart(stream: Stream, slot: number): Order[] {
    const chance = dice(seed, stream.number, slot);
    const { steps, inPerson } = drawLife(chance, slotTime(stream, slot), stream.hour);
    const buyer = drawBuyer(chance);
    const lines = Array.from({ length: drawCartSize(chance) }, () => drawLine(chance, products));
    const first = (stream.number * SLOTS + (slot % SLOTS)) * LINES;
    const parts = oneLineOrders ? lines.map((line) => [line]) : [lines];
    return parts.map((part, index) => {
      const number = first + index;
      const coupon = dice(seed, 'coupon', number).chance(COUPON_CHANCE) ? COUPON : NO_COUPON;
      return newOrder({
        number,
        cart: first,
        buyer,
        lines: part,
        steps,
        inPerson,
        coupon,
        shipping: null,
      });
    });
  }

  function newOrder({ id, ...given }: NewOrder): Order {
    const { number, cart, lines, steps } = given;
    return {
      ...given,
      id: id ?? writeId(idBase + number),
      total: decimal(lines.reduce((sum, line) => sum + cents(line.unitPrice) * line.quantity, 0)),
      tracking: `MX${dice(seed, 'tracking', cart).whole(1e9, 9e9)}TG`,
      steps: [...steps],
    };
  }

  function remember(orders: readonly Order[]): void {
    for (const order of orders) {
      known.set(order.id, order);
      known.set(String(idBase + order.number), order);
      carts.set(order.cart, [...(carts.get(order.cart) ?? []), order]);
    }
    sorted = sorted.concat(orders).sort((a, b) => placedAt(a) - placedAt(b) || a.number - b.number);
  }

  function catchUp(): void {
    const drawn: Order[] = [];
    for (const flow of flowing) {
      for (; slotTime(flow.stream, flow.next) <= now(); flow.next += 1) {
        drawn.push(...drawCart(flow.stream, flow.next));
      }
    }
    if (drawn.length > 0) remember(drawn);
  }

  function fill({ orders, days }: { orders: number; days: number }): void {
    const stream = startStream(Math.floor((days * DAY) / orders), HOUR);
    const drawn: Order[] = [];
    for (let slot = Math.floor(now() / stream.every); drawn.length < orders; slot -= 1) {
      if (slotTime(stream, slot) <= now()) drawn.push(...drawCart(stream, slot));
    }
    remember(drawn.slice(0, orders));
  }

  function flow({ every, hour = HOUR }: { every: number; hour?: number }): void {
    if (every < 2_000)
      throw new Error('orders at least 2 s apart: their numbers come from their slot of time');
    flowing.push({ stream: startStream(every, hour), next: Math.ceil(now() / every) });
  }

  function order(id: string): Order | undefined {
    catchUp();
    return (
      known.get(id) ??
      recallCart(Number(id.replaceAll('-', '')) - idBase).find((one) => one.id === id)
    );
  }

  /**
   * Orders of an earlier run of the same seed, or older than what was filled in: listed no more,
   * but not lost.
   */
  function recallCart(number: number): Order[] {
    const slotNumber = Math.floor(number / LINES);
    const stream = streams[Math.floor(slotNumber / SLOTS) - 1];
    if (!stream) return [];
    const slot = slotNumber % SLOTS;
    const at = slotTime(stream, slot);
    return at > now() || at < now() - MEMORY ? [] : drawCart(stream, slot);
  }

  function placeCart(specs: readonly OrderSpec[]): Order[] {
    placedByHand += 1;
    const first = placedByHand * LINES;
    const chance = dice(seed, 'by hand', placedByHand);
    const drawnBuyer = drawBuyer(chance);
    const placed = specs.map((spec, index) => {
      const lines = (spec.lines ?? [{}]).map((line) =>
        lineOf(line, drawLine(chance, products), products),
      );
      const steps: Step[] = [{ state: 'placed', at: wholeSecond(spec.at ?? now()) }];
      const buyer = { ...drawnBuyer, ...spec.buyer };
      return newOrder({
        ...(spec.id !== undefined && { id: spec.id }),
        number: first + index,
        cart: first,
        buyer,
        lines,
        steps,
        inPerson: spec.inPerson ?? false,
        coupon: spec.coupon ?? NO_COUPON,
        shipping: spec.shipping ?? null,
      });
    });
    remember(placed);
    return placed;
  }

  /** What was to come is dropped: from here on the order is in the caller's hands. */
  function act(id: string, state: State, more: Partial<Step> = {}): void {
    const unlisted = order(id);
    if (!unlisted) throw new Error(`there is no order ${id}`);
    if (!known.has(id)) remember(recallCart(unlisted.number));
    const subject = known.get(id) as Order;
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
    for (const other of carts.get((order(id) as Order).cart) ?? []) {
      const alive = !['cancelled', state].includes(stateAt(other, now())) && !other.inPerson;
      if (alive && reachedAt(other, 'paid', now()) !== null) act(other.id, state);
    }
  }

  function stock(): Map<string, number> {
    const gone = new Map<string, number>();
    for (const one of orders()) {
      if (BACK_ON_THE_SHELF.some((state) => reachedAt(one, state, now()) !== null)) continue;
      for (const { sku, quantity } of one.lines) gone.set(sku, (gone.get(sku) ?? 0) + quantity);
    }
    // A shelf that ran empty is filled up again.
    return new Map(
      products
        .flatMap(shelvesOf)
        .map(({ sku, stock }) => [sku, stock - ((gone.get(sku) ?? 0) % (stock + 1))]),
    );
  }

  function watch(): () => Change[] {
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

  function orders(): readonly Order[] {
    catchUp();
    const oldest = now() - MEMORY;
    if (sorted[0] && placedAt(sorted[0]) < oldest)
      sorted = sorted.filter((one) => placedAt(one) >= oldest);
    const last = sorted.at(-1);
    if (last && placedAt(last) > now()) return sorted.filter((one) => placedAt(one) <= now());
    return sorted;
  }

  return {
    seed: String(seed),
    idBase,
    now,
    products,
    orders,
    order,
    cartOf: (one) => carts.get(one.cart) ?? recallCart(one.number),
    stock,
    account: () => orders().map((one) => accountOf(one, now())),
    watch,
    fill,
    flow,
    place: (spec = {}) => placeCart([spec])[0] as Order,
    placeCart,
    pay: (id) => act(id, 'paid'),
    pack: (id) => actOnCart(id, 'packed'),
    ship: (id) => actOnCart(id, 'shipped'),
    deliver: (id) => actOnCart(id, 'delivered'),
    cancel: (id, by = 'buyer') => act(id, 'cancelled', { by }),
    sendBack: (id) => act(id, 'returning'),
    takeBack: (id) => act(id, 'returned'),
    refund: (id, amount) =>
      act(id, amount ? 'partially_refunded' : 'refunded', amount ? { amount } : {}),
  };
}
