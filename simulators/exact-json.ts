/**
 * JSON in and out with every number kept as it was written: 440.0 stays 440.0, long ids keep their
 * digits.
 */

interface RawJson {
  readonly rawJSON: string;
}

/** Node 26 has it, TypeScript's library does not yet. */
const native = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
};

/**
 * Numbers become opaque values that `JSON.stringify` writes as they were read; everything else is
 * as usual.
 */
export function parseExactly(text: string): unknown {
  return native.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? native.rawJSON(source) : value,
  );
}

export function rawNumber(digits: string): unknown {
  return native.rawJSON(digits);
}

/** The text of an id or number read by `parseExactly`; null for anything that is neither. */
export function textOf(value: unknown): string | null {
  if (native.isRawJSON(value)) return value.rawJSON;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** An object that is not an array, null, or an exact number. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !native.isRawJSON(value)
  );
}
