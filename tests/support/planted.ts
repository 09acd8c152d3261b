/** Rows that no code of ours wrote, in every table that has rows of organisations. */
import { atDatabase } from './server.ts';

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

const COLUMNS = `
  select c.table_name as table, c.column_name as name, c.udt_name as type
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
   where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
     and c.is_identity = 'NO'
     and c.table_name in (select table_name from information_schema.columns
                           where table_schema = 'public' and column_name = 'organization_id')
   order by c.table_name, c.ordinal_position`;

/** Values by type; a text says the marker. */
const VALUES: Readonly<Record<string, (marker: string) => string>> = {
  uuid: () => 'gen_random_uuid()',
  text: (marker) => `'${marker} ' || number`,
  bytea: (marker) => `convert_to('${marker}', 'UTF8')`,
  jsonb: (marker) => `jsonb_build_object('marker', '${marker}')`,
  _text: (marker) => `array['${marker}']`,
  _timestamptz: () => 'array[now()]',
  timestamptz: () => "now() + number * interval '1 microsecond'",
  date: () => 'current_date',
  bool: () => 'false',
};

/** Columns of type text that an index reads as JSON. */
const JSON_TEXTS = new Set(['events.data']);

/** Tables that say what was erased. */
export const PROOFS = ['erasures', 'erased_rows', 'removals'];

/**
 * Plants so many rows in each table of a database whose checks and foreign keys are dropped.
 * @returns the tables
 */
export async function plant(
  database: string,
  organizationId: string,
  marker: string,
  { count = 3 }: { count?: number } = {},
): Promise<string[]> {
  return atDatabase(database, async (client) => {
    await client.query("set session_replication_role = 'replica'");
    const { rows } = await client.query<Column>(COLUMNS);
    const tables = [...new Set(rows.map(({ table }) => table))].filter(
      (table) => !PROOFS.includes(table),
    );
    for (const table of tables) {
      await dropChecks(client, table);
      const columns = rows.filter((column) => column.table === table);
      const values = columns.map(({ name, type }) =>
        name === 'organization_id'
          ? `'${organizationId}'::uuid`
          : ((JSON_TEXTS.has(`${table}.${name}`) ? VALUES.jsonb : VALUES[type])?.(marker) ??
            'number'),
      );
      await client.query(
        `insert into ${table} (${columns.map(({ name }) => `"${name}"`).join(', ')})
         select ${values.join(', ')} from generate_series(1, $1::int) number
         on conflict do nothing`,
        [count],
      );
    }
    return tables;
  });
}

async function dropChecks(client: { query(text: string): Promise<unknown> }, table: string) {
  await client.query(
    `do $$ declare one record; begin
       for one in select conname from pg_constraint
         where conrelid = '${table}'::regclass and contype = 'c' loop
         execute format('alter table ${table} drop constraint %I', one.conname);
       end loop;
     end $$`,
  );
}
