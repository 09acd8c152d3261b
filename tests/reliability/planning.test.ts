import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planDue } from '../../src/entrances/jobs/worker.ts';
import { planMissing } from '../../src/features/schedules/index.ts';
import type { Database, WriteHandle } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { turnedClock } from '../support/clock.ts';
import { query } from '../support/market.ts';
import { freshDatabase } from '../support/server.ts';
import { NO_REDIS } from './support/processes.ts';
import { reportFigure, sized } from './support/profile.ts';

const ROWS = sized({ small: 10_000, quick: 10_000, long: 100_000 });
const ORGANIZATIONS = 500;
/** Each claims a thousand rows. */
const MOST_STATEMENTS_PER_ROW = 1 / 100;

test(`${ROWS} due tasks become jobs with few statements, each once`, {
  timeout: 300_000,
}, async (t) => {
  const clock = turnedClock();
  const env = { ROLE: 'api', REDIS_URL: NO_REDIS };
  const own = await openApp(t, { clock, env, database: await freshDatabase() });
  const { database } = own.app;
  const organizations = await organizationsIn(own);
  const planned = Array.from({ length: ROWS }, (_, number) => ({
    organizationId: organizations[number % ORGANIZATIONS] as string,
    task: 'sync' as const,
    subject: `${newId()}:orders`,
    everySeconds: 300,
  }));
  await database.write((handle) => planMissing(handle, planned, clock.now()));
  let statements = 0;
  const counting = counted(database, () => {
    statements += 1;
  });

  const startedAt = performance.now();
  const claimed = await planDue({ ...own.app.exchange, database: counting });
  const seconds = (performance.now() - startedAt) / 1_000;

  assert.equal(claimed, ROWS);
  const [jobs] = await query(
    own,
    "select count(*)::int as count, count(distinct singleton_key)::int as different from queue.job where name = 'sync'",
  );
  assert.deepEqual(jobs, { count: ROWS, different: ROWS });
  assert.ok(
    statements <= ROWS * MOST_STATEMENTS_PER_ROW,
    `${statements} statements for ${ROWS} rows`,
  );
  assert.equal(await planDue(own.app.exchange), 0);
  reportFigure(
    t,
    `planning: ${ROWS} due tasks of ${ORGANIZATIONS} organisations became jobs in ${seconds.toFixed(1)} s with ${statements} statements`,
  );
});

/** The same database; each statement of a write is reported. */
function counted(database: Database, onStatement: () => void): Database {
  return {
    ...database,
    write: (work) =>
      database.write((handle) => {
        const counting: WriteHandle = {
          ...handle,
          raw: (...given) => {
            onStatement();
            return handle.raw(...given);
          },
          sql: (...given) => {
            onStatement();
            return handle.sql(...given);
          },
        };
        return work(counting);
      }),
  };
}

async function organizationsIn(own: TestApp): Promise<string[]> {
  const made = await query(
    own,
    `insert into organizations (id, public_id, name, plan, created_at)
     select gen_random_uuid(), 'org_' || number, 'Tienda', 'intermedio', now()
       from generate_series(1, ${ORGANIZATIONS}) number
     returning id`,
  );
  return made.map(({ id }) => String(id));
}
