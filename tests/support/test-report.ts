import { existsSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { spec } from 'node:test/reporters';
import { DURATIONS, readDurations } from './test-files.ts';
import { type RanFile, shownEvent } from './test-pool.ts';

/** Names of the figures at the end of a run, and of the same ones in a file's summary. */
const FIGURES = [
  ['tests', 'tests'],
  ['suites', 'suites'],
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['cancelled', 'cancelled'],
  ['skipped', 'skipped'],
  ['todo', 'todo'],
] as const;

/** Tests that the end of a report names. */
const SLOWEST = 5;

interface Report {
  /** A file that runs again counts by its last run. */
  add(ran: RanFile): void;
  failed(): readonly string[];
  /** Names the files that passed only when they ran again. @returns whether every file passed */
  end(): Promise<boolean>;
}

interface ReportOptions {
  readonly measure: boolean;
  readonly leftOut: string | null;
}

/**
 * Shows each file when it has ended, and the sums at the end.
 * @param measure also writes down how long each file took
 * @param leftOut says which tests did not run
 */
export function openReport({ measure, leftOut }: ReportOptions): Report {
  const began = performance.now();
  const all = new Map<string, RanFile>();
  const unstable: string[] = [];
  const events = new PassThrough({ objectMode: true });
  const shown = events.compose(spec);
  shown.pipe(process.stdout);
  const say = (message: string) =>
    events.write({ type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } });

  return {
    add(ran) {
      if (all.has(ran.file) && ran.success) unstable.push(ran.file);
      all.set(ran.file, ran);
      for (const event of ran.events) events.write(shownEvent(event));
    },
    failed: () => failedOf(all),
    async end() {
      for (const file of unstable) say(`unstable: ${file} failed, and passed when it ran again`);
      const ran = [...all.values()];
      for (const [shownAs, name] of FIGURES)
        say(`${shownAs} ${ran.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)}`);
      say(`duration_ms ${performance.now() - began}`);
      for (const { name, seconds } of slowestOf(ran))
        say(`slowest: ${seconds.toFixed(1)} s ${name}`);
      if (leftOut) say(leftOut);
      events.end();
      await finished(shown, { writable: false });
      if (measure) writeDurations(ran);
      return failedOf(all).length === 0;
    },
  };
}

/** They are the ones to make faster, or to tag `slow`. */
function slowestOf(ran: readonly RanFile[]): { name: string; seconds: number }[] {
  return ran
    .flatMap(({ events }) => events)
    .flatMap(({ data: { name = '', details } }) =>
      details?.duration_ms && details.type !== 'suite'
        ? [{ name, seconds: details.duration_ms / 1_000 }]
        : [],
    )
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST);
}

function failedOf(all: ReadonlyMap<string, RanFile>): string[] {
  return [...all.values()].filter(({ success }) => !success).map(({ file }) => file);
}

/** Of the files that ran; those of the others stay. */
function writeDurations(all: readonly RanFile[]): void {
  const measured = all.map(({ file, seconds }) => [file, Math.round(seconds)] as const);
  const longest = Object.entries({ ...readDurations(), ...Object.fromEntries(measured) })
    .filter(([file]) => existsSync(file))
    .toSorted(([, a], [, b]) => b - a);
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(longest), null, 2)}\n`);
}
