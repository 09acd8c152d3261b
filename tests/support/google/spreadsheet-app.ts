import type { Execution } from './execution.ts';
import { COSTS } from './limits.ts';
import { type Screen, uiOf } from './ui.ts';
import {
  addTab,
  cellAt,
  entered,
  formatAt,
  lastRowOf,
  putIn,
  refuseMoreCells,
  type Tab,
  type Workbook,
} from './workbook.ts';

type Rows = readonly (readonly unknown[])[];

/** The part of SpreadsheetApp that the template uses; what it does not use is not there. */
export function spreadsheetApp(execution: Execution, workbook: Workbook, screen: Screen): object {
  const at = hold(execution, workbook);
  const { use, read } = at;
  const spreadsheet = {
    getSheets() {
      read();
      return workbook.tabs.map((tab) => sheetOf(at, tab));
    },
    getSheetByName(name: string) {
      read();
      const tab = workbook.tabs.find((each) => each.name === name);
      return tab ? sheetOf(at, tab) : null;
    },
    insertSheet(name: string) {
      read();
      return sheetOf(at, addTab(workbook, name));
    },
    toast(...said: unknown[]) {
      use();
      screen.shown.push(String(said[0]));
    },
  };

  return {
    getActive() {
      use(COSTS.call);
      return spreadsheet;
    },
    getUi: () => uiOf(execution, screen),
    flush() {
      use(COSTS.flush);
      at.settle();
    },
  };
}

/** The workbook during a run. */
interface Held {
  readonly workbook: Workbook;
  /** A call that only takes time. */
  use(milliseconds?: number): void;
  /** A call that answers with what is in the cells: all writes are made first. */
  read(): void;
  settle(): void;
}

function hold(execution: Execution, workbook: Workbook): Held {
  const use = (milliseconds: number = COSTS.sheet) => execution.use(milliseconds);
  const settle = () => {
    for (const write of workbook.pending.splice(0)) write();
  };
  return {
    workbook,
    use,
    settle,
    read() {
      use();
      settle();
    },
  };
}

function sheetOf(at: Held, tab: Tab): object {
  const { use, read, workbook } = at;
  return {
    getSheetId: () => tab.id,
    getName: () => tab.name,
    getMaxRows: () => tab.maxRows,
    getMaxColumns: () => tab.maxColumns,
    setFrozenRows(rows: number) {
      use();
      tab.frozenRows = rows;
    },
    getLastRow() {
      read();
      return lastRowOf(tab);
    },
    getRange(row: number, column: number, rows = 1, columns = 1) {
      use(COSTS.call);
      return rangeOf(at, tab, { row, column, rows, columns });
    },
    deleteColumns(from: number, count: number) {
      read();
      if (from < 1 || count < 1 || from + count - 1 > tab.maxColumns)
        throw new Error('Those columns are out of bounds.');
      tab.maxColumns -= count;
    },
    insertColumnsAfter(_after: number, count: number) {
      read();
      refuseMoreCells(workbook, count * tab.maxRows);
      tab.maxColumns += count;
    },
    insertRowsAfter(after: number, count: number) {
      read();
      if (after !== tab.maxRows) throw new Error('The emulation inserts rows at the end alone.');
      refuseMoreCells(workbook, count * tab.maxColumns);
      tab.maxRows += count;
    },
    sort(column: number, ascending: boolean) {
      read();
      sortTab(tab, column, ascending);
    },
  };
}

function rangeOf({ use, read, workbook }: Held, tab: Tab, place: Place): object {
  refuseOutside(tab, place);
  const { row, column, rows, columns } = place;
  const range = {
    getValues() {
      read();
      return Array.from({ length: rows }, (_, down) =>
        Array.from(
          { length: columns },
          (_, right) => cellAt(tab, row + down, column + right).value,
        ),
      );
    },
    setValues(values: Rows) {
      use();
      refuseOtherShape(values, place);
      const cells = values.map((line, down) =>
        line.map((value, right) => entered(value, pendingFormat(down, right))),
      );
      workbook.pending.push(() => putAll(tab.cells, place, cells));
      return range;
    },
    setNumberFormats(formats: Rows) {
      use();
      refuseOtherShape(formats, place);
      // What a text becomes follows from the format, which Google sets in order.
      putAll(tab.formats, place, formats as string[][]);
      return range;
    },
    setFontWeight() {
      use();
      return range;
    },
    clearContent() {
      use();
      const blank = Array.from({ length: rows }, () =>
        Array.from({ length: columns }, () => entered('', '')),
      );
      workbook.pending.push(() => putAll(tab.cells, place, blank));
      return range;
    },
  };
  const pendingFormat = (down: number, right: number) => formatAt(tab, row + down, column + right);
  return range;
}

interface Place {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

function refuseOutside(tab: Tab, { row, column, rows, columns }: Place): void {
  if (rows < 1) throw new Error('The number of rows in the range must be at least 1.');
  if (columns < 1) throw new Error('The number of columns in the range must be at least 1.');
  if (row < 1 || column < 1) throw new Error('The starting row of the range is too small.');
  if (row + rows - 1 > tab.maxRows || column + columns - 1 > tab.maxColumns)
    throw new Error('The coordinates of the range are outside the dimensions of the sheet.');
}

function refuseOtherShape(values: Rows, { rows, columns }: Place): void {
  if (!Array.isArray(values) || !values.every((line) => Array.isArray(line)))
    throw new Error(`The parameters (${typeof values}) don't match the method signature.`);
  if (values.length !== rows)
    throw new Error(
      `The number of rows in the data does not match the number of rows in the range. The data has ${values.length} but the range has ${rows}.`,
    );
  const other = values.find((line) => line.length !== columns);
  if (other)
    throw new Error(
      `The number of columns in the data does not match the number of columns in the range. The data has ${other.length} but the range has ${columns}.`,
    );
}

function putAll<Value>(
  grid: Map<number, Map<number, Value>>,
  { row, column }: Place,
  values: readonly (readonly Value[])[],
): void {
  values.forEach((line, down) => {
    line.forEach((value, right) => {
      putIn(grid, row + down, column + right, value);
    });
  });
}

function sortTab(tab: Tab, column: number, ascending: boolean): void {
  const from = tab.frozenRows + 1;
  const last = lastRowOf(tab);
  const rows: Map<number, Tab['cells'] extends Map<number, infer Row> ? Row : never> = new Map();
  for (let row = from; row <= last; row++) rows.set(row, tab.cells.get(row) ?? new Map());
  const value = (row: number) => cellAt(tab, row, column).value;
  const order = [...rows.keys()].toSorted((one, other) => {
    const less = value(one) < value(other) ? -1 : Number(value(one) > value(other));
    return ascending ? less : -less;
  });
  order.forEach((row, at) => {
    tab.cells.set(from + at, rows.get(row) ?? new Map());
  });
}
