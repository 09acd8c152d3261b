import { fromAddress } from '../../address.ts';
/** What the address of the screen holds; days are those of the organisation. */

export const GROUPS = ['day', 'week', 'month'] as const;
export type Group = (typeof GROUPS)[number];
export const PARTS = ['marketplace', 'product'] as const;
type Part = (typeof PARTS)[number];

export interface SalesSearch {
  /** Days, both included. */
  readonly desde?: string;
  readonly hasta?: string;
  /** Which of the presets with these days was chosen. */
  readonly lapso?: string;
  readonly por?: Group;
  readonly parte?: Part;
  /** By commas. */
  readonly marketplace?: string;
  /** The table instead of the chart. */
  readonly tabla?: 'si';
}

/** What an address says, without what no filter knows. */
export function salesSearch(given: Record<string, unknown>): SalesSearch {
  const { por, parte, tabla } = given;
  return {
    ...fromAddress(given, ['desde', 'hasta', 'lapso', 'marketplace']),
    ...(isOneOf(GROUPS, por) && { por }),
    ...(isOneOf(PARTS, parte) && { parte }),
    ...(tabla === 'si' && { tabla }),
  };
}

/** Today in a time zone. */
export function todayIn(timezone: string, now: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(now);
}

export function plusDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, DAY_LENGTH);
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;

function isOneOf<Word extends string>(words: readonly Word[], value: unknown): value is Word {
  return words.includes(value as Word);
}
