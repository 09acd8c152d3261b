/** Multiplies an organisation's rows by COPY: each copy has the same rows under another organisation. */
import type pg from 'pg';
import { copyIn, copyOut } from '../../src/platform/db/copy.ts';
import { TENANT } from '../../src/platform/db/table-homes.ts';

/** An organisation that is copied, and the ids of its copies. */
export interface Template {
  readonly organizationId: string;
  readonly copies: readonly string[];
}

/** Beside those of organisations: an organisation itself, and the key of its documents. */
const TABLES = ['organizations', 'data_keys', ...TENANT];

/** Indexes that no constraint needs are built at the end, each in one go. */
export async function copyAll(
  client: pg.Client,
  templates: readonly Template[],
  say: (line: string) => void,
): Promise<void> {
  const rebuild = await dropIndexes(client);
  await client.query("set session_replication_role = 'replica'");
  for (const table of TABLES) {
    let rows = 0;
    for (const template of templates) rows += await copyTable(client, table, template);
    if (rows > 0) say(`${table}: ${rows} rows`);
  }
  await client.query("set session_replication_role = 'origin'");
  await client.query("set maintenance_work_mem = '512MB'");
  for (const [number, statement] of rebuild.entries()) {
    await client.query(statement);
    if (number % 20 === 19) say(`${number + 1} of ${rebuild.length} indexes built`);
  }
}

/** @returns how many rows were added */
async function copyTable(
  client: pg.Client,
  table: string,
  { organizationId, copies }: Template,
): Promise<number> {
  const columns = await columnsOf(client, table);
  const owner = table === 'organizations' ? 'id' : 'organization_id';
  const from = `(select ${columns} from ${table} where ${owner} = '${organizationId}')`;
  const pieces: Buffer[] = [];
  for await (const piece of copyOut(client, `copy ${from} to stdout`)) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  if (text === '') return 0;
  await copyIn(client, `copy ${table} (${columns}) from stdin`, copiesOf(text));
  return copies.length * (text.split('\n').length - 1);

  async function* copiesOf(rows: string) {
    for (const copy of copies)
      yield Buffer.from(
        rows.replaceAll(organizationId, copy).replace(/\torg_\w+/, `\torg_${copy.slice(-12)}`),
      );
  }
}

async function columnsOf(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return rows[0]?.columns ?? '';
}

async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; text: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as text
       from pg_index i join pg_class c on c.oid = i.indrelid
      where c.relnamespace = 'public'::regnamespace and c.relname = any($1)
        and not exists (select from pg_constraint where conindid = i.indexrelid)`,
    [TABLES],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ text }) => text);
}
