/** Offsets change at whole hours, and all of ours are whole quarters of one. */
const QUARTER_MS = 900_000;
const MOST_QUARTERS = 100_000;
const SECONDS_OF_DAY = 86_400;
/** 1970-01-01, as Excel counts days. */
const FIRST_DAY = 25_569;
/** With the five digits of a day they are the fifteen of an Excel number. */
const DECIMALS = 10;

/**
 * How Excel counts an instant in a time zone: days, and parts of one. Excel knows no time zones.
 * @returns of ISO 8601, to the second
 */
export function openCalendar(timezone: string): (instant: string) => string {
  const offsets = new Map<number, number>();
  const offsetAt = (instant: Temporal.Instant): number => {
    const quarter = Math.floor(instant.epochMilliseconds / QUARTER_MS);
    const known = offsets.get(quarter);
    if (known !== undefined) return known;
    const seconds = instant.toZonedDateTimeISO(timezone).offsetNanoseconds / 1_000_000_000;
    if (offsets.size >= MOST_QUARTERS) offsets.clear();
    offsets.set(quarter, seconds);
    return seconds;
  };
  return (text) => {
    const instant = Temporal.Instant.from(text);
    const seconds = Math.floor(instant.epochMilliseconds / 1_000) + offsetAt(instant);
    return String(Number((FIRST_DAY + seconds / SECONDS_OF_DAY).toFixed(DECIMALS)));
  };
}
