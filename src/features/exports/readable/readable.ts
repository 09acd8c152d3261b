import type { ReadScope } from '../../../platform/db/database.ts';
import { parseLossless } from '../../../platform/json.ts';
import { listConnections } from '../../connections/index.ts';
import { IMPORT_ACCOUNT } from '../../orders/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import { type Cell, columnsOf } from '../columns.ts';
import { EXPORTS, type Export, type Exported } from '../exports.ts';
import type { ExportTerms } from '../terms.ts';
import { openCalendar } from './calendar.ts';
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

/** The account of orders that came from a file. */
const IMPORTED = 'Archivo importado';

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

/** Of the organisation as it was when its rows were. */
export async function openReader(scope: ReadScope): Promise<Reader> {
  const organization = await findOrganization(scope.handle, scope.organizationId);
  if (!organization) throw new Error(`no organisation ${scope.organizationId}`);
  const { name, timezone } = organization;
  const accounts = await listConnections(scope);
  const keyOf = (service: string, text: string) => `${service}\n${text}`;
  const names = new Map(accounts.map((one) => [keyOf(one.service, one.accountId), one.name]));
  const namesakes = Map.groupBy(accounts, (one) => keyOf(one.service, one.name));
  return {
    organization: name,
    timezone,
    accountName(service, id) {
      const known = names.get(keyOf(service, id));
      if (known === undefined) return id === IMPORT_ACCOUNT ? IMPORTED : id;
      const isOnly = namesakes.get(keyOf(service, known))?.length === 1;
      return isOnly ? known : `${known} (${id})`;
    },
    serialOf: openCalendar(timezone),
    dayOf: (instant) =>
      Temporal.Instant.from(instant)
        .toZonedDateTimeISO(timezone)
        .toLocaleString('es-MX', { day: '2-digit', month: '2-digit', year: 'numeric' }),
  };
}
