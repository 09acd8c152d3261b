/** A part of a file; `to` is the first byte beyond it. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * What a request's header Range asks for, as RFC 9110 says: of several ranges, of another unit and
 * of what cannot be read, nothing is asked.
 * @returns the whole file where nothing is asked; null where the file has nothing of it
 */
export function rangeOf(header: string | undefined, size: number): Span | null {
  const whole = { from: 0, to: size };
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return whole;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { from: size - length, to: size };
  }
  if (last !== '' && Number(last) < Number(first)) return whole;
  if (Number(first) >= size) return null;
  return { from: Number(first), to: last === '' ? size : Math.min(Number(last) + 1, size) };
}
