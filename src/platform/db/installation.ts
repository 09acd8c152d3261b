import type { Database } from './database.ts';
import { build } from './query.ts';

/**
 * Keeps the address under which the service is reached; the operator's commands print links with
 * it.
 */
export async function keepPublicUrl(database: Database, publicUrl: string): Promise<void> {
  await database.write((handle) =>
    handle.rows(
      build
        .insertInto('installation')
        .values({ one: true, public_url: publicUrl })
        .onConflict((conflict) => conflict.column('one').doUpdateSet({ public_url: publicUrl })),
    ),
  );
}

/** The address of the service that runs, or ran last; null before the first one. */
export async function keptPublicUrl(database: Database): Promise<string | null> {
  const row = await database.read((handle) =>
    handle.first(build.selectFrom('installation').select('public_url')),
  );
  return row?.public_url ?? null;
}
