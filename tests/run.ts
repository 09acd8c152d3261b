import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { JOBS } from '../src/exchange/jobs/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { openEmbedded } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { installQueue } from '../src/platform/queue.ts';
import { scratchFolder } from './support/scratch.ts';
import { everyFile, longestFirst, servedFiles } from './support/test-files.ts';
import { runFiles } from './support/test-pool.ts';
import { openReport } from './support/test-report.ts';

// One database server for the whole run: that of DATABASE_URL, else an embedded one in a folder of
// its own. Each test file clones a migrated template. Arguments: test files; none = all, `--served`
// = those that served databases are tried with, `--measure` = all, and how long each takes is
// written down. RERUNS: if at most so many files failed, these run once more, alone, and count by
// that run; absent = 0.

const TEMPLATE = 'tianguis_test_template';
/**
 * No test cuts the power, and a process that is killed loses nothing without fsync. Of a small
 * buffer, less is searched whenever a database is made or dropped.
 */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  io_method: 'sync',
};

/** More than there are cores: tests also wait. */
const PROCESSES = 4;

const folder = await scratchFolder();
const embedded = process.env.DATABASE_URL
  ? null
  : await openEmbedded({ dataDir: folder, settings: SETTINGS });
const server = embedded
  ? { host: embedded.host, port: embedded.port, user: embedded.user }
  : { url: process.env.DATABASE_URL as string };
try {
  await clean();
  await at('postgres', (client) => client.query(`create database ${TEMPLATE}`));
  await prepareTemplate();
  process.exitCode = await runTests(process.argv.slice(2));
} finally {
  // An embedded server goes as a whole.
  if (!embedded) await clean();
  await embedded?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function runTests(given: string[]): Promise<number> {
  const named = given.filter((argument) => !argument.startsWith('--'));
  const files = given.includes('--served')
    ? await servedFiles()
    : named.length > 0
      ? named
      : await everyFile();
  const { DATABASE_URL: _, ...env } = process.env;
  // Who stops the run stops the tests; the server that they share is closed after them.
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  const report = openReport(given.includes('--measure'));
  const settings = {
    env: {
      // A named file runs completely.
      ...(named.length === 0 && { BATTERY: 'smoke' }),
      ...env,
      TEST_SERVER: JSON.stringify(server),
      TMPDIR: folder,
      // Processes load the same sources; half of what a start costs is reading them.
      NODE_COMPILE_CACHE: fileURLToPath(
        new URL('../node_modules/.cache/node-compile', import.meta.url),
      ),
    },
    signal: stopping.signal,
  };
  await runFiles(longestFirst(files), { ...settings, processes: PROCESSES }, report.add);
  const failed = report.failed();
  if (failed.length <= Number(env.RERUNS ?? 0))
    await runFiles(failed, { ...settings, processes: 1 }, report.add);
  return (await report.end()) && !stopping.signal.aborted ? 0 : 1;
}

async function prepareTemplate(): Promise<void> {
  const address =
    'url' in server
      ? { url: Object.assign(new URL(server.url), { pathname: `/${TEMPLATE}` }).href }
      : { ...server, database: TEMPLATE };
  const database = openDatabase({
    address,
    clock: systemClock,
    readerTimeoutSeconds: 15,
    onIdleError: console.error,
  });
  await migrate(database);
  await installQueue(database, JOBS);
  await database.close();
}

async function clean(): Promise<void> {
  await at('postgres', async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where datname like 'tianguis\\_test\\_%'",
    );
    for (const { datname } of rows)
      await client.query(`drop database if exists "${datname}" with (force)`);
  });
}

async function at<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(
    'url' in server
      ? { connectionString: Object.assign(new URL(server.url), { pathname: `/${database}` }).href }
      : { ...server, database },
  );
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
