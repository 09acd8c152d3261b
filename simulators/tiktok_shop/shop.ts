/**
 * What all rooms of this simulator share: the switches, ids, times, and how TikTok Shop says yes
 * and no.
 */
import { dice } from '../dice.ts';
import { type Call, Refusal, type Reply } from '../http.ts';
import type { Order } from '../order.ts';
import type { World } from '../world.ts';

export type Document = Record<string, unknown>;

/** A shop of the seller's permission. Only the first one has a world. */
export interface ShopCard {
  readonly id: string;
  readonly cipher: string;
  readonly code: string;
  readonly name: string;
  readonly region: string;
  readonly seller_type: 'LOCAL' | 'CROSS_BORDER';
}

/** A piece of an order that was cancelled while the others go on. */
export interface CancelledPiece {
  /** Its place among all pieces of the order. */
  readonly index: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What a test may turn while the simulator runs. */
export interface Switches {
  /** By the world's id of the order. */
  readonly cancelledPieces: Map<string, readonly CancelledPiece[]>;
  /** When the receiver's name has asterisks. */
  masked: 'until_paid' | 'after_shipping' | 'always';
  /** Whether a return moves the update time of its order. */
  returnMovesOrder: boolean;
  /** The application may not read returns and cancellations. */
  claimsForbidden: boolean;
  /** Events that the application may not have sent to it. */
  readonly refusedEvents: Set<string>;
  /** Too many requests are reported in the body of an HTTP 200. */
  limitInBody: boolean;
  /** The world's ids of orders that statements leave out. */
  readonly heldOrders: Set<string>;
  consent: 'grant' | 'refuse';
}

export interface Room {
  readonly world: World;
  readonly switches: Switches;
  readonly now: () => number;
  /** Throws the documented refusal unless signature, token and shop are right. */
  readonly caller: (call: Call) => void;
}

/** World ids have 16 digits, exact as numbers; TikTok Shop's have 18. */
export const ORDER_BASE = 6_461_413_000_000_000;
const PREFIX = '57';

export function orderId({ id }: Pick<Order, 'id'>): string {
  return PREFIX + id;
}

export function seconds(at: number): number {
  return Math.floor(at / 1_000);
}

export function productId(sku: string): string {
  return longId('1729', 'product', sku);
}

export function skuId(sku: string): string {
  return longId('2729', 'sku', sku);
}

export function longId(prefix: string, ...seed: (string | number)[]): string {
  return prefix + String(dice(...seed).whole(100_000_000_000_000, 999_999_999_999_999));
}

/** Fields that are not there are absent, never null. */
export function present(document: Document): Document {
  return Object.fromEntries(
    Object.entries(document).filter(([, value]) => value !== undefined && value !== null),
  );
}

export function done(data: unknown): Reply {
  return { body: { code: 0, data, message: 'Success', request_id: REQUEST_ID } };
}

/** HTTP 200 all the same, by default. */
export function refusal(code: number, message: string, status = 200): Reply {
  return { status, body: { code, data: null, message, request_id: REQUEST_ID } };
}

export function refuse(code: number, message: string, status = 200): Refusal {
  return new Refusal(refusal(code, message, status));
}

const REQUEST_ID = '20261116180000010189081028178A0001';
