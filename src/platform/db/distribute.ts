import type pg from 'pg';
import { fail } from '../failure.ts';
import type { Database } from './database.ts';
import { asOwner } from './migrate.ts';
import { TENANT } from './table-homes.ts';

interface DistributeOptions {
  /** How many parts a table has; the workers share them. */
  readonly shards: number;
  /** Tables with rows, too: each is locked while its rows are moved. */
  readonly withRows: boolean;
}

/**
 * Distributes the tables of organisations over the workers of a Citus coordinator, by
 * `organization_id`. Those that are distributed already stay as they are.
 * @returns the tables that were distributed now
 * @throws Failure invalid_request where this is no coordinator with workers, or a table has rows
 */
export function distribute(
  database: Database,
  { shards, withRows }: DistributeOptions,
): Promise<string[]> {
  return asOwner(database, async (client) => {
    await refuseOther(client);
    const done = await distributed(client);
    const tables = TENANT.filter((table) => !done.has(table));
    if (!withRows) await refuseFull(client, tables);
    // The first decides how many parts the others have.
    const first = done.has('orders') ? [] : tables.filter((table) => table === 'orders');
    const others = tables.filter((table) => table !== 'orders');
    for (const table of first)
      await client.query(
        `select create_distributed_table($1, 'organization_id', shard_count => $2)`,
        [table, shards],
      );
    for (const table of others)
      await client.query(
        `select create_distributed_table($1, 'organization_id', colocate_with => 'orders')`,
        [table],
      );
    return [...first, ...others];
  });
}

async function refuseOther(client: pg.Client): Promise<void> {
  const extension = await client.query(`select from pg_extension where extname = 'citus'`);
  if (extension.rowCount === 0)
    throw fail('invalid_request', {
      message:
        'La base de datos no tiene la extensión citus. Créala en el coordinador y en cada trabajador.',
    });
  const workers = await client.query(
    `select from pg_dist_node where groupid <> 0 and isactive and noderole = 'primary'`,
  );
  if (workers.rowCount === 0)
    throw fail('invalid_request', {
      message: 'El coordinador no tiene trabajadores. Agrégalos con citus_add_node.',
    });
}

async function distributed(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    'select logicalrelid::regclass::text as name from pg_dist_partition',
  );
  return new Set(rows.map(({ name }) => name));
}

async function refuseFull(client: pg.Client, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rowCount } = await client.query(`select from ${table} limit 1`);
    if (rowCount !== 0)
      throw fail('invalid_request', {
        message: `La tabla ${table} ya tiene datos. Detén el servicio y usa --with-rows; cada tabla se bloquea mientras se mueve.`,
      });
  }
}
