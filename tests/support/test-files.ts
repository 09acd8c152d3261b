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

/** Long scenes that CI leaves to other runs: a faster test has each of their promises. */
const NOT_IN_CI = ['deliveries', 'export-jobs', 'rolling'].map(
  (name) => `tests/reliability/${name}.test.ts`,
);

export async function everyFile(): Promise<string[]> {
  return [BESIDE_SOURCES, ...(await inTests())];
}

/** Scenes of reliability that CI tries, in the battery. */
export function isSceneOfCi(file: string): boolean {
  return file.startsWith('tests/reliability/') && !NOT_IN_CI.includes(file);
}

/** What runs on served databases as well as on the embedded one. */
export async function servedFiles(): Promise<string[]> {
  return (await inTests()).filter((file) => readFileSync(file, 'utf8').includes(SERVED));
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
