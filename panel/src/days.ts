/** Days as people in Mexico write them, `20/11/2026`, and as addresses hold them, `2026-11-20`. */
import { isDay } from './address.ts';
import { dayWords } from './day-words.ts';

const WRITTEN = /^(\d{1,2})[/.\-\s](\d{1,2})[/.\-\s](\d{4})$/;
/** As on the numbers of a phone. */
const DIGITS = /^(\d{2})(\d{2})(\d{4})$/;

/** `20/11/2026`; nothing of no day. */
export function typedDay(day: string | undefined): string {
  return day === undefined ? '' : day.split('-').reverse().join('/');
}

/** Undefined = nothing, or no day of the calendar. */
export function readDay(text: string): string | undefined {
  const typed = text.trim();
  const [, day = '', month = '', year = ''] = WRITTEN.exec(typed) ?? DIGITS.exec(typed) ?? [];
  const read = year === '' ? typed : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(read) ? read : undefined;
}

/** Whether it is a day and a month that its year does not have, such as 31/02/2026. */
function isOfNoCalendar(text: string): boolean {
  const written = (WRITTEN.exec(text) ?? DIGITS.exec(text) ?? []).map(Number);
  const [, day = 0, month = 0, year = 0] = written;
  const isPlausible = day >= 1 && day <= 31 && month >= 1 && month <= 12;
  return isPlausible && new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day;
}

export function steppedDay(day: string, step: number): string {
  const next = new Date(`${day}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + step);
  return next.toISOString().slice(0, 10);
}

interface Bounds {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly isRequired: boolean;
}

/** What is wrong with a day that was typed; null = nothing. */
export function dayFault(
  text: string,
  day: string | undefined,
  { from, to, isRequired }: Bounds,
): string | null {
  if (day === undefined) {
    if (isOfNoCalendar(text.trim())) return dayWords.absent;
    if (text.trim() !== '') return dayWords.unread;
    return isRequired ? dayWords.missing : null;
  }
  if (from !== undefined && day < from) return dayWords.least(typedDay(from));
  return to !== undefined && day > to ? dayWords.most(typedDay(to)) : null;
}
