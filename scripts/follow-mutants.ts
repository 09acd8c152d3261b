import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

// npm run mutants -- COMMIT
//
// Rewrites each patch of tests/mutants that no longer fits the source. Its meaning is taken from
// COMMIT, where it still fitted, and carried over by a three-way merge, also into a file that was
// renamed since. Says which patches must be made anew by hand.

const run = (command: string, args: string[], input?: string): string => {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    input,
    maxBuffer: 1 << 28,
  });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
  return stdout;
};

const base = process.argv[2];
if (base === undefined) {
  process.stderr.write(
    'Usage: npm run mutants -- COMMIT (one where the patches fitted, such as HEAD)\n',
  );
  process.exit(2);
}
run('git', ['add', '--intent-to-add', '--all']);
const renamed = new Map(
  run('git', ['diff', '--find-renames=40%', '--diff-filter=R', '--name-status', base])
    .split('\n')
    .map((line) => line.split('\t').slice(1) as [string, string]),
);
const scratch = mkdtempSync(join(tmpdir(), 'mutants-'));
const write = (path: string, text: string): string => {
  const whole = join(scratch, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
};
const formatted = (path: string, text: string): string =>
  run('node_modules/.bin/biome', ['format', `--stdin-file-path=${path}`], text);

/**
 * `now` with what `theirs` changed of `base`. A merge refuses a change that touches a changed line;
 * then each replaced block is looked for by itself.
 */
function carryOver(now: string, base: string, theirs: string): string {
  const merged = spawnSync('git', ['merge-file', '--stdout', write('now', now), base, theirs], {
    encoding: 'utf8',
  });
  if (merged.status === 0) return merged.stdout;
  const { stdout } = spawnSync('diff', ['-U0', base, theirs], { encoding: 'utf8' });
  let text = now;
  for (const hunk of stdout.split(/^@@.*\n/m).slice(1)) {
    const side = (sign: string) =>
      hunk
        .split('\n')
        .filter((line) => line.startsWith(sign))
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    const [start, ...others] = text.split(side('-'));
    if (side('-') === '' || others.length !== 1) throw new Error('its lines are not found once');
    text = start + side('+') + others[0];
  }
  return text;
}

/** The patch of one file, as it is against today's source. */
function follow(path: string, patch: string): string {
  const before = run('git', ['show', `${base}:${path}`]);
  write(path, before);
  const inScratch = spawnSync('git', ['apply', `--include=${path}`, patch], {
    cwd: scratch,
    encoding: 'utf8',
  });
  if (inScratch.status !== 0) throw new Error(inScratch.stderr.trim());
  const mutated = readFileSync(join(scratch, path), 'utf8');
  const now = renamed.get(path) ?? path;
  const ours = write(`a/${now}`, readFileSync(now, 'utf8'));
  const merged = carryOver(
    readFileSync(ours, 'utf8'),
    write('base', formatted(now, before)),
    write('theirs', formatted(now, mutated)),
  );
  const theirs = write(`b/${now}`, merged);
  const { stdout } = spawnSync(
    'diff',
    ['-U1', '--label', `a/${now}`, '--label', `b/${now}`, ours, theirs],
    {
      encoding: 'utf8',
    },
  );
  if (stdout === '') throw new Error('nothing is left of it');
  return stdout;
}

let rewritten = 0;
for (const patch of globSync('tests/mutants/*.patch', { cwd: process.cwd() })) {
  if (spawnSync('git', ['apply', '--check', patch]).status === 0) continue;
  try {
    const then = write(basename(patch), run('git', ['show', `${base}:${patch}`]));
    const paths = [...readFileSync(then, 'utf8').matchAll(/^--- a\/(\S+)/gm)].map(
      ([, path]) => path as string,
    );
    writeFileSync(patch, paths.map((path) => follow(path, then)).join(''));
    rewritten += 1;
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${patch}: ${(error as Error).message}\n`);
  }
}
rmSync(scratch, { recursive: true });
process.stdout.write(`${rewritten} rewritten\n`);
