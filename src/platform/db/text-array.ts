const TEXT = 25;
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
  const lengths = values.map((value) => (value === null ? NULL_LENGTH : Buffer.byteLength(value)));
  const bytes = lengths.reduce(
    (sum, length) => sum + LENGTH_BYTES + Math.max(0, length),
    HEADER_BYTES,
  );
  const array = Buffer.allocUnsafe(bytes);
  const dimensions = 1;
  const firstIndex = 1;
  const header = [dimensions, Number(values.includes(null)), TEXT, values.length, firstIndex];
  let at = 0;
  for (const number of header) at = array.writeInt32BE(number, at);
  for (const [index, value] of values.entries()) {
    at = array.writeInt32BE(lengths[index] as number, at);
    if (value !== null) at += array.write(value, at);
  }
  return array;
}

/** Bytes as the server reads them from text. */
function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value);
}
