import type { Faults } from '../../simulators/faults.ts';
import type { LoggedRequest } from '../../simulators/http.ts';
import { type Account, type Order, reachedAt, type State } from '../../simulators/order.ts';
import type { World } from '../../simulators/world.ts';
import type { Marketplace, OrderStatus } from '../../src/connectors/contract.ts';

/**
 * One marketplace as the shared suite of connectors sees it: its simulator, and what differs from
 * the others.
 */
export interface Stand {
  readonly marketplace: Marketplace;
  /** Starts its simulator with an empty world. */
  start(given: StandStart): Promise<Shop>;
  /** Requests for a page of orders, on path and query. */
  readonly pages: RegExp;
  /** Requests whose answers grow with the orders that they list; absent = those for a page. */
  readonly lists?: RegExp;
  /** Requests whose answers hold whole orders, where the pages do not. */
  readonly rows?: RegExp;
  /** Orders on a page at most. */
  readonly pageSize: number;
  /** What is too large is left out with an alert, and read again later; the walk goes on. */
  readonly leavesLargeOut?: true;
  /** Requests that renew a token; null = its credentials do not end. */
  readonly tokens: RegExp | null;
  /** The status that the API must show. */
  status(order: Order, at: number): OrderStatus;
  /** What else the API must show of an order, where it is not what the world says. */
  shows?(reported: Reported, order: Order, at: number): Partial<Reported>;
  /**
   * What fields may read instead where an order came here late: its source no longer has them
   * more, or the time at which the order changed was not seen.
   */
  late?(reported: Reported, order: Order, at: number): readonly Partial<Reported>[];
  /**
   * Whether its lists may leave this order out; if the API has it all the same, it must be right.
   */
  hides?(order: Order, at: number): boolean;
  /** Credentials of the right shape that are not accepted. */
  refused(good: never): unknown;
  /**
   * A field of an order's row that makes it unreadable with this value, and the path that the
   * reason names.
   */
  readonly unreadable: { readonly field: string; readonly value: unknown; readonly path: string };
  /**
   * The field of an order's row that holds its status, and the native status that comes of the
   * word.
   */
  readonly unknown: { readonly field: string; readonly word: string; readonly native: string };
  /**
   * The names under which webhooks name an order, as the stream's `one` takes them; the first is
   * its own. Default: only its id.
   */
  hints?(reported: Reported, order: Order, shop: Shop): readonly [string, ...string[]];
  /**
   * Cells of the one purchase that read otherwise here, each with its reason (`docs/money.md` has
   * the same table).
   */
  readonly purchase?: Readonly<
    Partial<Record<PurchaseCell, { readonly is: number | null; readonly because: string }>>
  >;
  /**
   * The stand of the same connector that tries what goes wrong on the way; here these tests are slow
   * ones.
   */
  readonly twin?: Stand;
  /** Scenarios that cannot be had at this marketplace, each with the reason. */
  readonly cannot?: Readonly<Partial<Record<Scenario, string>>>;
}

/** What must read the same at every marketplace; `paid` is what the buyer paid in all. */
export type PurchaseCell =
  | 'unit_price'
  | 'list_price'
  | 'subtotal'
  | 'order_discount'
  | 'discount_total'
  | 'shipping_total'
  | 'paid';

export type Scenario =
  | 'first import'
  | 'delta'
  | 'push'
  | 'drift'
  | 'too many'
  | 'expired token'
  | 'dead token'
  | 'broken answers'
  | 'broken for long'
  | 'unreadable row'
  | 'duplicate page'
  | 'shuffled page'
  | 'endless page'
  | 'unknown status'
  | 'resume'
  | 'shifted clock'
  | 'wrong credentials'
  | 'random faults'
  | 'interleavings';

export interface StandStart {
  readonly seed: string;
  /** The instance's clock, epoch milliseconds. */
  now(): number;
  /** Whether it refuses calls above its own limit. */
  readonly limited: boolean;
}

/** What every simulator offers. */
export interface Shop {
  readonly url: string;
  readonly world: World;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  credentials(): unknown;
  /** Every token given out so far is too old; renewing works. */
  expireTokens?(): void;
  /** The seller took the permission back: renewing fails too, until new credentials are had. */
  revoke?(): void;
  close(): Promise<void>;
}

/** An order of `GET /v1/orders`, the fields of every marketplace. */
export interface Reported {
  readonly id: string;
  readonly status: string;
  readonly total: number | null;
  readonly currency: string;
  readonly buyer_name: string | null;
  readonly date_created: string;
  readonly date_closed: string | null;
  readonly items: readonly {
    title: string;
    sku: string | null;
    quantity: number;
    unit_price: number;
  }[];
}

/**
 * For `late` of those whose source has no closing time of an order that came to one of these
 * states: the API has none, or the time of the first change after which it saw the order.
 */
export function seenClosings(
  order: Order,
  at: number,
  finals: readonly State[],
): Partial<Reported>[] {
  const times = finals.map((state) => reachedAt(order, state, at)).filter((time) => time !== null);
  const changes = order.steps.filter((step) => step.at <= at && step.at >= Math.min(...times));
  return times.length === 0
    ? []
    : [{ date_closed: null }, ...changes.map((step) => ({ date_closed: iso(step.at) }))];
}

/** What the API must say of an order of the world. */
export function reportedOf(stand: Stand, order: Order, account: Account, at: number): Reported {
  const reported: Reported = {
    id: account.id,
    status: stand.status(order, at),
    total: Number(account.total),
    currency: account.currency,
    buyer_name: shortName(order),
    date_created: iso(account.placedAt),
    date_closed: account.paidAt === null ? null : iso(account.paidAt),
    items: account.items.map(({ title, sku, quantity, unitPrice }) => ({
      title,
      sku,
      quantity,
      unit_price: Number(unitPrice),
    })),
  };
  return { ...reported, ...stand.shows?.(reported, order, at) };
}

/** The first of these states that the order has come to; a packed parcel is ready to ship. */
export function firstReached(
  order: Order,
  at: number,
  states: readonly ('packed' | (State & OrderStatus))[],
): OrderStatus {
  const found = states.find((state) => reachedAt(order, state, at) !== null) ?? 'pending';
  return found === 'packed' ? 'ready_to_ship' : found;
}

/** First name and the initial of the first surname. */
function shortName({ buyer }: Order): string {
  const surname = buyer.lastName.split(' ').find((word) => /^\p{Lu}/u.test(word)) ?? '';
  return `${buyer.firstName.split(' ')[0]} ${surname[0]}.`;
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}
