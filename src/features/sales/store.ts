import { type BulkStatement, bulk, type ColumnOf } from '../../platform/db/bulk.ts';
import {
  type Handle,
  type ReadScope,
  together,
  type WriteScope,
} from '../../platform/db/database.ts';
import { type Statement, search, statement } from '../../platform/db/query.ts';
import { add, decimal } from '../../platform/money.ts';
import type { SumKey, Sums } from './sums.ts';

type TableName = 'sales_days' | 'sales_products' | 'sales_refunds';

/** The columns of a table of sums: its key, its sums and its descriptions. */
interface SumColumns<Column extends string = string> {
  readonly keys: readonly Column[];
  readonly sums: readonly Column[];
  readonly describes?: readonly Column[];
}

const PLACE = ['day', 'marketplace', 'account_id', 'storefront', 'currency'] as const;
export const DAYS = sumTable(
  'sales_days',
  {
    keys: [...PLACE, 'status'],
    sums: ['orders', 'orders_without_total', 'units', 'gross', 'refunds', 'undated_refunds'],
  },
  ({ days }) =>
    [...days.values()].map((sum) => ({
      ...keyColumnsOf(sum),
      status: sum.status,
      orders: sum.orders,
      orders_without_total: sum.ordersWithoutTotal,
      units: sum.units,
      gross: sum.gross,
      refunds: sum.refunds,
      undated_refunds: sum.undatedRefunds,
    })),
);
export const PRODUCTS = sumTable(
  'sales_products',
  { keys: [...PLACE, 'product'], sums: ['orders', 'units', 'gross'], describes: ['title'] },
  ({ products }) =>
    [...products.values()].map(({ product, title, orders, units, gross, ...key }) => ({
      ...keyColumnsOf(key),
      product,
      title,
      orders,
      units,
      gross,
    })),
);
const REFUNDS = sumTable(
  'sales_refunds',
  { keys: PLACE, sums: ['refunds', 'amount'] },
  ({ refunds }) =>
    [...refunds.values()].map((sum) => ({
      ...keyColumnsOf(sum),
      refunds: sum.refunds,
      amount: sum.amount,
    })),
);
const TABLES: readonly SumTable[] = [DAYS, PRODUCTS, REFUNDS];

/** A row of any of the tables, ready to be written. */
export type Row = Readonly<Record<string, string | number>>;

interface SumTable {
  readonly keys: readonly string[];
  readonly sums: readonly string[];
  /** Those that say something: a sum of theirs is not 0. */
  rowsOf(sums: Sums): Row[];
  readonly move: BulkStatement<Row, object>;
  readonly all: Statement<Row>;
  readonly clear: Statement<object>;
}

/** Adds sums to those stored: one statement a table. Rows without a change are not written. */
export async function move(scope: WriteScope, sums: Sums): Promise<void> {
  const moves = TABLES.map(({ move, rowsOf }) => ({ move, rows: rowsOf(sums) }));
  await together(
    moves
      .filter(({ rows }) => rows.length > 0)
      .map(({ move, rows }) => scope.prepared(move, move.values([], rows))),
  );
}

/** Replaces the stored sums by these. @returns how many rows differed, or were missing */
export async function replace(scope: WriteScope, sums: Sums): Promise<number> {
  let differing = 0;
  for (const table of TABLES) {
    const stored = await scope.prepared(table.all, []);
    differing += differencesOf(table, stored, table.rowsOf(sums));
    await scope.prepared(table.clear, []);
  }
  await move(scope, sums);
  return differing;
}

export async function waitsForRecount(scope: ReadScope): Promise<boolean> {
  return (
    (await scope.first(scope.select('sales_recounts').select('organization_id'))) !== undefined
  );
}

export async function endRecount(scope: WriteScope): Promise<void> {
  await scope.rows(scope.remove('sales_recounts'));
}

const WAITING = search<{ organization_id: string }>(
  'sales.waiting',
  () => 'select organization_id from sales_recounts order by organization_id',
);

export async function waiting(handle: Handle): Promise<string[]> {
  return (await handle.search(WAITING, [])).map((row) => row.organization_id);
}

function keyColumnsOf({ day, marketplace, accountId, storefront, currency }: SumKey) {
  return { day, marketplace, account_id: accountId, storefront, currency };
}

function differencesOf(table: SumTable, stored: readonly Row[], wanted: readonly Row[]): number {
  const valuesOf = (row: Row) =>
    table.sums.map((column) => add(decimal(String(row[column])))).join('\n');
  const keyOf = (row: Row) => table.keys.map((column) => row[column]).join('\n');
  const [before, after] = [stored, wanted].map(
    (rows) => new Map(rows.map((row) => [keyOf(row), valuesOf(row)])),
  ) as [Map<string, string>, Map<string, string>];
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key)).length;
}

function sumTable<Table extends TableName>(
  name: Table,
  { keys, sums, describes = [] }: SumColumns<ColumnOf<Table>>,
  rowsIn: (sums: Sums) => Row[],
) {
  const rows = bulk(name, [...keys, ...sums, ...describes]);
  const moves = [
    ...sums.map((column) => `${column} = known.${column} + excluded.${column}`),
    ...describes.map((column) => `${column} = excluded.${column}`),
  ];
  const read = [...keys, ...sums].map((column) => (column === 'day' ? 'day::text as day' : column));
  const something = sums.map((column) => `${column} <> 0`);
  return {
    keys,
    sums,
    rows,
    rowsOf: (given: Sums) =>
      rowsIn(given).filter((row) => sums.some((column) => Number(row[column]) !== 0)),
    move: rows.statement(
      `${name}.move`,
      (
        given,
      ) => `insert into ${name} as known (organization_id, ${rows.names}) select $1, * from ${given}
       on conflict (organization_id, ${keys.join(', ')}) do update set ${moves.join(', ')}`,
    ),
    all: statement<Row>(
      `${name}.all`,
      `select ${read.join(', ')} from ${name} where organization_id = $1 and (${something.join(' or ')})`,
    ),
    clear: statement<object>(`${name}.clear`, `delete from ${name} where organization_id = $1`),
  };
}
