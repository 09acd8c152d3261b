/**
 * What all rooms of this simulator share: the store, the switches, and how WooCommerce says no and
 * turns pages.
 */
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';

/** What a test may turn while the simulator runs. The sets and maps go by order id. */
export interface Switches {
  /** In a status of a plugin's own. */
  status: Map<string, string>;
  /** In the trash: lists do not show it, by id it still answers. */
  trashed: Set<string>;
  /** Gone for good. */
  deleted: Set<string>;
  /** Of which the first line weighs half a piece less. */
  fractional: Set<string>;
  /** Characters that a plugin keeps in the order's own data. */
  labels: Map<string, number>;
  /** Characters that a plugin adds to every order, beside what is documented. */
  extras: number;
  /** A firewall answers in the store's place, with a page for people. */
  firewall: boolean;
  /** Caches leave out the headers that say how much there is. */
  withoutTotals: boolean;
}

export interface Room {
  readonly now: () => number;
  readonly world: World;
  readonly switches: Switches;
  /** The public address of the store, for links and for the source of its webhooks. */
  readonly home: string;
  /**
   * Prices are typed and shown with IVA. Lines, shipping and fees are given without it all the
   * same.
   */
  readonly pricesIncludeTax: boolean;
  /** Before version 5.8, filters by change and dates in GMT were unknown, and ignored. */
  readonly isOld: boolean;
  /** Minutes that the store's own time is ahead of GMT. */
  readonly offsetMinutes: number;
  /** Throws the refusal unless the keys are accepted, and may do that. */
  readonly caller: (call: Call, may?: 'read' | 'write') => void;
}

const USUAL_ROWS = 10;
const MOST_ROWS = 100;

export function refusalReply(
  status: number,
  code: string,
  message: string,
  more: object = {},
): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: { code, message, data: { status, ...more } },
  };
}

export function refuse(status: number, code: string, message: string, more: object = {}): Refusal {
  return new Refusal(refusalReply(status, code, message, more));
}

export function pageForPeople(status: number, words: string): Reply {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=UTF-8' },
    body: `<!DOCTYPE html><html lang="es"><head><title>${words}</title></head><body><h1>${words}</h1></body></html>`,
  };
}

/**
 * By page, or by offset where one is given. Ten rows by default; more than a hundred are
 * refused. Only the rows of the page are shown: a store may have thousands, and all that runs
 * beside it in a test would wait.
 */
export function paged<Row>(
  call: Call,
  room: Room,
  rows: readonly Row[],
  show: (row: Row) => object,
): Reply {
  const perPage = whole(call, 'per_page', USUAL_ROWS, 1, MOST_ROWS);
  const page = whole(call, 'page', 1, 1);
  const offset = whole(call, 'offset', (page - 1) * perPage, 0);
  const pages = Math.ceil(rows.length / perPage);
  const link =
    page < pages ? { link: `<${room.home}${call.path}?page=${page + 1}>; rel="next"` } : {};
  const totals = { 'x-wp-total': String(rows.length), 'x-wp-totalpages': String(pages), ...link };
  return {
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      ...(!room.switches.withoutTotals && totals),
    },
    body: rows.slice(offset, offset + perPage).map(show),
  };
}

/** `_fields`: only these fields are returned. */
export function withFields(call: Call, reply: Reply): Reply {
  const fields = call.query.get('_fields')?.split(',');
  const isRefusal = (reply.status ?? 200) >= 300;
  if (!fields || isRefusal || typeof reply.body !== 'object' || reply.body === null) return reply;
  const pick = (thing: object) =>
    Object.fromEntries(Object.entries(thing).filter(([name]) => fields.includes(name)));
  return { ...reply, body: Array.isArray(reply.body) ? reply.body.map(pick) : pick(reply.body) };
}

function whole(
  call: Call,
  name: string,
  otherwise: number,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
) {
  const value = Number(call.query.get(name) ?? otherwise);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw refuse(400, 'rest_invalid_param', `Invalid parameter(s): ${name}`, {
    params: { [name]: `${name} must be between ${least} and ${most}` },
  });
}

/** Dates have no zone: `local` is the store's own time. */
export function datesOf(
  name: string,
  at: number | null,
  { offsetMinutes }: Pick<Room, 'offsetMinutes'>,
) {
  const written = (instant: number) => new Date(instant).toISOString().slice(0, 19);
  return {
    [name]: at === null ? null : written(at + offsetMinutes * 60_000),
    [`${name}_gmt`]: at === null ? null : written(at),
  };
}

export function linksOf({ home }: Pick<Room, 'home'>, path: string, id: number) {
  const base = `${home}/wp-json/wc/v3${path}`;
  return { _links: { self: [{ href: `${base}/${id}` }], collection: [{ href: base }] } };
}
