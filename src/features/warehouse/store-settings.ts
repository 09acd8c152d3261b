import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

const READ = statement<{ settings: string }>(
  'logistics-settings.read',
  'select settings from logistics_settings where organization_id = $1',
);

const WRITE = statement<object>(
  'logistics-settings.write',
  `insert into logistics_settings (organization_id, settings, updated_at) values ($1, $2, $3)
   on conflict (organization_id) do update set settings = excluded.settings, updated_at = excluded.updated_at`,
);

/** As JSON; null = never changed. */
export async function read(scope: ReadScope): Promise<string | null> {
  const [row] = await scope.prepared(READ, []);
  return row?.settings ?? null;
}

export async function write(scope: WriteScope, settings: string, at: Instant): Promise<void> {
  await scope.prepared(WRITE, [settings, at.toString()]);
}
