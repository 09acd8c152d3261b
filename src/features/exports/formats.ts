import type { z } from 'zod';
import type { ReadScope } from '../../platform/db/database.ts';
import { type Cell, cellsOf, columnsOf, nameOf } from './columns.ts';
import type { Exported } from './exports.ts';
import { isLikeFormula } from './formula.ts';
import { ABOUT, aboutRows } from './readable/about.ts';
import { aboutXml } from './readable/about-xml.ts';
import { lookOf } from './readable/look.ts';
import { openReader } from './readable/open-reader.ts';
import { readableCells, readableColumns } from './readable/readable.ts';
import type { ExportTerms } from './terms.ts';
import { TITLES } from './words.ts';
import { openWorkbook } from './workbook.ts';
import { cutIn } from './workbook-xml.ts';

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
  readonly what: Exported;
  readonly terms: ExportTerms;
  /** ISO 8601: the rows are as they were then. */
  readonly asOf: string;
  /** Of the moment of the rows. */
  readonly scope: ReadScope;
  /** False where rows follow those that are written already. */
  readonly isEmpty: boolean;
  write(bytes: string | Buffer): Promise<void>;
}

interface Format {
  /** Whether rows can be added to a file whose writer is gone. */
  readonly isResumable: boolean;
  /** How the names of its files end. */
  readonly extension: string;
  open(output: Output): Promise<RowWriter>;
}

/** Excel takes a table without a byte order mark for one of its own old character sets. */
const BYTE_ORDER_MARK = '\ufeff';
const END_OF_LINE = '\r\n';

export const FORMATS = {
  /** One JSON document a line, as the API gives it. */
  ndjson: {
    isResumable: true,
    extension: 'ndjson',
    open: (output) => lines(output, '', (json) => `${json}\n`),
  },
  /** RFC 4180, for spreadsheets. */
  csv: {
    isResumable: true,
    extension: 'csv',
    open(output) {
      const { columns, head } = tableOf(output);
      const first = BYTE_ORDER_MARK + lineOf(head);
      return lines(output, first, (json) => lineOf(cellsOf(columns, json)));
    },
  },
  /** A workbook of Excel with the names of the API, for programs. */
  xlsx: {
    isResumable: false,
    extension: 'xlsx',
    async open(output) {
      const { columns, head } = tableOf(output);
      const workbook = openWorkbook(output.what, head, output.write);
      return {
        ...workbook,
        addRows: (rows) => workbook.addRows(rows.map((json) => cellsOf(columns, json))),
      };
    },
  },
  /** A workbook for people: in Spanish, with dates and amounts that Excel adds up. */
  excel: {
    isResumable: false,
    extension: 'xlsx',
    open: openReadable,
  },
} satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;

/** What a file is called: «ordenes.xlsx» for people, `orders.csv` for programs. */
export function fileNameOf(what: Exported, days: readonly string[], format: FormatName): string {
  const title = TITLES[what].normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const name = format === 'excel' ? title.replaceAll(' ', '-') : what;
  return `${['tianguis', name, ...days].join('-')}.${FORMATS[format].extension}`;
}

async function openReadable({ what, terms, asOf, scope, write }: Output): Promise<RowWriter> {
  const columns = readableColumns(what, terms.view);
  const reader = await openReader(scope);
  const head = columns.map(({ title, isNumber }): Cell => {
    return { text: title, form: isNumber ? 'number head' : 'head' };
  });
  const workbook = openWorkbook(TITLES[what], head, write, { look: lookOf(columns) });
  let [count, cut] = [0, 0];
  return {
    ...workbook,
    addRows(rows) {
      const cells = rows.map((json) => readableCells(columns, reader, json));
      count += rows.length;
      for (const row of cells) cut += cutIn(row);
      return workbook.addRows(cells);
    },
    end() {
      const written = { rows: count, sheets: workbook.sheets(), cut };
      const about = aboutRows({ what, terms, asOf, ...written, columns, reader });
      return workbook.end([{ name: ABOUT, xml: aboutXml(about) }]);
    },
  };
}

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
