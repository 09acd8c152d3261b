/** A point in time in UTC. Whole microseconds at most; PostgreSQL keeps the same. */
export type Instant = Temporal.Instant;

const ISO = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:?\d{2})$/;

// Years 1970 to 9999: an earlier year is another program's placeholder for «no time», such as
// 0001-01-01.
const FIRST_MILLIS = 0;
const LAST_MILLIS = Temporal.Instant.from('9999-12-31T23:59:59.999Z').epochMilliseconds;
const FINER = /\.\d{7}/;

/**
 * Reads a full ISO 8601 timestamp with Z or a numeric offset (also `-0400`); null for anything
 * else.
 */
export function parseInstant(text: string): Instant | null {
  if (!ISO.test(text)) return null;
  // Temporal would read a 61st second as the 60th; a caller's typing error must not pass.
  if (text.slice(17, 19) === '60') return null;
  try {
    const instant = Temporal.Instant.from(text);
    const millis = instant.epochMilliseconds;
    return millis >= FIRST_MILLIS && millis <= LAST_MILLIS ? wholeMicros(instant, text) : null;
  } catch {
    return null;
  }
}

/** Whether a text has the form of an instant, and a year before those that are read. */
export function isBeforeTimes(text: string): boolean {
  return ISO.test(text) && text < '1970';
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Whether a text is a day of the calendar, `2026-11-20`, with a day after it in every time zone.
 */
export function isDay(text: string): boolean {
  if (!DAY.test(text) || text < '1970' || text > '9999') return false;
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}

/** Most texts have no finer part to be cut off. */
function wholeMicros(instant: Instant, text: string): Instant {
  if (!FINER.test(text)) return instant;
  return instant.round({ smallestUnit: 'microsecond', roundingMode: 'floor' });
}

/** `2026-11-21T01:02:03.123Z`: the form of every public time but the two below. */
export function formatMillis(instant: Instant): string {
  return formatEpochMillis(instant.epochMilliseconds);
}

/** The same; null stays null. */
export function formatMillisOrNull(instant: Instant | null): string | null {
  return instant && formatMillis(instant);
}

/** The same of epoch milliseconds. */
export function formatEpochMillis(milliseconds: number): string {
  return `${wholeMillis(milliseconds)}Z`;
}

/** `2026-11-21T01:02:03.123456Z`: the form of `last_updated` and `as_of`; as text they sort. */
export function formatMicros(instant: Instant): string {
  const { epochMilliseconds, epochNanoseconds } = instant;
  const micros = Number(epochNanoseconds / 1000n - BigInt(epochMilliseconds) * 1000n);
  return `${wholeMillis(epochMilliseconds)}${String(micros).padStart(3, '0')}Z`;
}

/** `2026-11-21T01:02:03.123`. */
function wholeMillis(milliseconds: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: a form, not a clock
  return new Date(milliseconds).toISOString().slice(0, -1);
}

export function epochMicros(instant: Instant): number {
  return Number(instant.epochNanoseconds / 1000n);
}

export function fromEpochMicros(micros: number): Instant {
  return Temporal.Instant.fromEpochNanoseconds(BigInt(micros) * 1000n);
}

/**
 * Below 0, 0 or above 0. For where very many are compared: Temporal's own comparison copies both
 * first.
 */
export function compareInstants(a: Instant, b: Instant): number {
  return (
    a.epochMilliseconds - b.epochMilliseconds || Number(a.epochNanoseconds - b.epochNanoseconds)
  );
}

export function later(a: Instant, b: Instant): Instant {
  return compareInstants(a, b) >= 0 ? a : b;
}

export function earlier(a: Instant, b: Instant): Instant {
  return compareInstants(a, b) <= 0 ? a : b;
}

/** The latest of those that are known, or null. */
export function latest(...instants: (Instant | null | undefined)[]): Instant | null {
  return instants.reduce<Instant | null>(
    (best, next) => (next ? (best ? later(best, next) : next) : best),
    null,
  );
}

const HTTP_DATE = /^\w{3}, (\d{2}) (\w{3}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/;
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Sat, 21 Nov 2026 02:00:00 GMT`, as HTTP headers have it. */
export function formatHttpDate(instant: Instant): string {
  const { dayOfWeek, day, month, year, hour, minute, second } = instant.toZonedDateTimeISO('UTC');
  const two = (number: number) => String(number).padStart(2, '0');
  const date = `${DAYS[dayOfWeek - 1]}, ${two(day)} ${MONTHS[month - 1]} ${year}`;
  return `${date} ${two(hour)}:${two(minute)}:${two(second)} GMT`;
}

/** The same read; null for anything else. */
export function parseHttpDate(text: string): Instant | null {
  const [, day, month = '', year, time] = HTTP_DATE.exec(text.trim()) ?? [];
  const number = MONTHS.indexOf(month) + 1;
  return number === 0
    ? null
    : parseInstant(`${year}-${String(number).padStart(2, '0')}-${day}T${time}Z`);
}

/** As people in Mexico read it: «20 nov 2026, 4:15 p.m.», whose period also ends a sentence. */
export function momentIn(timezone: string, instant: Instant): string {
  return instant
    .toZonedDateTimeISO(timezone)
    .toLocaleString('es-MX', { dateStyle: 'medium', timeStyle: 'short' });
}

/** The day of it alone. */
export function dayIn(timezone: string, instant: Instant): string {
  return instant.toZonedDateTimeISO(timezone).toLocaleString('es-MX', { dateStyle: 'medium' });
}

export function momentInMexico(instant: Instant): string {
  return momentIn('America/Mexico_City', instant);
}

export function dayInMexico(instant: Instant): string {
  return dayIn('America/Mexico_City', instant);
}

/** «1 de octubre de 2027», of `2027-10-01`. */
export function dayInWords(day: string): string {
  return Temporal.PlainDate.from(day).toLocaleString('es-MX', { dateStyle: 'long' });
}

/**
 * «las 14:05», and the day before it where it is not the day of `now`: «el 3 de noviembre a las
 * 14:05».
 */
export function timeInMexico(instant: Instant, now: Instant): string {
  const at = instant.toZonedDateTimeISO('America/Mexico_City');
  const time = `${at.hour === 1 ? 'la' : 'las'} ${at.toPlainTime().toString({ smallestUnit: 'minute' })}`;
  if (at.toPlainDate().equals(now.toZonedDateTimeISO('America/Mexico_City').toPlainDate()))
    return time;
  return `el ${at.toLocaleString('es-MX', { day: 'numeric', month: 'long' })} a ${time}`;
}
