/** Periods and their days, those of the organisation. */
import { type Group, plusDays, type SalesSearch } from './periods.ts';

interface Days {
  readonly desde: string;
  readonly hasta: string;
}

type Lapse = Pick<SalesSearch, 'lapso'>;

interface Preset extends Days {
  readonly name:
    | 'today'
    | 'yesterday'
    | 'thisWeek'
    | 'week'
    | 'days'
    | 'month'
    | 'lastMonth'
    | 'year';
  readonly por: Group;
}

const WEEK_DAYS = 7;
const SOME_DAYS = 30;
const YEAR_DAYS = 365;

/** This month until today, and the whole one before. */
export function monthsUntil(today: string): { readonly month: Days; readonly lastMonth: Days } {
  const first = `${today.slice(0, MONTH_LENGTH)}-01`;
  const endOfLast = plusDays(first, -1);
  return {
    month: { desde: first, hasta: today },
    lastMonth: { desde: `${endOfLast.slice(0, MONTH_LENGTH)}-01`, hasta: endOfLast },
  };
}

/** The periods that are one click away. */
export function presetsUntil(today: string): Preset[] {
  const { month, lastMonth } = monthsUntil(today);
  const yesterday = plusDays(today, -1);
  return [
    { name: 'today', desde: today, hasta: today, por: 'day' },
    { name: 'yesterday', desde: yesterday, hasta: yesterday, por: 'day' },
    { name: 'thisWeek', desde: mondayOf(today), hasta: today, por: 'day' },
    { name: 'week', desde: plusDays(today, 1 - WEEK_DAYS), hasta: today, por: 'day' },
    { name: 'days', desde: plusDays(today, 1 - SOME_DAYS), hasta: today, por: 'day' },
    { name: 'month', ...month, por: 'day' },
    { name: 'lastMonth', ...lastMonth, por: 'day' },
    { name: 'year', desde: plusDays(today, 1 - YEAR_DAYS), hasta: today, por: 'month' },
  ];
}

/**
 * The preset of a period. Several may have its days, such as this week and seven days on a Sunday:
 * the one that was chosen goes before.
 */
export function presetOf(presets: readonly Preset[], { desde, hasta, lapso }: Days & Lapse) {
  const same = presets.filter((one) => one.desde === desde && one.hasta === hasta);
  return same.find(({ name }) => name === lapso) ?? same[0] ?? null;
}

/** The keys of all groups of a period, those without sales too. */
export function keysBetween(from: string, to: string, group: Group): string[] {
  const keys = new Set<string>();
  for (let day = from; day <= to; day = plusDays(day, 1)) keys.add(keyOf(day, group));
  return [...keys];
}

function keyOf(day: string, group: Group): string {
  if (group === 'month') return day.slice(0, MONTH_LENGTH);
  return group === 'day' ? day : mondayOf(day);
}

function mondayOf(day: string): string {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;
  return plusDays(day, -weekday);
}

const MONTH_LENGTH = 'YYYY-MM'.length;
