import { parseLossless } from '../../../platform/json.ts';
import { type Cell, columnsOf } from '../columns.ts';
import { EXPORTS, type Export, type Exported } from '../exports.ts';
import type { ExportTerms } from '../terms.ts';
import type { ReadableColumn, Reader, Row } from './column.ts';
import {
  BALANCE_COLUMNS,
  FINDING_COLUMNS,
  SALES_COLUMNS,
  WITHHELD_COLUMNS,
  WITHHELD_LINE_COLUMNS,
} from './money-columns.ts';
import {
  GLOBAL_INVOICE_COLUMNS,
  ITEM_COLUMNS,
  ORDER_COLUMNS,
  UNINVOICED_COLUMNS,
} from './order-columns.ts';
import { PAYOUT_COLUMNS, PAYOUT_LINE_COLUMNS } from './payout-columns.ts';
import { SHIPMENT_COLUMNS } from './shipment-columns.ts';

/** What a person reads of each kind of rows. */
export const READABLE: Readonly<Record<Exported, readonly ReadableColumn[]>> = {
  orders: ORDER_COLUMNS,
  items: ITEM_COLUMNS,
  sales: SALES_COLUMNS,
  balances: BALANCE_COLUMNS,
  shipments: SHIPMENT_COLUMNS,
  payouts: PAYOUT_COLUMNS,
  payout_lines: PAYOUT_LINE_COLUMNS,
  findings: FINDING_COLUMNS,
  withheld: WITHHELD_COLUMNS,
  withheld_lines: WITHHELD_LINE_COLUMNS,
  uninvoiced: UNINVOICED_COLUMNS,
  global_invoice: GLOBAL_INVOICE_COLUMNS,
};

/** Those whose values this view's rows have. */
export function readableColumns(
  what: Exported,
  view: ExportTerms['view'],
): readonly ReadableColumn[] {
  const kind: Export = EXPORTS[what];
  const paths = columnsOf(kind.row(view));
  const isThere = (from: string) => {
    const names = from.split('.');
    return paths.some((path) => names.every((name, at) => path[at] === name));
  };
  return READABLE[what].filter(({ from }) => from.every(isThere));
}

/** The cells of a row, which is a JSON text. */
export function readableCells(
  columns: readonly ReadableColumn[],
  reader: Reader,
  json: string,
): Cell[] {
  const row = parseLossless(json) as Row;
  return columns.map(({ cell }) => cell(row, reader));
}
