import type { Instant } from '../time.ts';
import type { WriteHandle } from './database.ts';
import { type Statement, statement } from './query.ts';

/**
 * How long rows of a table are kept. A feature has one for each table of its own that would grow
 * without end.
 */
export interface Retention {
  readonly table: string;
  /** After which a row is over; 0 = it has an end of its own. */
  readonly keepDays: number;
  /** Rows of one transaction; absent = as many as it takes some tens of milliseconds to remove. */
  readonly atOnce?: number;
  /**
   * @returns how many rows were over and are removed, `limit` at most; as many = there may be more
   */
  remove(handle: WriteHandle, before: Instant, limit: number): Promise<number>;
}

/**
 * Removes rows whose time is over, the oldest first, by an index on that time. The order is what
 * makes the planner use it, whatever its estimate of their number. Rows that another transaction
 * locks are left for the next time.
 * @param time the column, an instant
 * @param and a further condition, as the index has it
 */
export function removeBefore(
  name: string,
  table: string,
  time: string,
  and = '',
): Statement<object> {
  return statement(name, `delete from ${table} where ${oldest(table, time, and)} returning 1`);
}

/**
 * The condition for so many of the oldest rows, which are locked: `$1` is the time, `$2` how many.
 */
export function oldest(table: string, time: string, and = ''): string {
  return `ctid = any(array(
    select ctid from ${table} where ${time} < $1::timestamptz ${and && `and ${and}`}
     order by ${time} limit $2::int for update skip locked))`;
}

/** The retention whose whole work is one such statement. */
export function retention(table: string, keepDays: number, remove: Statement<object>): Retention {
  return {
    table,
    keepDays,
    remove: async (handle, before, limit) =>
      (await handle.raw(remove, [before.toString(), limit])).length,
  };
}
