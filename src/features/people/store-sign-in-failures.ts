import { sql } from 'kysely';
import type { WriteHandle } from '../../platform/db/database.ts';
import { build } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

/**
 * Counts a failure in a window that begins with its first one.
 * @returns how many there are now, and when the window began
 */
export async function countFailure(
  handle: WriteHandle,
  given: { key: string; at: Instant; notBefore: Instant },
): Promise<{ count: number; since: Instant }> {
  const [at, notBefore] = [given.at.toString(), given.notBefore.toString()];
  const isOver = sql<boolean>`sign_in_failures.since < ${notBefore}::timestamptz`;
  const row = await handle.first(
    build
      .insertInto('sign_in_failures')
      .values({ key: given.key, count: 1, since: at })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          count: sql`case when ${isOver} then 1 else sign_in_failures.count + 1 end`,
          since: sql`case when ${isOver} then excluded.since else sign_in_failures.since end`,
        }),
      )
      .returning(['count', 'since']),
  );
  return row as { count: number; since: Instant };
}

export async function forgetFailures(handle: WriteHandle, key: string): Promise<void> {
  await handle.rows(build.deleteFrom('sign_in_failures').where('key', '=', key));
}
