import { isRawNumber, type RawNumber } from '../../../platform/json.ts';
import { dayAlone } from '../../../words/days.ts';
import { type Cell, type Column, valueAt } from '../columns.ts';

/** What a file for people has to know of the organisation. */
export interface Reader {
  readonly organization: string;
  readonly timezone: string;
  /** The name of a connected account, or its identifier. */
  accountName(service: string, id: string): string;
  /** The day of an instant there, «20/11/2026». */
  dayOf(instant: string): string;
  /** An instant as Excel counts days, in the organisation's time zone. */
  serialOf(instant: string): string;
}

/** A row as the entrances show it; numbers are their own texts. */
export type Row = Readonly<Record<string, unknown>>;

/** A column that a person reads. */
export interface ReadableColumn {
  readonly title: string;
  /** One sentence that says what its values are. */
  readonly means: string;
  /** The values of a row that it shows: it is left out where the reader's rows lack one. */
  readonly from: readonly string[];
  /** In characters. */
  readonly width: number;
  readonly isNumber: boolean;
  cell(row: Row, reader: Reader): Cell;
}

const WIDTHS = { brief: 11, short: 15, moment: 17, name: 20, long: 40, longest: 62 } as const;
type Width = keyof typeof WIDTHS;
/** A title has two lines, with the button of the filter beside them. */
const BESIDE_TITLE = 6;

type About = readonly [title: string, from: string, means: string];

/** Text as it is, such as an identifier or a name. */
export function text(...[title, from, means]: About): ReadableColumn {
  return shown([title, [from], means], (row) => textIn(row, from));
}

export function longText(...[title, from, means]: About): ReadableColumn {
  return shown([title, [from], means], (row) => textIn(row, from), 'long');
}

/** The currency of the amounts beside it. */
export function currency(...[title, from, means]: About): ReadableColumn {
  return shown([title, [from], means], (row) => textIn(row, from), 'brief');
}

/** Money, which can be added up. */
export function amount(...about: About): ReadableColumn {
  return number(about, 'amount');
}

/** Units, orders and what else is counted. */
export function count(...about: About): ReadableColumn {
  return number(about, 'count');
}

/** Of anything else, such as a weight. */
export function measure(...about: About): ReadableColumn {
  return number(about, undefined);
}

export function moment(...[title, from, means]: About): ReadableColumn {
  const at = pathOf(from);
  return column([title, [from], means], 'moment', (row, reader) => {
    const value = valueAt(row, at);
    return typeof value === 'string' ? { number: reader.serialOf(value), form: 'moment' } : null;
  });
}

/** A moment, or the day of one that was told without a time. */
export function told(...[title, from, means]: About): ReadableColumn {
  const at = pathOf(from);
  return column([title, [from], means], 'moment', (row, reader) => {
    const value = valueAt(row, at);
    if (typeof value !== 'string') return null;
    const alone = dayAlone(value);
    return alone === null
      ? { number: reader.serialOf(value), form: 'moment' }
      : { number: dayNumber(alone), form: 'day' };
  });
}

/** A day of the calendar, `2026-11-20`. */
export function day(...[title, from, means]: About): ReadableColumn {
  const at = pathOf(from);
  return column([title, [from], means], 'short', (row) => {
    const value = valueAt(row, at);
    return typeof value === 'string' ? { number: dayNumber(value), form: 'day' } : null;
  });
}

/** A code, as people call it. One without a word is shown as it came. */
export function coded(
  about: About,
  words: Readonly<Record<string, string>>,
  width: Width = 'name',
): ReadableColumn {
  const [title, from, means] = about;
  const wordOf = (code: string) => (Object.hasOwn(words, code) ? words[code] : code);
  return shown([title, [from], means], (row) => wordOf(textIn(row, from) ?? '') ?? null, width);
}

/** Yes or no; empty where it is not known. */
export function flag(about: About, words: readonly [yes: string, no: string] = ['Sí', 'No']) {
  const [title, from, means] = about;
  const at = pathOf(from);
  return shown([title, [from], means], (row) => {
    const value = valueAt(row, at);
    return typeof value === 'boolean' ? words[value ? 0 : 1] : null;
  });
}

/** A text made of several values. */
export function shown(
  about: readonly [title: string, from: readonly string[], means: string],
  textOf: (row: Row, reader: Reader) => string | null,
  width: Width = 'name',
): ReadableColumn {
  return column(about, width, (row, reader) => {
    const made = textOf(row, reader);
    return made === null || made === '' ? null : { text: made };
  });
}

/** A number made of several values. */
export function counted(
  about: readonly [title: string, from: readonly string[], means: string],
  countOf: (row: Row) => number | null,
): ReadableColumn {
  return column(
    about,
    'short',
    (row) => {
      const made = countOf(row);
      return made === null ? null : { number: String(made), form: 'count' };
    },
    true,
  );
}

export function textIn(row: Row, from: string): string | null {
  const value = valueAt(row, pathOf(from));
  return typeof value === 'string' ? value : null;
}

/** The documents of a list. */
export function listIn<Inner = Row>(row: Row, name: string): readonly Inner[] {
  return (row[name] ?? []) as readonly Inner[];
}

export function digitsIn(value: unknown): string | null {
  return isRawNumber(value) ? (value as RawNumber).rawJSON : null;
}

/** The day on which Excel counts 1 is 1900-01-01, and it has a day in that year that was none. */
const DAY_ZERO = Temporal.PlainDate.from('1899-12-30');

function dayNumber(written: string): string {
  return String(DAY_ZERO.until(Temporal.PlainDate.from(written), { largestUnit: 'day' }).days);
}

function number([title, from, means]: About, form: 'amount' | 'count' | undefined): ReadableColumn {
  const at = pathOf(from);
  return column(
    [title, [from], means],
    'short',
    (row) => {
      const digits = digitsIn(valueAt(row, at));
      return digits === null ? null : { number: digits, ...(form && { form }) };
    },
    true,
  );
}

function column(
  [title, from, means]: readonly [string, readonly string[], string],
  width: Width,
  cell: ReadableColumn['cell'],
  isNumber = false,
): ReadableColumn {
  return {
    title,
    from,
    means,
    width: Math.max(WIDTHS[width], lineOf(title) + BESIDE_TITLE),
    isNumber,
    cell,
  };
}

/** The longer line of a title in two lines, where it is shortest. */
function lineOf(title: string): number {
  const words = title.split(' ');
  const lines = words.map((_, at) =>
    Math.max(words.slice(0, at + 1).join(' ').length, words.slice(at + 1).join(' ').length),
  );
  return Math.min(...lines);
}

const paths = new Map<string, Column>();

function pathOf(from: string): Column {
  const known = paths.get(from);
  if (known) return known;
  const made = from.split('.');
  paths.set(from, made);
  return made;
}
