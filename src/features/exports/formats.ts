import type { z } from 'zod';
import { type Cell, cellsOf, columnsOf, nameOf } from './columns.ts';
import { isLikeFormula } from './formula.ts';
import { openWorkbook } from './workbook.ts';

/** Writes rows, which are JSON texts, to a file. */
interface RowWriter {
  addRows(rows: readonly string[]): Promise<unknown>;
  end(): Promise<void>;
  /** Frees what it holds where its end is not written. */
  abandon(): void;
}

interface Output {
  /** What a row is. */
  readonly row: z.ZodType;
  readonly name: string;
  /** False where rows follow those that are written already. */
  readonly isEmpty: boolean;
  write(bytes: string | Buffer): Promise<void>;
}

interface Format {
  /** Whether rows can be added to a file whose writer is gone. */
  readonly isResumable: boolean;
  open(output: Output): Promise<RowWriter>;
}

/** Excel takes a table without a byte order mark for one of its own old character sets. */
const BYTE_ORDER_MARK = '\ufeff';
const END_OF_LINE = '\r\n';

export const FORMATS = {
  /** One JSON document a line, as the API gives it. */
  ndjson: {
    isResumable: true,
    open: (output) => lines(output, '', (json) => `${json}\n`),
  },
  /** RFC 4180, for spreadsheets. */
  csv: {
    isResumable: true,
    open(output) {
      const { columns, head } = tableOf(output);
      const first = BYTE_ORDER_MARK + lineOf(head);
      return lines(output, first, (json) => lineOf(cellsOf(columns, json)));
    },
  },
  /** A workbook of Excel. */
  xlsx: {
    isResumable: false,
    async open(output) {
      const { columns, head } = tableOf(output);
      const workbook = openWorkbook(output.name, head, output.write);
      return {
        ...workbook,
        addRows: (rows) => workbook.addRows(rows.map((json) => cellsOf(columns, json))),
      };
    },
  },
} satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;

async function lines(
  { isEmpty, write }: Output,
  first: string,
  lineOf: (json: string) => string,
): Promise<RowWriter> {
  if (isEmpty) await write(first);
  return {
    addRows: (rows) => write(rows.map(lineOf).join('')),
    async end() {},
    abandon() {},
  };
}

function tableOf({ row }: Output) {
  const columns = columnsOf(row);
  return { columns, head: columns.map((column): Cell => ({ text: nameOf(column) })) };
}

function lineOf(cells: readonly Cell[]): string {
  return cells.map(written).join(',') + END_OF_LINE;
}

/** Quoted, an identifier of digits is a text for the spreadsheets that can be asked to mind quotes. */
const QUOTED = /[",\r\n]|^\s*[\d.]+\s*$/;

/** A text like a formula gets an apostrophe, which a spreadsheet shows as the text's beginning. */
function written(cell: Cell): string {
  if (cell === null) return '';
  if ('number' in cell) return cell.number;
  const text = isLikeFormula(cell.text) ? `'${cell.text}` : cell.text;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
