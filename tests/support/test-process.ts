import { writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { dropAbandoned } from './server.ts';
import { DURATIONS } from './test-files.ts';

// Runs the test files that are its arguments, in their order: `node --test` would sort them by
// name. With `--measure` it writes down how long each took. TEST_NAME is a pattern of the names to
// run.

/** For one test, on a machine that is busy with other work. */
const MOST_MILLISECONDS = 300_000;
const AT_ONCE = 4;

const given = process.argv.slice(2);
const files = given.filter((argument) => !argument.startsWith('--')).map((file) => resolve(file));
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

const seconds: [file: string, seconds: number][] = [];
const name = process.env.TEST_NAME;
const tests = run({
  files,
  concurrency: AT_ONCE,
  timeout: MOST_MILLISECONDS,
  signal: stopping.signal,
  ...(name && { testNamePatterns: new RegExp(name, 'u') }),
});
tests.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
tests.on('test:summary', ({ file, success, duration_ms }) => {
  if (!success) process.exitCode = 1;
  if (!file) return;
  seconds.push([relative(process.cwd(), file), Math.round(duration_ms / 1_000)]);
  dropAbandoned().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
});
tests.on('end', () => {
  if (!given.includes('--measure')) return;
  const longest = seconds.toSorted(([, a], [, b]) => b - a);
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(longest), null, 2)}\n`);
});
tests.compose(spec).pipe(process.stdout);
