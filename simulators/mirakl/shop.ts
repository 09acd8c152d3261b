/** What all rooms of this simulator share: the shops, the switches, and how Mirakl says no. */
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';

export interface Shop {
  readonly id: number;
  readonly name: string;
  readonly world: World;
}

/** What a test may turn while the simulator runs. The sets hold order ids. */
export interface Switches {
  /** In a state that no document names yet. */
  newState: Set<string>;
  /** Of which only the first line was sent. */
  partlyShipped: Set<string>;
  incidents: Set<string>;
  /** Of which the seller refused the first line: that leaves no cancelation. */
  partlyRefused: Set<string>;
  /** Sold in another currency. */
  foreign: Set<string>;
}

export interface Room {
  readonly now: () => number;
  readonly switches: Switches;
  readonly taxExcluded: boolean;
  /** The shop that the call is about; throws the refusal unless the key is accepted. */
  readonly caller: (call: Call) => Shop;
  readonly mostSought: number;
}

export function refuse(status: number, message: string): Refusal {
  return new Refusal(refusalReply(status, message));
}

export function refusalReply(status: number, message: string): Reply {
  return { status, body: { status, message } };
}

/** Old instances refuse what they do not know. */
export function refuseUnknown(call: Call, known: readonly string[]): void {
  const odd = [...call.query.keys()].find((name) => name !== 'shop_id' && !known.includes(name));
  if (odd) throw refuse(400, `Unknown parameter: ${odd}`);
}

const MOST_ROWS = 100;
const USUAL_ROWS = 10;

/** Paging by offset: ten rows by default, and never more than a hundred. */
export function offsetPage<Row>(
  call: Call,
  rows: readonly Row[],
): { page: Row[]; total_count: number } {
  const max = Math.min(whole(call, 'max', USUAL_ROWS), MOST_ROWS);
  const offset = whole(call, 'offset', 0);
  return { page: rows.slice(offset, offset + max), total_count: rows.length };
}

/** Paging by a token that only this shop can read. */
export function seekPage<Row>(call: Call, rows: readonly Row[], most: number) {
  const limit = Math.min(whole(call, 'limit', USUAL_ROWS), most);
  const token = call.query.get('page_token');
  const from = token ? Number(Buffer.from(token, 'base64url').toString().split(':')[1]) : 0;
  if (!Number.isInteger(from)) throw refuse(400, 'Invalid page_token');
  const tokenAt = (at: number) => Buffer.from(`seek:${at}`).toString('base64url');
  return {
    data: rows.slice(from, from + limit),
    next_page_token: from + limit < rows.length ? tokenAt(from + limit) : null,
    previous_page_token: from > 0 ? tokenAt(Math.max(0, from - limit)) : null,
  };
}

function whole(call: Call, name: string, otherwise: number): number {
  const value = Number(call.query.get(name) ?? otherwise);
  if (!Number.isInteger(value) || value < 0) throw refuse(400, `Invalid ${name}`);
  return value;
}
