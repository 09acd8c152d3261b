const TEXT = 25;
const BYTES = 17;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/**
 * A `text[]` parameter in the protocol's binary form. The driver's own form puts a backslash before
 * every quote of every JSON text, and the server takes them out again letter by letter.
 */
export function textArray(given: readonly unknown[]): Buffer {
  const values = given.map((value) =>
    value === null || value === undefined ? null : textOf(value),
  );
  return arrayOf(TEXT, values);
}

/** The same of a `bytea[]` parameter: as hexadecimal text bytes are twice as long. */
export function byteArray(given: readonly (Buffer | null)[]): Buffer {
  return arrayOf(BYTES, given);
}

function arrayOf(type: number, values: readonly (string | Buffer | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? NULL_LENGTH : Buffer.byteLength(value)));
  const bytes = lengths.reduce(
    (sum, length) => sum + LENGTH_BYTES + Math.max(0, length),
    HEADER_BYTES,
  );
  const array = Buffer.allocUnsafe(bytes);
  const dimensions = 1;
  const firstIndex = 1;
  const header = [dimensions, Number(values.includes(null)), type, values.length, firstIndex];
  let at = 0;
  for (const number of header) at = array.writeInt32BE(number, at);
  for (const [index, value] of values.entries()) {
    at = array.writeInt32BE(lengths[index] as number, at);
    if (typeof value === 'string') at += array.write(value, at);
    if (Buffer.isBuffer(value)) at += value.copy(array, at);
  }
  return array;
}

/** Bytes as the server reads them from text. */
function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value);
}
