import { z } from 'zod';
import { isRawNumber, parseLossless } from '../../platform/json.ts';

/** A column of a table: the names that lead to its value in a row. */
export type Column = readonly string[];

/** How a workbook for people shows a cell. Moments and days are numbers, as Excel counts days. */
export type Form =
  | 'amount'
  | 'count'
  | 'moment'
  | 'day'
  | 'head'
  | 'number head'
  | 'text'
  | 'wrapped';

/** The value of one cell; null = empty. */
export type Cell =
  | { readonly number: string; readonly form?: Form }
  | { readonly text: string; readonly form?: Form }
  | null;

/** One column for each value of a row; a document within it is its values, a list is one column. */
export function columnsOf(row: z.ZodType): Column[] {
  return pathsOf(row, []);
}

export function nameOf(column: Column): string {
  return column.join('.');
}

/** The cells of a row, which is a JSON text. Numbers keep the digits that they were written with. */
export function cellsOf(columns: readonly Column[], json: string): Cell[] {
  const row = parseLossless(json);
  return columns.map((column) => cellOf(valueAt(row, column)));
}

function pathsOf(type: z.ZodType, path: Column): Column[] {
  const bare = type instanceof z.ZodUnion ? type.options.find(isSomething) : type;
  if (!(bare instanceof z.ZodObject)) return [path];
  return Object.entries(bare.shape as Record<string, z.ZodType>).flatMap(([name, inner]) =>
    pathsOf(inner, [...path, name]),
  );
}

function isSomething(option: unknown): boolean {
  return !(option instanceof z.ZodNull);
}

/** Of a row that was read from JSON; undefined = it has no such value. */
export function valueAt(row: unknown, column: Column): unknown {
  let value = row;
  for (const name of column) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value;
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (isRawNumber(value)) return { number: value.rawJSON };
  if (typeof value === 'string') return { text: value };
  return { text: JSON.stringify(value) };
}
