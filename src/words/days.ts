/**
 * The day of a payout that a marketplace told without a time: such a day comes as its first instant in
 * UTC, which is another day in Mexico.
 * @param instant ISO 8601, in UTC
 * @returns `2026-11-19`; null = a moment
 */
export function dayAlone(instant: string): string | null {
  return /T00:00:00(\.0+)?Z$/.test(instant) ? instant.slice(0, 'YYYY-MM-DD'.length) : null;
}
