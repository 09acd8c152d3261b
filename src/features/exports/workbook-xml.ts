import type { Cell } from './columns.ts';
import { isLikeFormula } from './formula.ts';

// The parts of a workbook (ECMA-376), as short as Excel and LibreOffice read them.

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** How the sheets of a workbook look. */
export interface Look {
  /** All before the rows, and all after them. */
  readonly begins: string;
  /** Attributes of the first row. */
  readonly headRow: string;
  ends(rows: number): string;
  /** The number of a cell's style in `styles`; 0 = none. */
  styleOf(cell: NonNullable<Cell>, text: string | null): number;
  readonly styles: string;
  /** Names of the workbook for a sheet: its place from 0, its name. */
  namesOf(at: number, sheet: SheetSize): string;
}

export interface SheetSize {
  readonly name: string;
  readonly rows: number;
}

/** @param before what a sheet has before its rows */
export function sheetBegins(before = ''): string {
  return `${HEAD}<worksheet xmlns="${MAIN}">${before}<sheetData>`;
}

/** @param after what a sheet has after its rows */
export function sheetEnds(after = ''): string {
  return `</sheetData>${after}</worksheet>`;
}

/** Style 1 is text that stays text after an edit of its cell. */
const STAYS_TEXT = 1;

/** The first two fills of any workbook, which Excel keeps for itself. */
export const KEPT_FILLS =
  '<fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>';

/** Readers warn where a workbook does not name its usual style. */
export const NORMAL_STYLE =
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>';

/** A bare table, for programs. */
export const PLAIN: Look = {
  begins: sheetBegins(),
  headRow: '',
  ends: () => sheetEnds(),
  styleOf: (_cell, text) => (text !== null && isLikeFormula(text) ? STAYS_TEXT : 0),
  styles: stylesXml(
    `<fonts count="1"><font/></fonts><fills count="2">${KEPT_FILLS}</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="49" applyNumberFormat="1" quotePrefix="1"/></cellXfs>${NORMAL_STYLE}`,
  ),
  namesOf: () => '',
};

export function stylesXml(styles: string): string {
  return `${HEAD}<styleSheet xmlns="${MAIN}">${styles}</styleSheet>`;
}

export function workbookXml(names: readonly string[], defined: string): string {
  const sheets = names.map(
    (name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  );
  const known = defined === '' ? '' : `<definedNames>${defined}</definedNames>`;
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.join('')}</sheets>${known}</workbook>`;
}

export function contentTypesXml(sheets: number): string {
  const parts = numbered(
    sheets,
    (at) =>
      `<Override PartName="/xl/worksheets/sheet${at}.xml" ContentType="${TYPE}.worksheet+xml"/>`,
  );
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>${parts}</Types>`;
}

export const PACKAGE_RELATIONS = relationsXml(
  relation('rId1', 'officeDocument', 'xl/workbook.xml'),
);

export function workbookRelationsXml(sheets: number): string {
  const parts = numbered(sheets, (at) =>
    relation(`rId${at}`, 'worksheet', `worksheets/sheet${at}.xml`),
  );
  return relationsXml(parts + relation(`rId${sheets + 1}`, 'styles', 'styles.xml'));
}

/** What an Excel number holds; one with more digits would be rounded, and so is a text. */
const MOST_DIGITS = 15;
/** What an Excel cell holds. */
export const LONGEST_CELL = 32_767;
const CUT = '…';

/** How many of the cells are cut. */
export function cutIn(cells: readonly Cell[]): number {
  return cells.filter((cell) => cell && 'text' in cell && cell.text.length > LONGEST_CELL).length;
}

/** @param own attributes of the row */
export function rowXml(cells: readonly Cell[], look: Look, own = ''): string {
  return `<row${own}>${cells.map((cell) => cellXml(cell, look)).join('')}</row>`;
}

function cellXml(cell: Cell, look: Look): string {
  if (cell === null) return '<c/>';
  if ('number' in cell && digitsOf(cell.number) <= MOST_DIGITS)
    return `<c${styled(look.styleOf(cell, null))}><v>${cell.number}</v></c>`;
  const text = 'number' in cell ? cell.number : fitting(cell.text);
  const style = styled(look.styleOf(cell, text));
  return `<c t="inlineStr"${style}><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

function styled(style: number): string {
  return style === 0 ? '' : ` s="${style}"`;
}

function digitsOf(number: string): number {
  const [mantissa = ''] = number.split(/e/i);
  return mantissa.replace(/^[-0.]+|[-.]/g, '').length;
}

function fitting(text: string): string {
  if (text.length <= LONGEST_CELL) return text;
  return text.slice(0, LONGEST_CELL - CUT.length).toWellFormed() + CUT;
}

/** `_x000D_` is how a workbook writes a character that XML cannot; a text that looks so, too. */
export function escaped(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      NO_XML,
      (found) => `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const NO_XML = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g;

function relationsXml(relations: string): string {
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relations}</Relationships>`;
}

function relation(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
}

function numbered(count: number, of: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => of(at + 1)).join('');
}
