/**
 * A seeded shop that belongs to no marketplace: goods, buyers, and orders with a life.
 * Every order's life is drawn when it is placed; its state is read off that timeline, so the world
 * moves with the clock and needs no timers.
 */
import { GOODS } from './catalogue.ts';
import { drawProducts } from './draw.ts';
import { type Account, accountOf, type Order, type Product } from './order.ts';
import { openActs } from './world/acts.ts';
import { type OrderSpec, openCarts } from './world/carts.ts';
import { openListed } from './world/listed.ts';
import { type Change, stockAfter, watchOrders } from './world/reported.ts';
import { MEMORY, openStreams } from './world/streams.ts';

export type { Change };

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

export function createWorld({
  seed = 'tianguis',
  now = Date.now,
  idBase = 0,
  writeId = String,
  oneLineOrders = false,
  products: howMany = GOODS.length,
}: WorldOptions = {}): World {
  const products = drawProducts(String(seed), howMany);
  const carts = openCarts({ seed, now, idBase, writeId, oneLineOrders, products });
  const streams = openStreams(carts, now);
  const { recallCart } = streams;
  const listed = openListed(idBase);

  function orders(): readonly Order[] {
    catchUp();
    return listed.between(now() - MEMORY, now());
  }

  function order(id: string): Order | undefined {
    catchUp();
    return (
      listed.find(id) ??
      recallCart(Number(id.replaceAll('-', '')) - idBase).find((one) => one.id === id)
    );
  }

  function catchUp(): void {
    const drawn = streams.drawDue();
    if (drawn.length > 0) listed.remember(drawn);
  }

  function placeCart(specs: readonly OrderSpec[]): Order[] {
    const placed = carts.placeCart(specs);
    listed.remember(placed);
    return placed;
  }

  return {
    seed: String(seed),
    idBase,
    now,
    products,
    orders,
    order,
    cartOf: (one) => listed.cart(one.cart) ?? recallCart(one.number),
    stock: () => stockAfter(orders(), products, now()),
    account: () => orders().map((one) => accountOf(one, now())),
    watch: () => watchOrders(orders, now),
    fill: (past) => listed.remember(streams.fill(past)),
    flow: streams.flow,
    place: (spec = {}) => placeCart([spec])[0] as Order,
    placeCart,
    ...openActs({ listed, now, order, recallCart }),
  };
}
