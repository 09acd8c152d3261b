import { isDay } from '../../address.ts';
/** The periods of the screen, as its address holds them; days are those of the organisation. */

export const GROUPS = ['day', 'week', 'month'] as const;
type Group = (typeof GROUPS)[number];
export const PARTS = ['marketplace', 'product'] as const;
type Part = (typeof PARTS)[number];

export interface SalesSearch {
  /** Days, both included. */
  readonly desde?: string;
  readonly hasta?: string;
  readonly por?: Group;
  readonly parte?: Part;
  /** By commas. */
  readonly marketplace?: string;
  /** The table instead of the chart. */
  readonly tabla?: 'si';
}

/** What an address says, without what no filter knows. */
export function salesSearch(given: Record<string, unknown>): SalesSearch {
  const { desde, hasta, por, parte, marketplace, tabla } = given;
  return {
    ...(isDay(desde) && { desde }),
    ...(isDay(hasta) && { hasta }),
    ...(isOneOf(GROUPS, por) && { por }),
    ...(isOneOf(PARTS, parte) && { parte }),
    ...(typeof marketplace === 'string' && marketplace !== '' && { marketplace }),
    ...(tabla === 'si' && { tabla }),
  };
}

/** Today in a time zone. */
export function todayIn(timezone: string, now: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(now);
}

interface Days {
  readonly desde: string;
  readonly hasta: string;
}

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

export function plusDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, DAY_LENGTH);
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;
const MONTH_LENGTH = 'YYYY-MM'.length;

function isOneOf<Word extends string>(words: readonly Word[], value: unknown): value is Word {
  return words.includes(value as Word);
}
