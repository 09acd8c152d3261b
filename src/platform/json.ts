/** A number's own text, carried through JSON without ever becoming a float (ECMAScript's JSON.rawJSON). */
export interface RawNumber {
  readonly rawJSON: string;
}

interface LosslessJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
}

const Lossless = JSON as unknown as LosslessJson;

/** Parses JSON keeping every number as the text it was written in. Throws SyntaxError. */
export function parseLossless(text: string): unknown {
  try {
    const root = { document: JSON.parse(text) as unknown };
    return restoreNumbers(root, text) ? root.document : revived(text);
  } catch (error) {
    // Nested so deeply that the stack is not enough: no document that means something.
    throw error instanceof RangeError ? new SyntaxError('nested too deeply', { cause: error }) : error;
  }
}

/** What parseLossless means, by the language's own means; those take four times as long. */
function revived(text: string): unknown {
  return Lossless.parse(text, (_key, value, context) =>
    typeof value === 'number' ? Lossless.rawJSON(context.source ?? String(value)) : value,
  );
}

/**
 * Puts the numbers' own texts in the places of the numbers: a document has them in the order of its text. False when it
 * may not have: a name that was given twice is where it was first, and names that are numbers come before all others.
 */
function restoreNumbers(root: Record<string, unknown>, text: string): boolean {
  const { numbers, members } = scan(text);
  let [next, seen, isInOrder] = [0, 0, true];

  const restoreAt = (place: Record<string | number, unknown>, name: string | number) => {
    const value = place[name];
    if (typeof value === 'number') place[name] = Lossless.rawJSON(numbers[next++] as string);
    else if (Array.isArray(value)) for (let at = 0; at < value.length; at++) restoreAt(value as never, at);
    else if (typeof value === 'object' && value !== null) restoreMembers(value as Record<string, unknown>);
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

const [QUOTE, MINUS, COLON, BACKSLASH] = [0x22, 0x2d, 0x3a, 0x5c];

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

/**
 * Whether all of its texts can be stored as they are: the database's text has no NUL, and half a character
 * (a lone surrogate) is none.
 */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  for (const name in value)
    if (!isStorable(name) || !isStorable((value as Record<string, unknown>)[name])) return false;
  return true;
}
