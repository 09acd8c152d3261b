/**
 * A number's own text, carried through JSON without ever becoming a float (ECMAScript's
 * JSON.rawJSON).
 */
export interface RawNumber {
  readonly rawJSON: string;
}

interface LosslessJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}

const Lossless = JSON as unknown as LosslessJson;

/**
 * Documents that mean something have a dozen levels; a stack has room for many times as many as
 * this.
 */
const MOST_RECURSION = 1_000;

/**
 * Parses JSON keeping every number as the text it was written in, however deeply it is nested.
 * @throws SyntaxError
 */
export function parseLossless(text: string): unknown {
  const root = { document: JSON.parse(text) as unknown };
  return restoreNumbers(root, text) ? root.document : readWhole(text);
}

/**
 * Puts the numbers' own texts in the places of the numbers: a document has them in the order of its
 * text. False when it may not have: a name that was given twice is where it was first, and names
 * that are numbers come before all others. False, too, where the nesting is deeper than a stack.
 */
function restoreNumbers(root: Record<string, unknown>, text: string): boolean {
  const { numbers, members } = scan(text);
  let [next, seen, isInOrder, depth] = [0, 0, true, 0];

  const restoreAt = <Key extends string | number>(place: Record<Key, unknown>, name: Key) => {
    const value = place[name];
    if (typeof value === 'number') place[name] = Lossless.rawJSON(numbers[next++] as string);
    else if (typeof value === 'object' && value !== null)
      restoreIn(value as Record<string, unknown>);
  };
  const restoreIn = (value: Record<string, unknown> | unknown[]) => {
    if (depth === MOST_RECURSION) isInOrder = false;
    if (!isInOrder) return;
    depth++;
    if (Array.isArray(value))
      for (let at = 0; at < value.length; at++) restoreAt<number>(value, at);
    else restoreMembers(value);
    depth--;
  };
  const restoreMembers = (object: Record<string, unknown>) => {
    let isFirst = true;
    for (const name in object) {
      if (isFirst && isDigit(name.charCodeAt(0))) isInOrder = false;
      isFirst = false;
      seen++;
      restoreAt(object, name);
    }
  };
  restoreAt(root, 'document');
  return isInOrder && seen === members;
}

/** The same, token by token, which takes a few times as long. The text is known to be JSON. */
function readWhole(text: string): unknown {
  const root: unknown[] = [];
  const outer: Container[] = [];
  let place: Container = root;
  let name: string | null = null;
  const put = (value: unknown) => {
    if (Array.isArray(place)) place.push(value);
    // `__proto__` is a name like any other.
    else Object.defineProperty(place, name as string, { value, ...ORDINARY });
    name = null;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const words: string = JSON.parse(text.slice(at, end + 1));
      if (Array.isArray(place) || name !== null) put(words);
      else name = words;
      at = end;
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      put(Lossless.rawJSON(text.slice(at, end)));
      at = end - 1;
    } else if (OPENING[code]) {
      const inner = OPENING[code]();
      put(inner);
      outer.push(place);
      place = inner;
    } else if (code === END_OF_OBJECT || code === END_OF_LIST) {
      place = outer.pop() as Container;
    } else if (LITERALS[code]) {
      const { value, length } = LITERALS[code];
      put(value);
      at += length - 1;
    }
  }
  return root[0];
}

type Container = unknown[] | Record<string, unknown>;

const ORDINARY = { writable: true, enumerable: true, configurable: true };
const [QUOTE, MINUS, COLON, BACKSLASH] = [0x22, 0x2d, 0x3a, 0x5c];
const [END_OF_OBJECT, END_OF_LIST] = [0x7d, 0x5d];
/** By the character that begins it. */
const OPENING: Readonly<Record<number, () => Container>> = { 123: () => ({}), 91: () => [] };
const LITERALS: Readonly<Record<number, { readonly value: unknown; readonly length: number }>> = {
  110: { value: null, length: 4 },
  116: { value: true, length: 4 },
  102: { value: false, length: 5 },
};

/** The numbers of a JSON text as they are written, and how many members its objects are given. */
function scan(text: string): { numbers: string[]; members: number } {
  const numbers: string[] = [];
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) members++;
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      numbers.push(text.slice(at, end));
      at = end - 1;
    }
  }
  return { numbers, members };
}

/** Where the closing quote is. */
function endOfString(text: string, start: number): number {
  let end = start;
  let backslashes: number;
  do {
    end = text.indexOf('"', end + 1);
    backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
  } while (backslashes % 2 === 1);
  return end;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && '0123456789.eE+-'.includes(text.charAt(end))) end++;
  return end;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Puts a decimal's text into JSON as a number. */
export function rawNumber(text: string): RawNumber {
  return Lossless.rawJSON(text);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return Lossless.isRawJSON(value);
}

/** Whether all of its texts can be stored as they are, at any depth. */
export function isStorable(value: unknown): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string' && !isStorableText(next)) return false;
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && !Object.keys(next).every(isStorableText)) return false;
    for (const inner of Object.values(next)) waiting.push(inner);
  }
  return true;
}

/** The database's text has no NUL, and half a character (a lone surrogate) is none. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** With the sign for an unknown character in the places of those that cannot be stored. */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.toWellFormed().replaceAll('\0', '\ufffd');
}
