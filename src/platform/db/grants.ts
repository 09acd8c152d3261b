import type pg from 'pg';
import type { Database } from './database.ts';

/**
 * From this version on `analyze` is a right of its own; before, only the owner of a table may do
 * it.
 */
const MAINTAIN_SINCE = 170_000;

/**
 * Lets the role of the running service read and write the rows of a schema, where it is not the
 * owner's own role. `client` is connected as the owner.
 */
export async function grantRows(
  client: pg.Client,
  database: Database,
  schema: string,
): Promise<void> {
  const { address, owner } = database;
  if (!('user' in address) || address === owner) return;
  const role = client.escapeIdentifier(address.user);
  // A grant that changes nothing still makes every session plan its statements anew.
  if (await mayUse(client, address.user, schema)) return;
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int4 as version",
  );
  const maintain = rows[0].version >= MAINTAIN_SINCE ? ', maintain' : '';
  await client.query(`
    grant usage on schema ${schema} to ${role};
    grant select, insert, update, delete${maintain} on all tables in schema ${schema} to ${role};
    grant usage, select, update on all sequences in schema ${schema} to ${role}`);
}

async function mayUse(client: pg.Client, role: string, schema: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_class
      where relnamespace = $2::regnamespace and relkind in ('r', 'p', 'v', 'S')
        and not (has_schema_privilege($1, relnamespace, 'usage')
                 and has_table_privilege($1, oid, case relkind when 'S' then 'update' else 'delete' end))
      limit 1`,
    [role, schema],
  );
  return rowCount === 0;
}
