import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from './support/scratch.ts';
import { chosenTests, longestFirst } from './support/test-files.ts';
import { runFiles } from './support/test-pool.ts';
import { openReport } from './support/test-report.ts';

// One database server for the whole run: that of DATABASE_URL, else an embedded one in a folder of
// its own. Each test file clones a migrated template. Arguments: test files, which run completely;
// none = the tests that are not tagged `slow`, without a browser and without the scenes of
// reliability, `--slow` = those of the same files that are, `--all` = every test, `--served` = all
// of the files that served databases are tried with. `--measure` also writes down how long each file
// takes. RERUNS: if at most so many files failed, these run once more, alone, and count by that run;
// absent = 0. TEST_SERVER: the address of a server that the battery prepared for many runs.

/** More than there are cores: tests also wait. */
const PROCESSES = 4;

const LEFT_OUT =
  'left out: slow tests (npm test -- --slow), those in a browser and the scenes of the battery (--all)';

const { DATABASE_URL, TEST_SERVER, ...environment } = process.env;
const folder = await scratchFolder();
try {
  process.exitCode = await runTests(process.argv.slice(2));
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function runTests(given: string[]): Promise<number> {
  if (TEST_SERVER) return runTestsOn(TEST_SERVER, given);
  // What is prepared is prepared by the product: many sources, which a prepared server saves.
  const { openTestServer } = await import('./support/test-server.ts');
  const server = await openTestServer(DATABASE_URL);
  try {
    return await runTestsOn(JSON.stringify(server.address), given);
  } finally {
    await server.close();
  }
}

async function runTestsOn(server: string, given: string[]): Promise<number> {
  const { files, tag, isNamed } = await chosenTests(given);
  // Who stops the run stops the tests; the server that they share is closed after them.
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  const leftOut = tag === 'not slow' ? LEFT_OUT : null;
  const report = openReport({ measure: given.includes('--measure'), leftOut });
  const settings = {
    env: {
      ...(tag && { TEST_TAG: tag }),
      // Other files run beside each.
      ...(!isNamed && { LENIENCY: '10' }),
      ...environment,
      TEST_SERVER: server,
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
  if (failed.length <= Number(environment.RERUNS ?? 0))
    await runFiles(failed, { ...settings, processes: 1 }, report.add);
  return (await report.end()) && !stopping.signal.aborted ? 0 : 1;
}
