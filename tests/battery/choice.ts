/** Which mutants a run of CI tries: those of the change, and some others in turn. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './copy.ts';
import type { Mutant } from './mutant.ts';

/** A change of the whole source would else have hundreds. */
const MOST_OF_A_CHANGE = 24;
const IN_TURN = 8;

/** Each state of the source begins elsewhere in the list, so that all have their turn. */
export function chosenOf(mutants: readonly Mutant[]): Mutant[] {
  const source = git('rev-parse', 'HEAD:src') ?? '0';
  const start = Number.parseInt(source.slice(0, 8), 16) % mutants.length;
  const inTurn = [...mutants.slice(start), ...mutants.slice(0, start)];
  const changed = changedFiles();
  const ofChange = inTurn.filter((mutant) => filesOf(mutant).some((file) => changed.has(file)));
  return [...new Set([...ofChange.slice(0, MOST_OF_A_CHANGE), ...inTurn.slice(0, IN_TURN)])];
}

/** Since main, or since the commit before on main itself; none in a checkout without history. */
function changedFiles(): ReadonlySet<string> {
  const head = git('rev-parse', 'HEAD');
  const main = git('merge-base', 'HEAD', 'origin/main');
  const since = main !== null && main !== head ? main : 'HEAD~1';
  return new Set(git('diff', '--name-only', since, 'HEAD')?.split('\n'));
}

/** What a mutant is about: the source that it breaks, the test that catches it, and its patch. */
function filesOf({ patch, file }: Mutant): string[] {
  const path = `tests/mutants/${patch}.patch`;
  const broken = readFileSync(join(CHECKOUT, path), 'utf8').matchAll(/^\+\+\+ b\/(.+)$/gm);
  return [path, file, ...Array.from(broken, ([, source = '']) => source)];
}

/** @returns null where git has no answer */
function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: CHECKOUT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
