/**
 * What all rooms of this simulator share: who sells, the switches, ids, limits, and how Amazon says
 * no.
 */
import { type Call, Refusal, type Reply } from '../http.ts';
import { createWorld, type World, type WorldOptions } from '../world.ts';

export const MEXICO = 'A1AM78C64UM0Y8';
export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** What a test may turn while the simulator runs. */
export interface Switches {
  /** What the person at the consent page does. */
  consent: 'grant' | 'refuse';
  /** The application lacks the role for these paths. */
  missingRole: RegExp | null;
  /** Whether the marketplace of the account has an API of transfers. */
  transfersOffered: boolean;
  /** Finances show a transaction so much later. */
  lateHours: number;
  /** Without the role for personal data, orders come without buyer and recipient. */
  personalData: boolean;
  /** A listings search shows no more than so many. */
  listingsShown: number;
  /** Whether TAX is in the prices, or is added to them. */
  taxes: 'inside' | 'added';
  /** Whether the order itself has its rows, or only its lines do. */
  proceeds: 'whole' | 'lines';
}

export interface Shop {
  readonly world: World;
  readonly sellerId: string;
  readonly switches: Switches;
  readonly now: () => number;
  /**
   * Throws the documented refusal unless the token is alive and the operation's bucket is not
   * empty.
   */
  readonly enter: (call: Call, operation: Operation) => void;
  /** A page of orders has so many at most. */
  readonly pageRows: number;
}

/** Calls a second, and how many at once. */
export const OPERATIONS = {
  searchOrders: [0.0056, 20],
  getOrder: [0.5, 30],
  listTransactions: [0.5, 10],
  listBalances: [0.5, 10],
  listPayouts: [0.5, 10],
  listExpectedPayouts: [0.5, 10],
  getInventorySummaries: [2, 2],
  searchListingsItems: [5, 5],
  getMarketplaceParticipations: [0.016, 15],
} as const;
export type Operation = keyof typeof OPERATIONS;

/** One bucket an operation. @returns whether a call may pass */
export function createBuckets(now: () => number): (operation: Operation) => boolean {
  const buckets = new Map<Operation, { tokens: number; at: number }>();
  return (operation) => {
    const [perSecond, burst] = OPERATIONS[operation];
    const { tokens, at } = buckets.get(operation) ?? { tokens: burst, at: now() };
    const filled = Math.min(burst, tokens + ((now() - at) / 1_000) * perSecond);
    // A thousandth is what a caller's own arithmetic may be off.
    const passes = filled >= 0.999;
    buckets.set(operation, { tokens: passes ? filled - 1 : filled, at: now() });
    return passes;
  };
}

export function refuse(status: number, code: string, message: string, details = ''): Refusal {
  return new Refusal(refusalReply(status, code, message, details));
}

export function refusalReply(status: number, code: string, message: string, details = ''): Reply {
  return { status, body: { errors: [{ code, message, details }] } };
}

export function invalid(details: string): Refusal {
  return refuse(400, 'InvalidInput', 'Invalid Input', details);
}

/** The time of a parameter, or null where it is not given. */
export function timeOf({ query }: Call, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw invalid(`${name} is not in ISO 8601 format`);
  return at;
}

/** A token says where to go on, and when it was made. */
export function tokenFor(position: object): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

export function readToken<Position extends { at: number }>(
  token: string | null,
  alive: number,
  now: number,
): Position | null {
  if (token === null) return null;
  try {
    const position = JSON.parse(Buffer.from(token, 'base64url').toString()) as Position;
    if (position.at + alive > now) return position;
  } catch {
    // Not one of ours.
  }
  throw invalid('The token is invalid or has expired');
}

const ID_BASE = 7_000_000_000_000_000;

/** Three, seven and seven digits. */
export function amazonWorld(options: WorldOptions = {}): World {
  const writeId = (id: number) =>
    String(id)
      .padStart(17, '0')
      .replace(/^(\d{3})(\d{7})/, '$1-$2-');
  return createWorld({ idBase: ID_BASE, writeId, ...options });
}

export function iso(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

/** Of a settlement; periods begin at its multiples. */
export const PERIOD = 14 * DAY;

/** The beginning of the period of a time. */
export function periodOf(at: number): number {
  return Math.floor(at / PERIOD) * PERIOD;
}

/** @param start of its period */
export function settlementId(start: number): string {
  return String(Math.floor((start + PERIOD) / 1_000));
}
