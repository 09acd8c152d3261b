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
    return Lossless.parse(text, (_key, value, context) =>
      typeof value === 'number' ? Lossless.rawJSON(context.source ?? String(value)) : value,
    );
  } catch (error) {
    // Nested so deeply that the stack is not enough: no document that means something.
    throw error instanceof RangeError ? new SyntaxError('nested too deeply', { cause: error }) : error;
  }
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
