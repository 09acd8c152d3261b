/** What only the database knows: states of jobs and sync runs. */
import type pg from 'pg';
import { eventually } from './processes.ts';

interface Walk {
  /** Orders read so far, as the checkpoint says. */
  readonly items: number;
  readonly rows: number;
  readonly isFinished: boolean;
}

/** Checkpoint and rows of the one connection, seen at one moment. */
export async function lookAtWalk(client: pg.Client): Promise<Walk> {
  const { rows } = await client.query<Walk>(
    `select coalesce((select items::int from streams where stream = 'orders'), 0) as items,
            (select count(*)::int from orders) as rows,
            exists (select from streams where stream = 'orders' and first_import_done_at is not null) as "isFinished"`,
  );
  return rows[0] as Walk;
}

export async function countJobs(
  client: pg.Client,
  queue: string,
  states: readonly string[],
): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from queue.job where name = $1 and state::text = any($2)',
    [queue, states],
  );
  return rows[0]?.count ?? 0;
}

/** Waits until no job waits or runs. */
export async function jobsDone(client: pg.Client, milliseconds = 120_000): Promise<void> {
  const isQuiet = async () => {
    const { rowCount } = await client.query(
      "select from queue.job where state in ('created', 'retry', 'active') limit 1",
    );
    return rowCount === 0;
  };
  if (!(await eventually(isQuiet, milliseconds)))
    throw new Error('jobs are still waiting or running');
}
