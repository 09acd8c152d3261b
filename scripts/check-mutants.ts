import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { basename } from 'node:path';
import { MUTANTS } from '../tests/battery/mutants.ts';
import { ROWS } from '../tests/battery/reliability.ts';

// Every patch of tests/mutants fits the source and is listed once, with a test file that exists; the
// reliability battery names mutants that exist.
// Seconds; whether the test catches the mutant is tried by `npm run battery`.

const faults: string[] = [];
const listed = new Set<string>();
for (const { patch, file } of MUTANTS) {
  if (listed.has(patch)) faults.push(`the mutant ${patch} is listed twice`);
  listed.add(patch);
  if (!existsSync(file)) faults.push(`the mutant ${patch} names ${file}, which does not exist`);
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
