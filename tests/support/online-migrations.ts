import type pg from 'pg';
import type { Migration } from '../../src/platform/db/migrations/index.ts';

/**
 * What a migration does that other processes would notice: those that read and write meanwhile, and
 * those of the former release afterwards. It is applied, and kept.
 */
export async function faultsOf(client: pg.Client, migration: Migration): Promise<string[]> {
  const before = await readCatalogue(client);
  const blocked = 'sql' in migration ? await applyInspected(client, migration.sql) : [];
  if ('indexes' in migration)
    for (const [name, definition] of Object.entries(migration.indexes))
      await client.query(`create index concurrently ${name} on ${definition}`);
  return [...blocked, ...breaksFormerRelease(before, await readCatalogue(client))].toSorted();
}

/** In these modes a table takes no writes, or not even reads. */
const BLOCKING = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];

/**
 * Of the tables that were there before. A scan counts when it begins, so that empty tables show it,
 * too; a new file of a table is a copy of all its rows.
 */
const INSPECTED = `
  select o.name, o.file <> pg_relation_filenode(o.oid) as "isRewritten",
         x.seq_scan > 0 as "isScanned", x.n_tup_ins + x.n_tup_upd + x.n_tup_del > 0 as "isWritten",
         exists (select from pg_locks l where l.relation = o.oid and l.pid = pg_backend_pid()
                    and l.mode = any($1)) as "isBlocked"
    from tables_before o join pg_stat_xact_user_tables x on x.relid = o.oid order by o.name`;

interface Inspected {
  readonly name: string;
  readonly isRewritten: boolean;
  readonly isScanned: boolean;
  readonly isWritten: boolean;
  readonly isBlocked: boolean;
}

async function applyInspected(client: pg.Client, sql: string): Promise<string[]> {
  await client.query(`create temporary table tables_before as
    select oid, relname::text as name, pg_relation_filenode(oid) as file from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`);
  // What was counted before belongs to other statements.
  await client.query('select pg_stat_force_next_flush()');
  await client.query('begin');
  await client.query(sql);
  const { rows } = await client.query<Inspected>(INSPECTED, [BLOCKING]);
  await client.query('commit');
  await client.query('drop table tables_before');
  return rows.flatMap(({ name, isRewritten, isScanned, isWritten, isBlocked }) => {
    if (isRewritten) return [`${name} is copied`];
    if (isBlocked && isScanned) return [`${name} is read whole while it takes no writes`];
    if (isScanned || isWritten) return [`the rows of ${name} are read or written at once`];
    return [];
  });
}

interface Column {
  readonly type: string;
  readonly mustBeGiven: boolean;
  readonly isNotNull: boolean;
}

interface Catalogue {
  /** By `table.column`. */
  readonly columns: ReadonlyMap<string, Column>;
  readonly tables: ReadonlySet<string>;
  /** What refuses rows: unique indexes, checks, foreign keys, triggers; by their name and table. */
  readonly refusing: ReadonlyMap<string, string>;
}

async function readCatalogue(client: pg.Client): Promise<Catalogue> {
  const { rows: columns } = await client.query<Column & { name: string; table: string }>(
    `select c.relname || '.' || a.attname as name, c.relname::text as table,
            format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as "isNotNull",
            a.attnotnull and not a.atthasdef and a.attidentity = '' as "mustBeGiven"
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
  );
  const { rows: refusing } = await client.query<{ name: string; table: string }>(
    `select conname::text as name, conrelid::regclass::text as table from pg_constraint
      where connamespace = 'public'::regnamespace and contype in ('c', 'f', 'u', 'x') and conrelid <> 0
     union select indexrelid::regclass::text, indrelid::regclass::text from pg_index
      where indisunique and not indisprimary
     union select tgname::text, tgrelid::regclass::text from pg_trigger where not tgisinternal`,
  );
  return {
    columns: new Map(columns.map(({ name, ...column }) => [name, column])),
    tables: new Set(columns.map(({ table }) => table)),
    refusing: new Map(refusing.map(({ name, table }) => [name, table])),
  };
}

/** The former release reads the columns that it knows, and writes rows without the new ones. */
function breaksFormerRelease(before: Catalogue, after: Catalogue): string[] {
  const lost = [...before.columns].flatMap(([name, { type, isNotNull }]) => {
    const now = after.columns.get(name);
    if (!now) return [`${name} is gone`];
    if (now.type !== type) return [`${name} has another type`];
    return now.isNotNull && !isNotNull ? [`${name} must not be null any more`] : [];
  });
  const needed = [...after.columns]
    .filter(([name, { mustBeGiven }]) => mustBeGiven && !before.columns.has(name))
    .filter(([name]) => before.tables.has(name.split('.', 1)[0] as string))
    .map(([name]) => `${name} must be given`);
  const refused = [...after.refusing]
    .filter(([name, table]) => !before.refusing.has(name) && before.tables.has(table))
    .map(([name, table]) => `${table} may refuse rows by ${name}`);
  return [...lost, ...needed, ...refused];
}
