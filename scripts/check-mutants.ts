import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { MUTANTS } from '../tests/battery/mutants.ts';
import { ROWS } from '../tests/battery/reliability.ts';

// Every patch of tests/mutants fits the source and is listed once, with a test that exists; the
// reliability battery names mutants that exist.
// Seconds; whether the test catches the mutant is tried by `npm run battery`.

const faults: string[] = [];
const listed = new Set<string>();
for (const { patch, file, test } of MUTANTS) {
  if (listed.has(patch)) faults.push(`the mutant ${patch} is listed twice`);
  listed.add(patch);
  if (!existsSync(file)) faults.push(`the mutant ${patch} names ${file}, which does not exist`);
  else if (!hasTest(file, test))
    faults.push(`the mutant ${patch} names a test of ${file} that does not exist: ${test}`);
}
for (const { number, mutants, scenes } of ROWS) {
  if (mutants.length === 0 || Object.keys(scenes).length === 0)
    faults.push(`${number} of the reliability battery has no scene or no mutant`);
  for (const name of mutants)
    if (!listed.has(name)) faults.push(`${number} names the mutant ${name}, which does not exist`);
}
for (const path of globSync('tests/mutants/*.patch')) {
  const patch = basename(path, '.patch');
  if (!listed.delete(patch)) faults.push(`${path} is not listed in tests/battery/mutants/`);
  const { status, stderr, error } = spawnSync('git', ['apply', '--check', path], {
    encoding: 'utf8',
  });
  if (status !== 0)
    faults.push(`${path} does not fit the source: ${error?.message ?? stderr.trim()}`);
}
for (const patch of listed) faults.push(`the mutant ${patch} has no patch in tests/mutants/`);
if (faults.some((fault) => fault.includes(' does not fit ')))
  faults.push('npm run mutants -- COMMIT carries patches over from a commit where they fitted');
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exitCode = 1;
}

/** Whether the file, or a file of tests that it imports, has such a title, as far as it is written. */
function hasTest(file: string, part: string, seen = new Set<string>()): boolean {
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  if (
    plain(source).includes(plain(part)) ||
    startsOf(source).some((start) => part.startsWith(start))
  )
    return true;
  const imported = source.matchAll(/^(?:import|export|\}) .*'(\.[^']+)';$/gm);
  return [...imported]
    .map(([, path = '']) => join(dirname(file), path))
    .filter((path) => path.startsWith('tests/') && !seen.has(path))
    .some((path) => hasTest(path, part, seen));
}

/** As the battery compares titles. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\d]/gu, '.');
}

/** What is written out of titles that go on with a value. */
function startsOf(source: string): string[] {
  return [...source.matchAll(/\btest\(\s*`([^`$]*)\$\{/g)].map(([, start = '']) => start);
}
