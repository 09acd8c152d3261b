/** How many generated mutants of the parts that must not be wrong their direct tests catch. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, type Copy, makeCopy } from './copy.ts';
import { type Generated, mutantsOf } from './generated.ts';

interface Scored {
  readonly file: string;
  /** Those that try it directly, the shortest first. */
  readonly tests: readonly string[];
}

const SCORED: Readonly<Record<string, readonly Scored[]>> = {
  money: [
    { file: 'src/platform/money.ts', tests: ['src/platform/money.test.ts'] },
    { file: 'src/features/orders/money-check.ts', tests: ['tests/spec/one-order.test.ts'] },
    { file: 'src/features/sales/sums.ts', tests: ['src/features/sales/sums.test.ts'] },
  ],
  quota: [
    { file: 'src/features/quota/window.ts', tests: ['src/features/quota/window.test.ts'] },
    { file: 'src/features/quota/quota.ts', tests: ['src/features/quota/quota.test.ts'] },
  ],
  cursor: [
    { file: 'src/platform/cursor.ts', tests: ['src/platform/cursor.test.ts'] },
    {
      file: 'src/platform/walk-cursor.ts',
      tests: ['src/platform/walk-cursor.test.ts'],
    },
  ],
  keys: [
    { file: 'src/features/keys/keys.ts', tests: ['tests/spec/keys.test.ts'] },
    {
      file: 'src/features/keys/access.ts',
      tests: ['tests/key-access.test.ts', 'tests/spec/authentication.test.ts'],
    },
  ],
  sealing: [
    { file: 'src/platform/seal.ts', tests: ['src/platform/seal.test.ts'] },
    { file: 'src/platform/sealed-file.ts', tests: ['src/platform/sealed-file.test.ts'] },
    {
      file: 'src/platform/db/vault.ts',
      tests: ['src/platform/db/vault.test.ts', 'tests/sealed-documents.test.ts'],
    },
  ],
  clock: [
    { file: 'src/features/orders/store-clock.ts', tests: ['tests/delta-clock.test.ts'] },
    { file: 'src/features/orders/as-of.ts', tests: ['tests/spec/delta.test.ts'] },
    { file: 'src/platform/db/stamp-cache.ts', tests: ['tests/stamp-cache.test.ts'] },
  ],
};
const BAR = 0.8;
/** Of each file; those of all files would take hours. SAMPLE=1000 tries all. */
const SAMPLE = Number(process.env.SAMPLE ?? 12);
/** A mutant that hangs is caught; an honest run ends sooner, also on a busy machine. */
const MOST_MS = { src: 30_000, tests: 180_000 };

/**
 * Prints the score of each part, with the mutants that survived.
 * @returns the parts below the bar
 */
export async function tryScores(isWanted: (name: string) => boolean): Promise<string[]> {
  const below: string[] = [];
  const copy = makeCopy();
  try {
    for (const [part, scored] of Object.entries(SCORED)) {
      const wanted = scored.filter(({ file }) => isWanted(`score ${part} ${file}`));
      if (wanted.length === 0) continue;
      let [tried, caught] = [0, 0];
      for (const one of wanted) {
        const counts = await tryFile(copy, one);
        tried += counts.tried;
        caught += counts.caught;
      }
      const score = caught / tried;
      if (score < BAR) below.push(`score of ${part}`);
      console.log(
        `${score < BAR ? '✖' : '✔'} score of ${part}: ${caught} of ${tried} mutants, ${Math.floor(score * 100)} %`,
      );
    }
  } finally {
    copy.remove();
  }
  return below;
}

async function tryFile(copy: Copy, { file, tests }: Scored) {
  const source = readFileSync(join(CHECKOUT, file), 'utf8');
  const mutants = sampleOf(mutantsOf(file, source));
  if (!(await passes(copy, tests))) {
    console.log(`    ${file}: ${tests.join(', ')} fail without a mutant`);
    return { tried: mutants.length, caught: 0 };
  }
  let caught = 0;
  for (const { line, change, source: mutated } of mutants) {
    writeFileSync(join(copy.folder, file), mutated);
    if (!(await passes(copy, tests))) caught++;
    else console.log(`    survived ${file}:${line} ${change}`);
  }
  writeFileSync(join(copy.folder, file), source);
  console.log(`    ${file}: ${caught} of ${mutants.length}`);
  return { tried: mutants.length, caught };
}

/** The same ones of the same source. */
function sampleOf(mutants: readonly Generated[]): Generated[] {
  const order = ({ line, change }: Generated) =>
    createHash('sha256').update(`${line} ${change}`).digest('hex');
  return mutants.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, SAMPLE);
}

async function passes({ folder }: Copy, tests: readonly string[]): Promise<boolean> {
  for (const file of tests) if (!(await passesIn(folder, file))) return false;
  return true;
}

/** A test beside its source needs no database, so it is started alone. */
function passesIn(folder: string, file: string): Promise<boolean> {
  const isAlone = file.startsWith('src/');
  const args = isAlone ? [file] : ['tests/run.ts', file];
  const { DATABASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' });
  const tooLong = setTimeout(() => child.kill('SIGTERM'), MOST_MS[isAlone ? 'src' : 'tests']);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(tooLong);
      resolve(code === 0);
    });
  });
}
