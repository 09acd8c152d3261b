import { randomInt } from 'node:crypto';
import type pg from 'pg';

const MOST = 2 ** 31 - 1;
const TAKE = 'select pg_advisory_lock($1::int, $2::int)';
const SEEN = `select exists (
  select from pg_locks l join pg_database d on d.oid = l.database
   where d.datname = current_database() and l.locktype = 'advisory' and l.objsubid = 2
     and l.classid = $1::oid and l.objid = $2::oid) as seen`;

/**
 * Whether two addresses lead to one database: a lock that is taken at one is seen at the other. A
 * restored copy has the same name and content.
 * @param direct is closed, which ends the lock
 */
export async function isSameDatabase(
  direct: Pick<pg.Client, 'query' | 'end'>,
  other: Pick<pg.Pool, 'query'>,
): Promise<boolean> {
  const lock = [randomInt(MOST), randomInt(MOST)];
  try {
    await direct.query(TAKE, lock);
    const { rows } = await other.query<{ seen: boolean }>(SEEN, lock);
    return rows[0]?.seen === true;
  } finally {
    await direct.end();
  }
}
