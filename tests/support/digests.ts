/** What a backup has to bring back: rows and schema, comparable between databases. */
import type { TestApp } from './app.ts';
import { query } from './market.ts';

/** What a restore changes by its rules; `tests/backup-guides.test.ts` tries those of guides. */
export const CHANGED_BY_RESTORE = [
  'alerts',
  'connections',
  'delta_clocks',
  'event_clocks',
  'installation',
  'migrations',
  'removals',
  'restores',
  'sessions',
  'streams',
  'verifications',
];

/**
 * Of each table, how many rows it has and the sum of their hashes.
 * @param only rows of the organisations of this one
 */
export async function digestsOf(
  own: TestApp,
  only: TestApp = own,
): Promise<Record<string, string>> {
  const tables = await query(
    own,
    `select c.relname as name, exists (select from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'organization_id') as is_owned
       from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
    [],
  );
  const digests: Record<string, string> = {};
  for (const { name, is_owned } of tables) {
    const mine = is_owned ? 'where organization_id = $1' : 'where $1::uuid is not null';
    const id = name === 'organizations' ? 'where id = $1' : mine;
    const [row] = await query(
      own,
      // A sum, since a million rows are no longer one text.
      `select count(*) || ' ' || coalesce(sum(hashtextextended(x::text, 0)::numeric), 0) as digest
         from ${name} x ${id}`,
      [only.organization.id],
    );
    digests[String(name)] = String(row?.digest);
  }
  return digests;
}
