import type { Instant } from '../time.ts';
import { type Search, type Statement, search, statement } from './query.ts';
import type { Handle, WriteHandle, WriteScope } from './scopes.ts';
import { TENANT } from './table-homes.ts';

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
  /** The same by organisation, where their tables are on several servers; absent = not of theirs. */
  readonly byOrganization?: {
    /** Those that have such rows. */
    find(handle: Handle, before: Instant): Promise<string[]>;
    remove(scope: WriteScope, before: Instant, limit: number): Promise<number>;
  };
}

/** Rows that are over. */
interface Over {
  readonly table: string;
  /** The column of the instant after which they are over, which has an index. */
  readonly time: string;
  /** A further condition, as the index has it; it gets the instant and the organisation in SQL. */
  readonly and?: (before: string, organization: string) => string;
}

/** Statements that remove rows that are over. */
interface Removal {
  readonly all: Statement<object>;
  readonly ofOne: Statement<object> | null;
  readonly find: Search<{ organization_id: string }> | null;
}

/**
 * Removes rows that are over, the oldest first, by an index on their time. The order is what makes
 * the planner use it, whatever its estimate of their number. Rows that another transaction locks are
 * left for the next time.
 */
export function removeBefore(
  name: string,
  table: string,
  time: string,
  and?: Over['and'],
): Removal {
  const over = { table, time, ...(and && { and }) };
  return removal(name, over, (oldest) => `delete from ${table} where ${oldest} returning 1`);
}

/**
 * @param text of a statement that returns a row for each that was over; it gets the condition for
 * the oldest of them, which are locked
 */
export function removal(name: string, over: Over, text: (oldest: string) => string): Removal {
  const { table } = over;
  const whole = `select ctid from ${table} where ${isOver(over, '$1', `${table}.organization_id`)}`;
  const all = statement<object>(name, text(`ctid = any(array(${oldestOf(whole, over, '$2')}))`));
  if (!(TENANT as readonly string[]).includes(table)) return { all, ofOne: null, find: null };
  const own = `select ctid from ${table} where organization_id = $1 and ${isOver(over, '$2', '$1')}`;
  const oldest = `organization_id = $1 and ctid = any(array(${oldestOf(own, over, '$3')}))`;
  return {
    all,
    ofOne: statement<object>(`${name}-of-one`, text(oldest)),
    find: search(`${name}-search`, () => whole.replace('ctid', 'distinct organization_id')),
  };
}

function isOver({ time, and }: Over, before: string, organization: string): string {
  return `${time} < ${before}::timestamptz ${and ? `and ${and(before, organization)}` : ''}`;
}

function oldestOf(rows: string, { time }: Over, limit: string): string {
  return `${rows} order by ${time} limit ${limit}::int for update skip locked`;
}

/** The retention whose whole work is one such statement. */
export function retention(
  table: string,
  keepDays: number,
  { all, ofOne, find }: Removal,
  atOnce?: number,
): Retention {
  return {
    table,
    keepDays,
    ...(atOnce !== undefined && { atOnce }),
    remove: async (handle, before, limit) =>
      (await handle.raw(all, [before.toString(), limit])).length,
    ...(ofOne &&
      find && {
        byOrganization: {
          find: async (handle, before) =>
            (await handle.search(find, [before.toString()])).map((row) => row.organization_id),
          remove: async (scope, before, limit) =>
            (await scope.prepared(ofOne, [before.toString(), limit])).length,
        },
      }),
  };
}
