import { createHash } from 'node:crypto';
import { MIGRATIONS } from '../src/platform/db/migrations/index.ts';
import { COLUMN_NOTES, TABLE_NOTES } from './schema-notes.ts';

/** Writes `src/platform/db/schema.ts` and `column-types.ts` from the catalogue of a database. */

interface Column {
  readonly table: string;
  readonly name: string;
  /** Such as `text`, `timestamptz[]`. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
  /** The words of a check constraint that lists them; else empty. */
  readonly words: readonly string[];
}

interface Conversion {
  readonly alias: string;
  readonly note: string;
  readonly read: string;
  readonly written: string;
}

type Tables = ReadonlyMap<string, readonly Column[]>;

/** Of the driver. */
interface Client {
  query<Row extends object>(text: string): Promise<{ rows: Row[] }>;
}

const COLUMNS = `
  select c.relname as "table", a.attname as name, t.typname as type, not a.attnotnull as "isNullable",
         a.atthasdef or a.attidentity <> '' as "hasDefault", pg_get_constraintdef(k.oid) as rule
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    left join pg_constraint k
      on k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
     and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[%'
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
   order by c.relname collate "C", a.attnum`;

/** What each type is in TypeScript: as it is read, where that is also how it is written. */
const PLAIN: Readonly<Record<string, string>> = {
  text: 'string',
  uuid: 'string',
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  bytea: 'Buffer',
  'text[]': 'string[]',
};
/** Those that are read as another type than they are written as: an alias of both. */
const CONVERTED: Readonly<Record<string, Conversion>> = {
  timestamptz: {
    alias: 'Time',
    note: 'Read as an instant, written as ISO text.',
    read: 'Instant',
    written: 'string',
  },
  numeric: {
    alias: 'Numeric',
    note: 'Exact decimals travel as text.',
    read: 'Decimal',
    written: 'string',
  },
  date: {
    alias: 'Day',
    note: 'Read by a cast to text: the driver would make a `Date` of it.',
    read: 'never',
    written: 'string',
  },
  'timestamptz[]': {
    alias: 'Times',
    note: 'Never read as a whole: a statement takes its elements.',
    read: 'never',
    written: 'readonly string[]',
  },
};

const WIDTH = 100;
const GENERATED =
  '// Generated from the migrated database by `npm run schema`; not edited by hand.';

/** Changes with every migration. */
export function digestOfMigrations(): string {
  return createHash('sha256').update(JSON.stringify(MIGRATIONS)).digest('hex');
}

export async function readTables(client: Client): Promise<Tables> {
  const { rows } = await client.query<Omit<Column, 'words'> & { rule: string | null }>(COLUMNS);
  const columns = rows.map(({ rule, ...column }) => ({
    ...column,
    type: column.type.replace(/^_(.*)$/, '$1[]'),
    words: [...(rule ?? '').matchAll(/'([^']*)'/g)].map(([, word]) => word as string),
  }));
  return Map.groupBy(columns, ({ table }) => table);
}

/** The types of all rows, as TypeScript. */
export function schemaText(tables: Tables): string {
  refuseStrayNotes(tables);
  const rows = [...tables].map(([table, columns]) => tableText(table, columns)).join('');
  const aliases = Object.values(CONVERTED).flatMap(aliasesOf);
  const used = aliases.filter(({ name }) => rows.includes(`: ${name};`));
  return textOf([
    GENERATED,
    "import type { ColumnType, Generated, Selectable } from 'kysely';",
    "import type { Decimal } from '../money.ts';",
    "import type { Instant } from '../time.ts';",
    '',
    ...used.map(({ text }) => text),
    '',
    '/** The digest of the migrations that make these tables. */',
    `export const MIGRATIONS_DIGEST = '${digestOfMigrations()}';`,
    '',
    'export interface Schema {',
    `${rows}}`,
    '',
    '/** Rows as they are read. */',
    'export type Rows = { readonly [Table in keyof Schema]: Readonly<Selectable<Schema[Table]>> };',
    '',
    '/** Tables whose rows belong to one organisation. */',
    'export type OrganizationTable = {',
    '  [Table in keyof Schema]: Schema[Table] extends { organization_id: string } ? Table : never;',
    '}[keyof Schema];',
  ]);
}

/** The PostgreSQL types of all columns, as a constant. */
export function columnTypesText(tables: Tables): string {
  const table = ([name, columns]: [string, readonly Column[]]) =>
    `  ${name}: {\n${columns.map((column) => `    ${column.name}: '${column.type}',\n`).join('')}  },\n`;
  return textOf([
    GENERATED,
    '',
    'export const COLUMN_TYPES = {',
    `${[...tables].map(table).join('')}} as const;`,
  ]);
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

function tableText(table: string, columns: readonly Column[]): string {
  const notes = COLUMN_NOTES[table] ?? {};
  const lines = columns.map(
    (column) => `${comment(notes[column.name], '    ')}    ${column.name}: ${typeOf(column)};\n`,
  );
  return `${comment(TABLE_NOTES[table], '  ')}  ${table}: {\n${lines.join('')}  };\n`;
}

function typeOf({ table, name, type, isNullable, hasDefault, words }: Column): string {
  const converted = CONVERTED[type];
  if (converted) return `${converted.alias}${suffixOf({ isNullable, hasDefault })}`;
  const plain = words.length > 0 ? words.map((word) => `'${word}'`).join(' | ') : PLAIN[type];
  if (!plain) throw new Error(`${table}.${name}: no TypeScript type is known for ${type}`);
  const whole = isNullable ? `${plain} | null` : plain;
  return hasDefault ? `Generated<${whole}>` : whole;
}

function suffixOf({ isNullable, hasDefault }: Pick<Column, 'isNullable' | 'hasDefault'>): string {
  if (isNullable) return 'OrNull';
  return hasDefault ? 'OrDefault' : '';
}

/** The alias of a converted type and those of its nullable columns and of those with a default. */
function aliasesOf({ alias, note, read, written }: Conversion) {
  const orNull = (type: string) => (type === 'never' ? type : `${type} | null`);
  return [
    {
      name: alias,
      text: `/** ${note} */\ntype ${alias} = ColumnType<${read}, ${written}, ${written}>;`,
    },
    {
      name: `${alias}OrNull`,
      text: `type ${alias}OrNull = ColumnType<${orNull(read)}, ${written} | null, ${written} | null>;`,
    },
    {
      name: `${alias}OrDefault`,
      text: `type ${alias}OrDefault = ColumnType<${read}, ${written} | undefined, ${written}>;`,
    },
  ];
}

function comment(text: string | undefined, indent: string): string {
  if (!text) return '';
  const line = `${indent}/** ${text} */\n`;
  if (line.length <= WIDTH + 1) return line;
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (indent.length + ' *'.length + longer.length > WIDTH) lines.push(` ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return `${indent}/**\n${lines.map((one) => `${indent} *${one}\n`).join('')}${indent} */\n`;
}

function refuseStrayNotes(tables: Tables): void {
  const noted = Object.entries(COLUMN_NOTES).flatMap(([table, notes]) =>
    Object.keys(notes).map((column) => ({ table, column })),
  );
  const stray = noted.find(
    ({ table, column }) => !tables.get(table)?.some(({ name }) => name === column),
  );
  if (stray) throw new Error(`a note is about ${stray.table}.${stray.column}, which is not there`);
  const table = Object.keys(TABLE_NOTES).find((name) => !tables.has(name));
  if (table) throw new Error(`a note is about ${table}, which is not there`);
}
