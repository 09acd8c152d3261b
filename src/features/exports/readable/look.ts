import { escaped, type Look, sheetBegins, sheetEnds } from '../workbook-xml.ts';
import type { ReadableColumn } from './column.ts';
import { STYLES, styleOf } from './styles.ts';

/** Two lines of text, in points. */
const HEAD_HEIGHT = 33;

/** A table for people: its first row stays in view and has the filters. */
export function lookOf(columns: readonly Pick<ReadableColumn, 'width'>[]): Look {
  const last = letterOf(columns.length - 1);
  const all = (rows: number) => `A1:${last}${rows}`;
  return {
    styles: STYLES,
    styleOf,
    headRow: ` ht="${HEAD_HEIGHT}" customHeight="1"`,
    begins: sheetBegins(
      `<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${colsXml(columns.map(({ width }) => width))}`,
    ),
    // Identifiers of digits are texts on purpose, which Excel would mark in each cell.
    ends: (rows) =>
      sheetEnds(
        `<autoFilter ref="${all(rows)}"/><pageSetup orientation="landscape"/><ignoredErrors><ignoredError sqref="${all(rows)}" numberStoredAsText="1"/></ignoredErrors>`,
      ),
    // Excel finds the filter by its name, and prints the first row on each page.
    namesOf(at, { name, rows }) {
      const sheet = escaped(`'${name.replaceAll("'", "''")}'`);
      const filtered = `${sheet}!$A$1:$${last}$${rows}`;
      return `<definedName name="_xlnm._FilterDatabase" localSheetId="${at}" hidden="1">${filtered}</definedName><definedName name="_xlnm.Print_Titles" localSheetId="${at}">${sheet}!$1:$1</definedName>`;
    },
  };
}

export function colsXml(widths: readonly number[]): string {
  const cols = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  );
  return `<cols>${cols.join('')}</cols>`;
}

const LETTERS = 26;

/** The name of a column: A to Z, then AA. */
function letterOf(at: number): string {
  const letter = String.fromCharCode(65 + (at % LETTERS));
  return at < LETTERS ? letter : letterOf(Math.floor(at / LETTERS) - 1) + letter;
}
