import './resources-untracked.ts';
import { EventEmitter, once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { dropOwnDatabases } from './server.ts';
import type { FileResult, ReportedEvent } from './test-pool.ts';

// A process that runs test files one after the other, each with a root, hooks and a database of its
// own; modules of the product are loaded once. The parent sends names of files and gets events.

// The room for the young is that of this heap. A thread of the product bounds its own; with the same
// room for the young it would look for garbage without a pause.
for (const bound of ['min', 'max']) setFlagsFromString(`--${bound}-semi-space-size=0`);

// Modules of Node that a file imports are loaded before its first import is evaluated.
const { run } = await import('node:test');

/** For one test, on a machine that is busy with other work. */
const MOST_MILLISECONDS = 300_000;
/** What reports show; the rest is about the order in which tests are executed. */
const SHOWN = new Set(['test:start', 'test:pass', 'test:fail', 'test:diagnostic']);
/** Figures at the end of each file, which the parent adds up. */
const COUNTS = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

const { TEST_NAME: name, TEST_TAG: tag } = process.env;
const env = { ...process.env };
const folder = process.cwd();
const files = new EventEmitter();
process.on('message', (file) => files.emit('next', file));
process.on('disconnect', () => process.exit());

for (;;) {
  const [file] = await once(files, 'next');
  reportToParent({ result: await runFile(file) });
}

async function runFile(file: string): Promise<FileResult> {
  const began = performance.now();
  let result = { success: false, counts: {} };
  // A run is over when the event loop has nothing left to do.
  process.channel?.unref();
  const events = run({
    files: [file],
    isolation: 'none',
    concurrency: 1,
    timeout: MOST_MILLISECONDS,
    ...(name && { testNamePatterns: new RegExp(name, 'u') }),
    ...(tag && { testTagFilters: tag }),
  });
  for await (const { type, data } of events) {
    if (type === 'test:summary') result = { success: data.success, counts: data.counts };
    else if (SHOWN.has(type) && !isCount(data)) reportToParent({ event: reportedOf(type, data) });
  }
  process.channel?.ref();
  process.env = { ...env };
  process.chdir(folder);
  await dropOwnDatabases();
  // The programs that tests start load the same sources, and a process that is killed leaves none.
  flushCompileCache();
  return { ...result, seconds: (performance.now() - began) / 1_000 };
}

function isCount(data: object): boolean {
  return 'message' in data && COUNTS.test(String(data.message));
}

/** Errors lose their cause and their fields on the way: they go as the text that is shown. */
function reportedOf(type: string, data: object): ReportedEvent {
  const { details, ...rest } = data as ReportedEvent['data'] & { details?: { error?: Failed } };
  const { error, ...others } = details ?? {};
  if (!error) return { type, data: { ...rest, details: others } };
  const text = inspect(error.cause ?? error, { breakLength: Number.POSITIVE_INFINITY });
  const { failureType } = error;
  return { type, data: { ...rest, details: others, failure: { text, failureType } } };
}

interface Failed {
  readonly cause?: unknown;
  readonly failureType?: string;
}

function reportToParent(message: { event: ReportedEvent } | { result: FileResult }): void {
  process.send?.(message);
}
