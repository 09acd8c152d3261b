import type { Cell } from '../columns.ts';
import { rowXml, sheetBegins, sheetEnds } from '../workbook-xml.ts';
import { colsXml, lookOf } from './look.ts';

const ABOUT_WIDTHS = [38, 110];
/** In characters, and in points. */
const [LINE, LINE_HEIGHT] = [118, 15];

/** The sheet that says what the file holds. */
export function aboutXml(rows: readonly (readonly Cell[])[]): string {
  const look = lookOf([]);
  return (
    sheetBegins(colsXml(ABOUT_WIDTHS)) +
    rows.map((row) => rowXml(row, look, heightOf(row))).join('') +
    sheetEnds()
  );
}

/** Not every reader makes a row as high as its lines. */
function heightOf(row: readonly Cell[]): string {
  const longest = Math.max(
    0,
    ...row.map((cell) => (cell && 'text' in cell ? cell.text.length : 0)),
  );
  const lines = Math.ceil(longest / LINE);
  return lines > 1 ? ` ht="${lines * LINE_HEIGHT}" customHeight="1"` : '';
}
