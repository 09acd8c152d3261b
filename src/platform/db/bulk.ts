import type { InsertType, SelectType } from 'kysely';
import type { Instant } from '../time.ts';
import { COLUMN_TYPES } from './column-types.ts';
import { type Statement, statement } from './query.ts';
import type { Schema } from './schema.ts';
import { byteArray } from './text-array.ts';

type Types = typeof COLUMN_TYPES;

const BYTES = 'bytea';

/** Columns of a table that hold one value; arrays of different lengths are no rows of `unnest`. */
export type ColumnOf<Table extends keyof Schema> = {
  [Name in keyof Schema[Table]]: Name extends keyof Types[Table]
    ? Types[Table][Name] extends `${string}[]`
      ? never
      : Name
    : never;
}[keyof Schema[Table]] &
  string;

/** What may be given for a column: as it is inserted, and for a time also the instant itself. */
type Value<Definition> =
  | Exclude<InsertType<Definition>, undefined>
  | (Instant extends SelectType<Definition> ? Instant : never);

/** Types of columns that are no table's. */
interface Others {
  readonly text: string | null;
  readonly uuid: string | null;
  readonly int4: number | null;
  readonly int8: number | null;
  readonly numeric: string | null;
  readonly bool: boolean | null;
  readonly timestamptz: Instant | string | null;
}

type OtherColumns = Readonly<Record<string, keyof Others>>;

type Given<Table extends keyof Schema, Name extends ColumnOf<Table>, More extends OtherColumns> = {
  readonly [Key in Name]: Value<Schema[Table][Key]>;
} & { readonly [Key in keyof More]: Others[More[Key]] };

/** A statement that takes many rows; others of its parameters are `$1` and on. */
export interface BulkStatement<GivenRow, Row> extends Statement<Row> {
  /** @returns the parameters: `others`, and one array for each column; one of bytes is encoded */
  values(others: readonly unknown[], rows: readonly GivenRow[]): unknown[];
}

/** The columns of rows that are given to statements. */
interface Bulk<GivenRow> {
  readonly columns: readonly string[];
  /** The same, separated by commas. */
  readonly names: string;
  /**
   * @param text gets `unnest($4::text[], …) as given (…)`, numbered behind the parameters that the
   * text names itself
   */
  statement<Row = object>(
    name: string,
    text: (given: string) => string,
  ): BulkStatement<GivenRow, Row>;
}

/** A row that its statements take. */
export type GivenBy<Described> = Described extends Bulk<infer GivenRow> ? GivenRow : never;

/**
 * Describes rows for statements that take many at once: one array for each column, so that one text
 * serves any number of rows. The text is built once.
 * @param columns of the table, with its types
 * @param more further columns, which the table does not have
 */
export function bulk<
  Table extends keyof Schema,
  const Name extends ColumnOf<Table>,
  More extends OtherColumns = Record<never, never>,
>(table: Table, columns: readonly Name[], more?: More): Bulk<Given<Table, Name, More>> {
  const known: Readonly<Record<string, string>> = COLUMN_TYPES[table];
  const types = { ...Object.fromEntries(columns.map((name) => [name, known[name]])), ...more };
  const names = Object.keys(types);
  return {
    columns: names,
    names: names.join(', '),
    statement(name, text) {
      const others = Math.max(0, ...[...text('').matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
      const arrays = Object.values(types).map((type, index) => `$${others + index + 1}::${type}[]`);
      const given = `unnest(${arrays.join(', ')}) as given (${names.join(', ')})`;
      return {
        ...statement(name, text(given)),
        values: (values, rows) => [
          ...values,
          ...Object.entries(types).map(([name, type]) => {
            const column = rows.map((row) => row[name as keyof typeof row] as unknown);
            return type === BYTES ? byteArray(column as (Buffer | null)[]) : column;
          }),
        ],
      };
    },
  };
}
