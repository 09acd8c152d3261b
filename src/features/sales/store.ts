import {
  type Handle,
  type ReadScope,
  together,
  type WriteScope,
} from '../../platform/db/database.ts';
import { type Statement, statement } from '../../platform/db/query.ts';
import { add, decimal } from '../../platform/money.ts';
import type { Place, Sums } from './sums.ts';

/** One table of sums: the columns of its key, its sums and its descriptions. */
interface SumTable {
  readonly name: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly sums: Readonly<Record<string, string>>;
  readonly describes: Readonly<Record<string, string>>;
}

const PLACE: SumTable['keys'] = {
  day: 'date',
  marketplace: 'text',
  account_id: 'text',
  storefront: 'text',
  currency: 'text',
};
const DAYS: SumTable = {
  name: 'sales_days',
  keys: { ...PLACE, status: 'text' },
  sums: {
    orders: 'bigint',
    orders_without_total: 'bigint',
    units: 'bigint',
    gross: 'numeric',
    refunds: 'numeric',
    undated_refunds: 'numeric',
  },
  describes: {},
};
const PRODUCTS: SumTable = {
  name: 'sales_products',
  keys: { ...PLACE, product: 'text' },
  sums: { orders: 'bigint', units: 'bigint', gross: 'numeric' },
  describes: { title: 'text' },
};
const REFUNDS: SumTable = {
  name: 'sales_refunds',
  keys: PLACE,
  sums: { refunds: 'bigint', amount: 'numeric' },
  describes: {},
};

/** A row of any of the tables, ready to be written. */
type Row = Readonly<Record<string, string | number>>;

interface Statements {
  readonly move: Statement<object>;
  readonly all: Statement<Row>;
  readonly clear: Statement<object>;
}

const STATEMENTS = new Map([DAYS, PRODUCTS, REFUNDS].map((table) => [table, statementsFor(table)]));

/** Adds sums to those stored: one statement a table. Rows without a change are not written. */
export async function move(scope: WriteScope, sums: Sums): Promise<void> {
  const moves = rowsOf(sums).filter(([, rows]) => rows.length > 0);
  await together(
    moves.map(([table, rows]) => {
      const { keys, sums: amounts, describes } = table;
      const columns = [...Object.keys(keys), ...Object.keys(amounts), ...Object.keys(describes)];
      return scope.prepared(
        statementsOf(table).move,
        columns.map((column) => rows.map((row) => row[column])),
      );
    }),
  );
}

/** Replaces the stored sums by these. @returns how many rows differed, or were missing */
export async function replace(scope: WriteScope, sums: Sums): Promise<number> {
  let differing = 0;
  for (const [table, rows] of rowsOf(sums)) {
    const stored = await scope.prepared(statementsOf(table).all, []);
    differing += differencesOf(table, stored, rows);
    await scope.prepared(statementsOf(table).clear, []);
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

const WAITING = statement<{ organization_id: string }>(
  'sales.waiting',
  'select organization_id from sales_recounts order by organization_id',
);

export async function waiting(handle: Handle): Promise<string[]> {
  return (await handle.raw(WAITING, [])).map((row) => row.organization_id);
}

function rowsOf({ days, products, refunds }: Sums): [SumTable, Row[]][] {
  const rows: [SumTable, Row[]][] = [
    [
      DAYS,
      [...days.values()].map((sum) => ({
        ...placeOf(sum),
        status: sum.status,
        orders: sum.orders,
        orders_without_total: sum.ordersWithoutTotal,
        units: sum.units,
        gross: sum.gross,
        refunds: sum.refunds,
        undated_refunds: sum.undatedRefunds,
      })),
    ],
    [
      PRODUCTS,
      [...products.values()].map(({ product, title, orders, units, gross, ...place }) => ({
        ...placeOf(place),
        product,
        title,
        orders,
        units,
        gross,
      })),
    ],
    [
      REFUNDS,
      [...refunds.values()].map((sum) => ({
        ...placeOf(sum),
        refunds: sum.refunds,
        amount: sum.amount,
      })),
    ],
  ];
  return rows.map(([table, all]) => [table, all.filter((row) => saysSomething(table, row))]);
}

function placeOf({ day, marketplace, accountId, storefront, currency }: Place) {
  return { day, marketplace, account_id: accountId, storefront, currency };
}

function saysSomething({ sums }: SumTable, row: Row): boolean {
  return Object.keys(sums).some((column) => Number(row[column]) !== 0);
}

function differencesOf(table: SumTable, stored: readonly Row[], wanted: readonly Row[]): number {
  const valuesOf = (row: Row) =>
    Object.keys(table.sums)
      .map((column) => add(decimal(String(row[column]))))
      .join('\n');
  const keyOf = (row: Row) =>
    Object.keys(table.keys)
      .map((column) => row[column])
      .join('\n');
  const [before, after] = [stored, wanted].map(
    (rows) => new Map(rows.map((row) => [keyOf(row), valuesOf(row)])),
  ) as [Map<string, string>, Map<string, string>];
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key)).length;
}

function statementsOf(table: SumTable): Statements {
  return STATEMENTS.get(table) as Statements;
}

function statementsFor({ name, keys, sums, describes }: SumTable): Statements {
  const types = { ...keys, ...sums, ...describes };
  const columns = Object.keys(types).join(', ');
  const arrays = Object.values(types).map((type, index) => `$${index + 2}::${type}[]`);
  const moves = [
    ...Object.keys(sums).map((column) => `${column} = known.${column} + excluded.${column}`),
    ...Object.keys(describes).map((column) => `${column} = excluded.${column}`),
  ];
  const read = Object.keys({ ...keys, ...sums }).map((column) =>
    column === 'day' ? 'day::text as day' : column,
  );
  const something = Object.keys(sums).map((column) => `${column} <> 0`);
  return {
    move: statement(
      `${name}.move`,
      `insert into ${name} as known (organization_id, ${columns}) select $1, * from unnest(${arrays.join(', ')})
       on conflict (organization_id, ${Object.keys(keys).join(', ')}) do update set ${moves.join(', ')}`,
    ),
    all: statement(
      `${name}.all`,
      `select ${read.join(', ')} from ${name} where organization_id = $1 and (${something.join(' or ')})`,
    ),
    clear: statement(`${name}.clear`, `delete from ${name} where organization_id = $1`),
  };
}
