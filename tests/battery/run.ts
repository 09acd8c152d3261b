import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { ATTACKS, type Attack } from '../attacks/attacks.ts';
import { noSdk } from '../support/spans.ts';
import { isSceneOfCi } from '../support/test-files.ts';
import { chosenOf } from './choice.ts';
import { CHECKOUT, type Copy, makeCopy } from './copy.ts';
import type { Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import { writeFigures } from './page.ts';
import { ROWS } from './reliability.ts';
import { type Outcome, openRunner, type Runner, runTests } from './runner.ts';
import { tryScores } from './score.ts';

// npm run battery -- [quick|long|ci|attacks|mutants|score] [--write] [part of a name …] What the
// product promises under load, kills and failures, each with its figure, which --write puts into
// docs/battery.md; then each attack that once broke something and whether it held; then every
// mutant, which a test must catch. DATABASE_URL serves the promises and attacks; each lane of
// mutants has an embedded one.

const PROFILES = {
  /** As small as in a run of one file, and only some mutants. */
  ci: {},
  quick: { FUZZ_RUNS: '5000', INTERLEAVINGS: '200', FAULTY_CALLS: '300' },
  long: { FUZZ_RUNS: '100000', INTERLEAVINGS: '10000', FAULTY_CALLS: '3000' },
  /** Only the attacks. */
  attacks: null,
  /** No promise is tried, only whether the tests would see it broken. */
  mutants: null,
  /** Only the score of generated mutants. */
  score: null,
};
const WIDTH = 78;
/** Where the sizes of a profile are read, besides `tests/reliability/support/profile.ts`. */
const SIZED = [
  'tests/connectors/suite/*.test.ts',
  'tests/fuzz.test.ts',
  'tests/large-pages.test.ts',
  'tests/paquetexpress.test.ts',
];
/** They begin first, so that no lane ends long after the others. */
const LONGEST = ['exports', 'stalled', 'slow-callers', 'demo', 'fairness', 'embedded', 'failing'];
/** Tests wait more than they compute. */
const LANES = 2;

const isWriting = process.argv.includes('--write');
const [profile = 'quick', ...wanted] = process.argv
  .slice(2)
  .filter((argument) => argument !== '--write');
if (!(profile in PROFILES))
  throw new Error(`the profile is ${Object.keys(PROFILES).join(' or ')}, not ${profile}`);
const sizes = PROFILES[profile as keyof typeof PROFILES];
/** CI leaves long scenes out, but for those that are named. */
const isShort = profile === 'ci' && wanted.length === 0;
const startedAt = performance.now();
// A patch that comes while the others are tried is of a later state of the source.
const strays = patchesWithoutTest();
const failures: string[] = [];
const figures: string[] = [];

const scenes = promises().filter((file) => isWanted(file) && !(isShort && !isSceneOfCi(file)));
if (isShort) scenes.sort((a, b) => placeOf(a) - placeOf(b));
const { DATABASE_URL: served } = process.env;
// Figures are of a machine that does nothing else; CI only asks whether a promise holds, so two
// further lanes try some on embedded servers: many scenes wait more than they compute.
const further = profile === 'ci' ? [tryScenes(undefined), tryScenes(undefined)] : [];
await Promise.all([tryScenes(served), ...further]);
if (isWriting) writeFigures(figures, profile);

if (profile === 'score') failures.push(...(await tryScores(isWanted)));

const attacks = ['ci', 'mutants', 'score'].includes(profile)
  ? []
  : ATTACKS.filter(({ number, name }) => isWanted(`attack ${number} ${name}`));
await tryAttacks();

const mutants = mutantsToTry().filter(({ patch }) => isWanted(patch));
for (const name of strays) fail(`tests/mutants/${name}.patch`, 'no test is named for this mutant');
await Promise.all(Array.from({ length: Math.min(LANES, mutants.length) }, tryMutants));

const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
console.log(
  `\n${failures.length === 0 ? 'All held' : `${failures.length} failed: ${failures.join(', ')}`}, ${minutes} minutes, profile ${profile}.`,
);
process.exitCode = failures.length === 0 ? 0 : 1;

/** One lane: takes the next scene until none is left. */
async function tryScenes(url: string | undefined): Promise<void> {
  if (scenes.length === 0) return;
  const runner = await openRunner(url);
  try {
    for (let file = scenes.shift(); file; file = scenes.shift()) {
      const outcome = await runner.run(CHECKOUT, file, {
        ...process.env,
        ...sizes,
        ...(profile === 'ci' ? { BATTERY: 'small', LENIENCY: '10' } : { BATTERY: profile }),
      });
      report(outcome.code === 0, file, outcome);
      const found = figuresIn(outcome.output);
      for (const figure of found) console.log(`    ${figure}`);
      if (outcome.code === 0) figures.push(...found);
      else fail(file, outcome.output);
    }
  } finally {
    await runner.close();
  }
}

async function tryAttacks(): Promise<void> {
  if (attacks.length === 0) return;
  const runner = await openRunner(served);
  try {
    for (const attack of attacks) await tryAttack(runner, attack);
  } finally {
    await runner.close();
  }
}

/** Held = every test that is named for it ran and passed. */
async function tryAttack(runner: Runner, { number, name, tests }: Attack): Promise<void> {
  let seconds = 0;
  const why: string[] = [];
  const figures: string[] = [];
  for (const [file, names] of Object.entries(tests)) {
    const outcome = await runner.run(CHECKOUT, file, {
      ...process.env,
      ...sizes,
      BATTERY: profile === 'long' ? 'long' : 'quick',
      ...(!names.includes('') && { TEST_NAME: names.map(patternOf).join('|') }),
    });
    seconds += outcome.seconds;
    figures.push(...figuresIn(outcome.output));
    const [passed, skipped] = ['pass', 'skipped'].map((kind) => countOf(kind, outcome.output));
    if (outcome.code !== 0) why.push(lastOf(outcome.output));
    else if ((passed ?? 0) < names.length || (skipped ?? 0) > 0)
      why.push(
        `${file}: ${passed} tests ran and ${skipped} were skipped, of ${names.length} that try it`,
      );
  }
  const title = `attack ${number}, ${name}`;
  report(why.length === 0, `${title}: ${why.length === 0 ? 'held' : 'broken, or not tried'}`, {
    code: why.length,
    output: '',
    seconds,
  });
  for (const figure of figures) console.log(`    ${figure}`);
  if (why.length > 0) fail(title, why.join('\n'));
}

function countOf(kind: string, output: string): number {
  return Number(new RegExp(`^ℹ ${kind} (\\d+)$`, 'm').exec(output)?.[1] ?? 0);
}

/** One lane, with a copy of its own: takes the next mutant until none is left. */
async function tryMutants(): Promise<void> {
  const copy = makeCopy();
  const runner = await openRunner();
  try {
    for (let mutant = mutants.shift(); mutant; mutant = mutants.shift())
      await tryMutant(runner, copy, mutant);
  } finally {
    await runner.close();
    copy.remove();
  }
}

async function tryMutant(runner: Runner, copy: Copy, mutant: Mutant): Promise<void> {
  const { patch, breaks, file, test } = mutant;
  const name = `mutant ${patch}`;
  if (mutant.needsRedis && spawnSync('redis-server', ['--version']).status !== 0)
    return console.log(`- ${name}: skipped, no redis-server is found`);
  if (mutant.needsCitus && !process.env.CITUS_BIN)
    return console.log(`- ${name}: skipped, CITUS_BIN names no PostgreSQL with Citus`);
  if (mutant.needsSdk && noSdk) return console.log(`- ${name}: skipped, ${noSdk}`);
  const refusal = copy.apply(patch);
  if (refusal !== null)
    return fail(
      name,
      `tests/mutants/${patch}.patch no longer fits the source; make it anew.\n${refusal}`,
    );
  try {
    let outcome = await runMutant(runner, copy, mutant, { STEP_SECONDS: '30' });
    // A busy machine can make the test fail before it comes to what the mutant breaks.
    if (!isCaught(outcome, mutant))
      outcome = await runMutant(runner, copy, mutant, { LENIENCY: '10' });
    const caught = isCaught(outcome, mutant);
    report(caught, name, outcome);
    console.log(`    ${breaks}: ${caught ? 'caught by' : 'not caught by'} ${file} › ${test}`);
    if (!caught) fail(name, whyNotCaught(outcome, mutant));
  } finally {
    copy.restore(patch);
  }
}

function runMutant(
  runner: Runner,
  copy: Copy,
  { patch, file, test }: Mutant,
  more: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  // A failure is what is wanted.
  const { RERUNS: _, ...env } = process.env;
  const run = copy.isOfTemplate(patch) ? runTests : runner.run;
  return run(copy.folder, file, { ...env, ...more, TEST_NAME: patternOf(test) });
}

function isCaught({ code, output }: Outcome, { says }: Mutant): boolean {
  return code !== 0 && says.test(output);
}

function whyNotCaught({ code, output }: Outcome, { test, says }: Mutant): string {
  if (/^ℹ tests 0$/m.test(output)) return `there is no test whose name begins with «${test}»`;
  if (code === 0) return 'the test passes with the mutant';
  return `the test fails, but not with ${says}:\n${lastOf(output)}`;
}

/**
 * The files that hold the promises; CI runs those outside of tests/reliability with the other tests.
 */
function promises(): string[] {
  if (sizes === null) return [];
  const places = ['tests/reliability/*.test.ts', ...(isShort ? [] : SIZED)];
  const files = places.flatMap((place) => globSync(place, { cwd: CHECKOUT }).sort());
  return isShort ? files : [...new Set([...files, ...filesOfRows()])];
}

function placeOf(scene: string): number {
  const place = LONGEST.findIndex((name) => scene === `tests/reliability/${name}.test.ts`);
  return place < 0 ? LONGEST.length : place;
}

function filesOfRows(): string[] {
  return ROWS.flatMap(({ scenes }) => Object.keys(scenes)).filter((file) =>
    file.endsWith('.test.ts'),
  );
}

function mutantsToTry(): readonly Mutant[] {
  if (profile === 'attacks' || profile === 'score') return [];
  return profile === 'ci' ? chosenOf(MUTANTS) : MUTANTS;
}

function patchesWithoutTest(): string[] {
  const folder = join(CHECKOUT, 'tests/mutants');
  const known = new Set(MUTANTS.map(({ patch }) => patch));
  const patches = existsSync(folder) ? globSync('*.patch', { cwd: folder }) : [];
  return patches.map((name) => name.replace(/\.patch$/, '')).filter((name) => !known.has(name));
}

function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.some((part) => name.includes(part));
}

/** Whatever is no letter or digit may be anything. */
function patternOf(test: string): string {
  return test.replace(/[^\p{L}\d]/gu, '.');
}

function figuresIn(output: string): string[] {
  return [...output.matchAll(/(?:FIGURE |^ℹ (?=unstable: ))(.+)/gm)].map(
    (found) => found[1] as string,
  );
}

function report(isGood: boolean, name: string, { seconds }: Outcome): void {
  console.log(
    `${isGood ? '✔' : '✖'} ${name.padEnd(WIDTH - 10)} ${seconds.toFixed(1).padStart(6)} s`,
  );
}

function fail(name: string, why: string): void {
  failures.push(name);
  console.log(`✖ ${name}: ${why}`);
}

function lastOf(output: string): string {
  return output.trimEnd().split('\n').slice(-40).join('\n');
}
