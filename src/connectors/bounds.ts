import { isRawNumber, isStorableText, storableText } from '../platform/json.ts';
import type { Read, SourceLedger } from './contract.ts';

/**
 * The bounds of one item, so that it can be stored and found again. An item outside of them is set
 * aside alone.
 */

/** Levels of a document. */
const MOST_NESTED = 64;
export const LONGEST_ID = 200;
const LONGEST_WORD = 255;
const LONGEST_TEXT = 5_000;
const LONGEST_REASON = 1_000;
/** Of a document that is stored although it could not be read. */
const LONGEST_ASIDE = 1_000_000;
const FIRST_MILLIS = 0;
const LAST_MILLIS = Temporal.Instant.from('9999-12-31T23:59:59.999Z').epochMilliseconds;
const SHOWN_OF_PATH = 8;

/**
 * By the name of the field, in characters; identifiers and words are parts of keys. The elements of
 * a list have the bound of the list.
 */
const LONGEST: Readonly<Record<string, number>> = {
  id: LONGEST_ID,
  itemId: LONGEST_ID,
  variationId: LONGEST_ID,
  orderId: LONGEST_ID,
  orderIds: LONGEST_ID,
  payoutId: LONGEST_ID,
  uuid: LONGEST_ID,
  trackingNumber: LONGEST_ID,
  guideNumber: LONGEST_ID,
  packId: LONGEST_WORD,
  sku: LONGEST_WORD,
  key: LONGEST_WORD,
  nativeType: LONGEST_WORD,
  currency: LONGEST_WORD,
  tags: LONGEST_WORD,
  status: LONGEST_WORD,
  marketplaceStatus: LONGEST_WORD,
  paymentStatus: LONGEST_WORD,
  fulfillmentStatus: LONGEST_WORD,
  carrierStatus: LONGEST_WORD,
  code: LONGEST_WORD,
  purse: LONGEST_WORD,
  channel: LONGEST_WORD,
  reference: LONGEST_WORD,
  orderReference: LONGEST_WORD,
  // Whole documents, which no answer makes longer than the network lets through.
  raw: Number.POSITIVE_INFINITY,
};

/** An item that could not be read or stored, kept for people to see. */
export type Aside = Read<never> & { readonly ok: false };

/**
 * A thing as read, if it can be stored; else set aside with the path of the first field out of
 * bounds.
 */
export function bounded<Item>(read: Read<Item>): Read<Item> {
  if (!read.ok) return aside(read);
  const fault = faultIn(read.item, '');
  if (fault === null) return read;
  return asideOf(read.item, `${pathOf(fault.path.toReversed())}: ${fault.what}`);
}

/**
 * The same for an item of a stream. A ledger loses only the movements that are out of bounds, and
 * then proves nothing about movements that it lacks.
 */
export function boundedEach<Item>(read: Read<Item>): Read<Item>[] {
  const whole = bounded(read);
  if (whole.ok || !read.ok || !isLedger(read.item)) return [whole];
  const reads = read.item.movements.map((item) => bounded({ ok: true, item }));
  const movements = reads.flatMap((one) => (one.ok ? [one.item] : []));
  if (movements.length === reads.length) return [whole];
  const rest = { ...read.item, movements, covers: null };
  return [...reads.filter((one) => !one.ok), bounded({ ok: true, item: rest })];
}

function isLedger<Item>(item: Item): item is Item & SourceLedger {
  return typeof item === 'object' && item !== null && 'movements' in item;
}

/** A thing that was read and cannot be stored, with its source document where it has one. */
export function asideOf(item: unknown, reason: string): Aside {
  const { itemId, id, orderId, raw } = item as Record<string, unknown>;
  const name = itemId ?? id ?? orderId;
  return aside({
    externalId: typeof name === 'string' ? name : null,
    reason,
    raw: typeof raw === 'string' ? raw : rawOf(withoutBytes(item as object)),
  });
}

/** The bytes of a document as text. */
function withoutBytes(item: object): object {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    ]),
  );
}

/** Sets something aside; its id, reason and document are reduced to what can be stored. */
export function aside({ externalId, reason, raw }: Omit<Aside, 'ok'>): Aside {
  return {
    ok: false,
    externalId: externalId === null ? null : clipped(externalId, LONGEST_ID),
    reason: clipped(reason, LONGEST_REASON),
    raw: clipped(raw, LONGEST_ASIDE),
  };
}

/**
 * The document of something that could not be read, as JSON text; parts that are nested too deeply
 * are left out.
 */
export function rawOf(row: unknown): string {
  return JSON.stringify(pathTooDeep(row) === null ? row : pruned(row, MOST_NESTED)) ?? 'null';
}

/**
 * @returns why a document is not read, with the path; null = its nesting is that of a real document
 */
export function tooDeep(row: unknown): string | null {
  const path = pathTooDeep(row);
  return path && `${pathOf(path)}: nested more than ${MOST_NESTED} levels deep`;
}

function pathTooDeep(value: unknown, left = MOST_NESTED): string[] | null {
  if (!nests(value)) return null;
  if (left === 0) return [];
  for (const name in value) {
    const inner = (value as Record<string, unknown>)[name];
    // Most fields nest nothing: a call for each of them takes twice as long.
    const path = nests(inner) ? pathTooDeep(inner, left - 1) : null;
    if (path) return [name, ...path];
  }
  return null;
}

/** An object or a list; a number's text is neither, though it is an object in memory. */
function nests(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isRawNumber(value);
}

function pruned(value: unknown, left: number): unknown {
  if (!nests(value)) return value;
  if (left === 0) return '…';
  if (Array.isArray(value)) return value.map((inner) => pruned(inner, left - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, pruned(inner, left - 1)]),
  );
}

interface Fault {
  readonly what: string;
  /** From the inside out, so that nothing is allocated for valid fields. */
  readonly path: string[];
}

/** @param name of the field that holds the value; its elements have its bounds */
function faultIn(value: unknown, name: string): Fault | null {
  const what = faultOf(value, LONGEST[name] ?? LONGEST_TEXT);
  if (what) return { what, path: [] };
  if (typeof value !== 'object' || value === null || value instanceof Temporal.Instant) return null;
  if (value instanceof Uint8Array) return null;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const fault = faultIn(value[at], name);
      if (fault) return within(fault, String(at));
    }
    return null;
  }
  for (const key in value) {
    const fault = faultIn((value as Record<string, unknown>)[key], key);
    if (fault) return within(fault, key);
  }
  return null;
}

function within({ what, path }: Fault, place: string): Fault {
  path.push(place);
  return { what, path };
}

function faultOf(value: unknown, longest: number): string | null {
  if (typeof value === 'string') {
    if (value.length > longest) return `longer than ${longest} characters`;
    return isStorableText(value) ? null : 'holds characters that are no text';
  }
  if (typeof value === 'number')
    return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? null : 'too large a number';
  if (!(value instanceof Temporal.Instant)) return null;
  const { epochMilliseconds: at } = value;
  return at >= FIRST_MILLIS && at <= LAST_MILLIS ? null : 'not within the years 1970 to 9999';
}

function pathOf(path: readonly string[]): string {
  const shown = path.slice(0, SHOWN_OF_PATH).join('.');
  return path.length > SHOWN_OF_PATH ? `${shown}…` : shown || '(whole)';
}

function clipped(text: string, longest: number): string {
  return storableText(text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
}
