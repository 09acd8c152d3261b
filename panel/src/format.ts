/** Amounts, times and ages as people in Mexico write them. */

const amounts = new Intl.NumberFormat('es-MX', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});
const counts = new Intl.NumberFormat('es-MX');
const ages = new Intl.RelativeTimeFormat('es-MX', { numeric: 'auto', style: 'short' });

/**
 * `$1,234.50 MXN`; amounts are shown and never computed with. No line ends inside of one: a word
 * joiner holds the minus, a no-break space the currency.
 */
export function moneyText(amount: number, currency: string): string {
  return `${amount < 0 ? '−\u2060' : ''}$${amounts.format(Math.abs(amount))}\u00a0${currency}`;
}

/** `$1,500` beside an axis: neither cents nor currency. */
export function axisText(amount: number): string {
  return `${amount < 0 ? '−' : ''}$${counts.format(Math.abs(amount))}`;
}

export function countText(count: number): string {
  return counts.format(count);
}

/** «1 nuevo», «1,200 nuevos». */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** By time zone: to make one takes longer than to draw a row. */
const moments = new Map<string, Intl.DateTimeFormat>();

function momentsIn(timezone: string): Intl.DateTimeFormat {
  const known = moments.get(timezone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('es-MX', {
    timeZone: timezone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    hour12: true,
  });
  moments.set(timezone, made);
  return made;
}

/** «20 nov 2026, 4:15 p.m.» */
export function momentText(iso: string, timezone: string): string {
  const parts = momentsIn(timezone).formatToParts(new Date(iso));
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  const half = of('dayPeriod').replace(/\s/g, '');
  return `${of('day')} ${of('month').replace('.', '')} ${of('year')}, ${of('hour')}:${of('minute')} ${half}`;
}

/** «2026-11-20-1615», for the name of a file. */
export function fileMoment(iso: string, timezone: string): string {
  const moment = new Date(iso).toLocaleString('sv-SE', { timeZone: timezone });
  return moment.slice(0, 'AAAA-MM-DD HH:MM'.length).replace(' ', '-').replace(':', '');
}

/** «20 nov», the day of a moment. */
export function dateText(iso: string, timezone: string): string {
  return momentText(iso, timezone).split(' ').slice(0, 2).join(' ');
}

/** «20 nov 2026», the day of a moment with its year. */
export function dayOfText(iso: string, timezone: string): string {
  return momentText(iso, timezone).split(',')[0] ?? '';
}

/** «4:15 p.m.» */
export function timeText(iso: string, timezone: string): string {
  return momentText(iso, timezone).split(', ').at(-1) ?? '';
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;
const days = new Intl.DateTimeFormat('es-MX', { timeZone: 'UTC', day: 'numeric', month: 'short' });
const years = new Intl.DateTimeFormat('es-MX', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});
const months = new Intl.DateTimeFormat('es-MX', {
  timeZone: 'UTC',
  month: 'short',
  year: 'numeric',
});

/** «20 nov» of a day without a time; with its year «20 nov 2026». */
export function dayText(day: string, hasYear = false): string {
  return (hasYear ? years : days)
    .format(new Date(`${day.slice(0, DAY_LENGTH)}T00:00:00Z`))
    .replace('.', '');
}

/** A day, the week that begins with it, or a month. */
export function groupText(key: string, group: 'day' | 'week' | 'month', hasYear: boolean): string {
  if (group !== 'month') return dayText(key, hasYear);
  return months.format(new Date(`${key}-01T00:00:00Z`)).replace('.', '');
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** «hace 2 min» */
export function ageText(iso: string, now: number): string {
  const seconds = Math.round((now - Date.parse(iso)) / 1_000);
  const step = STEPS.find(([, size]) => seconds >= size);
  if (!step) return 'hace un momento';
  const [unit, size] = step;
  return ages.format(-Math.floor(seconds / size), unit).replace(/\.$/, '');
}

/** The instant at which a day of a time zone begins. */
export function beginningOf(day: string, timezone: string): Date {
  const guess = Date.parse(`${day}T00:00:00Z`);
  const first = guess - offsetAt(guess, timezone);
  return new Date(guess - offsetAt(first, timezone));
}

/** The last millisecond of that day. */
export function endOf(day: string, timezone: string): Date {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  return new Date(beginningOf(next, timezone).getTime() - 1);
}

/** Milliseconds that the zone's wall clock is ahead of UTC. */
function offsetAt(instant: number, timezone: string): number {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(instant);
  return Date.parse(`${text.replace(' ', 'T')}Z`) - Math.floor(instant / 1_000) * 1_000;
}
