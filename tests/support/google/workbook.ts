import { LONGEST_CELL, MOST_CELLS } from './limits.ts';

/** What a cell holds. A formula is kept as its text. */
export interface Cell {
  readonly kind: 'blank' | 'text' | 'number' | 'boolean' | 'date' | 'formula';
  readonly value: string | number | boolean;
}

export interface Tab {
  readonly id: number;
  name: string;
  maxRows: number;
  maxColumns: number;
  frozenRows: number;
  /** By row and column, from 1. */
  readonly cells: Map<number, Map<number, Cell>>;
  readonly formats: Map<number, Map<number, string>>;
}

export interface Workbook {
  readonly tabs: Tab[];
  /** Writes that Google has taken and not made yet. */
  pending: (() => void)[];
}

const NEW_ROWS = 1_000;
const NEW_COLUMNS = 26;
const BLANK: Cell = { kind: 'blank', value: '' };

let lastId = 0;

export function addTab(workbook: Workbook, name: string): Tab {
  if (workbook.tabs.some((tab) => tab.name === name))
    throw new Error(`A sheet with the name "${name}" already exists. Please enter another name.`);
  refuseMoreCells(workbook, NEW_ROWS * NEW_COLUMNS);
  const tab: Tab = {
    id: ++lastId,
    name,
    maxRows: NEW_ROWS,
    maxColumns: NEW_COLUMNS,
    frozenRows: 0,
    cells: new Map(),
    formats: new Map(),
  };
  workbook.tabs.push(tab);
  return tab;
}

export function refuseMoreCells(workbook: Workbook, more: number): void {
  const cells = workbook.tabs.reduce((sum, tab) => sum + tab.maxRows * tab.maxColumns, 0);
  if (cells + more > MOST_CELLS)
    throw new Error(
      'This action would increase the number of cells in the workbook above the limit of 10000000 cells.',
    );
}

export function cellAt(tab: Tab, row: number, column: number): Cell {
  return tab.cells.get(row)?.get(column) ?? BLANK;
}

export function formatAt(tab: Tab, row: number, column: number): string {
  return tab.formats.get(row)?.get(column) ?? '';
}

export function putIn<Value>(
  grid: Map<number, Map<number, Value>>,
  row: number,
  column: number,
  value: Value,
): void {
  const cells = grid.get(row) ?? new Map<number, Value>();
  grid.set(row, cells.set(column, value));
}

/** The last row with content. */
export function lastRowOf(tab: Tab): number {
  const rows = [...tab.cells].filter(([, row]) =>
    [...row.values()].some(({ kind }) => kind !== 'blank'),
  );
  return Math.max(0, ...rows.map(([row]) => row));
}

/**
 * What becomes of a value in a cell of that format: texts are read as if a person typed them. A
 * text with a leading `=` becomes a formula in a cell of plain text too; Google does not say that it
 * would not.
 */
export function entered(value: unknown, format: string): Cell {
  if (value === null || value === '') return BLANK;
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'number', value };
  if (typeof value !== 'string')
    throw new Error(`Cannot convert ${String(value)} to a value of a cell.`);
  if (value.length > LONGEST_CELL)
    throw new Error(
      'Your input contains more than the maximum of 50000 characters in a single cell.',
    );
  if (value.startsWith("'")) return { kind: 'text', value: value.slice(1) };
  if (value.startsWith('=')) return { kind: 'formula', value };
  if (format === '@') return { kind: 'text', value };
  return guessed(value);
}

function guessed(text: string): Cell {
  const plain = text.trim().replaceAll(',', '');
  if (plain !== '' && Number.isFinite(Number(plain)))
    return { kind: 'number', value: Number(plain) };
  if (/^[+-]/.test(plain)) return { kind: 'formula', value: text };
  if (/^\d{1,4}[-/]\d{1,2}([-/]\d{1,4})?([ T]|$)/.test(plain)) return { kind: 'date', value: text };
  if (/^(true|false|verdadero|falso)$/i.test(plain)) return { kind: 'boolean', value: text };
  return { kind: 'text', value: text };
}
