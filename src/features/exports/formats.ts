import type { z } from 'zod';
import { type Cell, cellsOf, columnsOf, nameOf } from './columns.ts';

/** How rows become text: what stands before the first one, and each row with its end. */
interface Encoding {
  readonly head: string;
  row(json: string): string;
}

/** Excel takes a table without a byte order mark for one of its own old character sets. */
const BYTE_ORDER_MARK = '\ufeff';
const END_OF_LINE = '\r\n';

export const FORMATS = {
  /** One JSON document a line, as the API gives it. */
  ndjson: (): Encoding => ({ head: '', row: (json) => `${json}\n` }),
  /** RFC 4180, for spreadsheets. */
  csv: (row: z.ZodType): Encoding => {
    const columns = columnsOf(row);
    const names = columns.map((column) => ({ text: nameOf(column) }));
    return {
      head: BYTE_ORDER_MARK + lineOf(names),
      row: (json) => lineOf(cellsOf(columns, json)),
    };
  },
} satisfies Record<string, (row: z.ZodType) => Encoding>;

export type FormatName = keyof typeof FORMATS;

function lineOf(cells: readonly Cell[]): string {
  return cells.map(written).join(',') + END_OF_LINE;
}

function written(cell: Cell): string {
  if (cell === null) return '';
  if ('number' in cell) return cell.number;
  const harmless = withoutFormula(cell.text);
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * A text that a spreadsheet would reckon as a formula gets an apostrophe, which it shows as the
 * text's beginning. The wide signs are read as the narrow ones where Asian writing is set.
 */
function withoutFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;
