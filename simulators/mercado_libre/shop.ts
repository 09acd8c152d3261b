/**
 * What all rooms of this simulator share: who sells, the switches, ids, and how Mercado Libre says
 * no.
 */
import { type Call, Refusal, type Reply } from '../http.ts';
import type { Order, Step } from '../order.ts';
import type { World } from '../world.ts';

export interface Seller {
  readonly id: number;
  readonly nickname: string;
  readonly world: World;
}

/** What a test may turn while the simulator runs. */
export interface Switches {
  /** What the person at the consent page does. An operator may not consent for the account. */
  consent: 'grant' | 'refuse' | 'operator';
  /** Which seller is at the consent page. */
  consentAs: number;
  /** The application was switched to mandatory PKCE. */
  requirePkce: boolean;
  /** Orders that are answered with 206, without buyer and feedback. */
  partialOrders: Set<string>;
  /**
   * Orders whose cancellation gives the buyer money in the account («devolución con dinero en
   * cuenta»).
   */
  paidBack: Set<string>;
  /** By order: when its payment was last changed in what the order does not show. */
  paymentChangedAt: Map<string, number>;
  /**
   * Whether a change of the shipment moves the order's times (last_updated and date_last_updated).
   */
  shipmentMovesOrder: boolean;
  /** The shipment of a paid order appears so much later. */
  shipmentDelaySeconds: number;
  /** Stock is kept per place: available_quantity of the item is not authoritative. */
  multiOrigin: boolean;
  /**
   * Returns that the seller was sent and that went to the buyer again, by order id: when they were
   * sent and arrived.
   */
  sentAgain: Map<string, readonly Step[]>;
  /** Pieces in the seller's own warehouse of products that are in Full, too, by SKU. */
  besideFull: Map<string, number>;
  /** A scroll of items keeps its id: requested again, a page is lost and the next one comes. */
  scrollKeepsId: boolean;
  /** So many items are counted in the list's total, and listed nowhere. */
  unlistedItems: number;
  /** Items that are still listed, but answer 404. */
  goneItems: Set<string>;
  /** How long a receiver may take to answer a notification. */
  patienceMilliseconds: number;
  /** How long a release report takes. */
  reportSeconds: number;
  /** Reports that were ordered earlier are gone. Epoch milliseconds. */
  reportsLostBefore: number;
  /** Whether the sellers configured their release reports; without that none can be ordered. */
  reportConfigured: boolean;
  /** Mercado Pago refuses the account, as for one without its permission. */
  paymentsRefused: boolean;
  /** What the first seller took out of Mercado Pago, and what the bank sent back. */
  withdrawals: { at: number; amount: string; back?: { at: number; description: string } }[];
  /** What the seller pays for the shipping of an order, as decimal text. */
  sellerShipping: string;
  /** Withheld of the price without IVA; null = no taxes are reported. */
  taxRates: { isr: number; iva: number } | null;
  /** Further rows of the release report, and their effect on the account, as decimal text. */
  movements: { at: number; net: string; row: Record<string, string> }[];
  /** Rows that a report is corrected to have no more: `SOURCE_ID DESCRIPTION`. */
  lostRows: Set<string>;
}

export interface Shop {
  readonly sellers: readonly Seller[];
  readonly switches: Switches;
  readonly now: () => number;
  /** The caller; throws the documented refusal unless the token is alive. */
  readonly caller: (call: Call) => Seller;
}

export type Direction = 'forward' | 'return' | 'return_to_buyer';

export interface Found {
  readonly order: Order;
  readonly seller: Seller;
}

export function refuse(status: number, error: string, message: string): Refusal {
  return new Refusal(refusalReply(status, error, message));
}

export function refusalReply(status: number, error: string, message: string): Reply {
  return { status, body: { message, error, status, cause: [] } };
}

export function findOrder({ sellers }: Pick<Shop, 'sellers'>, id: string): Found | undefined {
  for (const seller of sellers) {
    const order = seller.world.order(id);
    if (order) return { order, seller };
  }
  return undefined;
}

/**
 * Order ids lie above 2^50: 2000000000000000 + number; every further seller has a range of their
 * own.
 */
export const ORDER_BASE = 2_000_000_000_000_000;
export const SELLER_RANGE = 100_000_000_000;

const PACKS = 50_000_000_000_000;
const SHIPMENTS = 43_000_000_000;
/** Where the numbers of each direction begin. */
const DIRECTIONS: Readonly<Record<Direction, number>> = {
  forward: 0,
  return: 43_000_000_000_000,
  return_to_buyer: 86_000_000_000_000,
};

/** One pack per cart, numbered after the first order in it. */
export function packId(first: Order, { world }: Seller): string {
  return String(world.idBase + first.number + PACKS);
}

/**
 * There is one shipment per cart, numbered after the first order in it, but a return for each
 * order.
 */
export function shipmentId(order: Order, { world }: Seller, type: Direction): string {
  return String(world.idBase - ORDER_BASE + order.number + SHIPMENTS + DIRECTIONS[type]);
}

export function findPack(shop: Pick<Shop, 'sellers'>, id: string): Found | undefined {
  return findOrder(shop, String(Number(id) - PACKS));
}

export function findShipment(
  shop: Pick<Shop, 'sellers'>,
  id: string,
): (Found & { type: Direction }) | undefined {
  const type = (['return_to_buyer', 'return', 'forward'] as const).find(
    (one) => Number(id) >= DIRECTIONS[one],
  );
  if (!type) return undefined;
  const number = Number(id) - SHIPMENTS - DIRECTIONS[type];
  const found = findOrder(shop, String(ORDER_BASE + number));
  return found && { ...found, type };
}
