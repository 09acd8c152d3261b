/**
 * What all rooms of this simulator share: the store, the switches, its bucket, and how Tiendanube
 * says no.
 */
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';

export interface Store {
  readonly id: number;
  readonly name: string;
  readonly world: World;
}

/** What a test may turn while the simulator runs. The sets hold order ids. */
export interface Switches {
  /** In the words of old documents: `price` for `total`, `unshipped`, no names of goods. */
  legacy: Set<string>;
  /** Imported from Mercado Libre. */
  meli: Set<string>;
  /** Of which only a part was sent. */
  partlySent: Set<string>;
  /** The store did not pay its application. */
  suspended: boolean;
  /** The store was closed for good. */
  gone: boolean;
  /** Without the permission to read customers. */
  hidesCustomers: boolean;
  /** Characters of the seller's own note at an order. */
  notes: Map<string, number>;
  /** How many rows the pages of orders reach at most. */
  deepest: number;
}

export interface Room {
  readonly store: Store;
  readonly now: () => number;
  readonly switches: Switches;
  /** Whether its paths name a dated version. */
  readonly isDated: boolean;
  /** Throws the refusal unless the caller is accepted. */
  readonly admit: (call: Call) => void;
}

export function refuse(status: number, body: unknown): Refusal {
  return new Refusal({ status, body });
}

export function described(code: number, message: string, description: string): Reply {
  return { status: code, body: { code, message, description } };
}

const USUAL_ROWS = 30;
const MOST_ROWS = 200;

/**
 * Pages from 1 on, with links to the others; behind the last one, and where nothing is found, there
 * is no page.
 */
export function pageOf<Row>(
  call: Call,
  rows: readonly Row[],
  deepest = Number.POSITIVE_INFINITY,
): Reply {
  const size = whole(call, 'per_page', USUAL_ROWS);
  const page = whole(call, 'page', 1);
  if (size > MOST_ROWS)
    throw refuse(422, { per_page: [`must be less than or equal to ${MOST_ROWS}`] });
  if (page * size > deepest) throw refuse(422, { page: ['is out of range'] });
  const last = Math.ceil(rows.length / size);
  const found = rows.slice((page - 1) * size, page * size);
  if (found.length === 0) throw new Refusal(described(404, 'Not Found', `Last page is ${last}`));
  const link = (number: number, rel: string) => {
    const query = new URLSearchParams(call.query);
    query.set('page', String(number));
    return `<https://api.tiendanube.com${call.path}?${query}>; rel="${rel}"`;
  };
  const links = [
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first'), link(page - 1, 'prev')] : []),
  ];
  return {
    headers: {
      'x-total-count': String(rows.length),
      ...(links.length > 0 && { link: links.join(', ') }),
    },
    body: found,
  };
}

/** `fields`: only these fields are returned. */
export function withFields(call: Call, things: readonly object[]): readonly object[] {
  const fields = call.query.get('fields')?.split(',');
  if (!fields) return things;
  return things.map((thing) =>
    Object.fromEntries(Object.entries(thing).filter(([name]) => fields.includes(name))),
  );
}

function whole(call: Call, name: string, otherwise: number): number {
  const value = Number(call.query.get(name) ?? otherwise);
  if (!Number.isInteger(value) || value < 1) throw refuse(422, { [name]: ['is invalid'] });
  return value;
}

export interface Bucket {
  /** One drop more, unless it is full. */
  take(): boolean;
  headers(): Record<string, string>;
}

/** Leaks evenly; reports how long it takes until it is empty, in milliseconds. */
export function leakyBucket(size: number, perSecond: number, now: () => number): Bucket {
  let level = 0;
  let at = now();
  const leak = () => {
    level = Math.max(0, level - ((now() - at) / 1_000) * perSecond);
    at = now();
  };
  return {
    take() {
      leak();
      if (level + 1 > size) return false;
      level += 1;
      return true;
    },
    headers() {
      leak();
      return {
        'x-rate-limit-limit': String(size),
        'x-rate-limit-remaining': String(Math.floor(size - level)),
        'x-rate-limit-reset': String(Math.ceil((level / perSecond) * 1_000)),
      };
    },
  };
}
