import { existsSync, readFileSync, statSync } from 'node:fs';
import { glob } from 'node:fs/promises';

/** Seconds of each file, for the order alone: `npm test -- --measure` writes them. */
export const DURATIONS = 'tests/durations.json';
/**
 * In the comment at the head of a test whose result may depend on the PostgreSQL or Redis that it
 * runs on.
 */
const SERVED = '// Also runs on served PostgreSQL and Redis.';
/** All tests of src/, panel/ and simulators/, in one process. */
const BESIDE_SOURCES = 'tests/beside-sources.ts';
/** About what a file takes that was not measured. */
const BYTES_PER_SECOND = 3_000;

/** Its own, or those of the marketplaces' suite. */
const SLOW_TESTS = /\btags: \['slow'\]|\brunSuite\(/;
/** In a browser, and the scenes of the battery. */
const PARTS_OF_THEIR_OWN = /^tests\/(browser|reliability)\//;

/** Long scenes that CI leaves to other runs: a faster test has each of their promises. */
const NOT_IN_CI = ['deliveries', 'export-jobs', 'rolling'].map(
  (name) => `tests/reliability/${name}.test.ts`,
);

interface ChosenTests {
  readonly files: readonly string[];
  /** Of the tests that run, as `node:test` filters them; null = all. */
  readonly tag: 'slow' | 'not slow' | null;
  readonly isNamed: boolean;
}

/** By the arguments of `tests/run.ts`. */
export async function chosenTests(given: readonly string[]): Promise<ChosenTests> {
  const named = given.filter((argument) => !argument.startsWith('--'));
  if (named.length > 0) return { files: named, tag: null, isNamed: true };
  const every = [BESIDE_SOURCES, ...(await inTests())];
  const isNamed = false;
  if (given.includes('--all')) return { files: every, tag: null, isNamed };
  if (given.includes('--served')) return { files: every.filter(isServed), tag: null, isNamed };
  const files = every.filter((file) => !PARTS_OF_THEIR_OWN.test(file));
  if (!given.includes('--slow')) return { files, tag: 'not slow', isNamed };
  return { files: files.filter(hasSlowTests), tag: 'slow', isNamed };
}

/** Scenes of reliability that the battery of CI tries. */
export function isSceneOfCi(file: string): boolean {
  return file.startsWith('tests/reliability/') && !NOT_IN_CI.includes(file);
}

/** Whether it runs on served databases as well as on the embedded one. */
function isServed(file: string): boolean {
  return readFileSync(file, 'utf8').includes(SERVED);
}

/** Where no test runs, the hooks do not run either that close what the file opened. */
function hasSlowTests(file: string): boolean {
  return file === BESIDE_SOURCES || SLOW_TESTS.test(readFileSync(file, 'utf8'));
}

function inTests(): Promise<string[]> {
  return Array.fromAsync(glob('tests/**/*.test.ts', { exclude: ['**/node_modules/**'] }));
}

export function readDurations(): Record<string, number> {
  return existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : {};
}

/** Short files fill the gaps at the end, when a long one would be waited for alone. */
export function longestFirst(files: readonly string[]): string[] {
  const measured = readDurations();
  const secondsOf = (file: string) => measured[file] ?? statSync(file).size / BYTES_PER_SECOND;
  return files.toSorted((a, b) => secondsOf(b) - secondsOf(a));
}
