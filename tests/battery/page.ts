/** The table of `docs/battery.md`: the rows of reliability with the figures of their last run. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './copy.ts';
import { ROWS, type Row } from './reliability.ts';

const FIGURES = 'tests/battery/figures.json';

interface Figure {
  readonly figure: string;
  readonly profile: string;
  /** The day of the run, in UTC. */
  readonly on: string;
}

/** Keeps what a run measured; rows that it did not measure keep their last figure. */
export function writeFigures(figures: readonly string[], profile: string): void {
  const kept = readFigures();
  const on = Temporal.Now.plainDateISO('UTC').toString();
  for (const row of ROWS) {
    const found = figures.find((figure) => figure.startsWith(startOf(row)));
    if (found) kept[row.number] = { figure: found.slice(row.number.length + 1), profile, on };
  }
  const inOrder = ROWS.flatMap(({ number }) => {
    const figure = kept[number];
    return figure ? [[number, figure] as const] : [];
  });
  const text = JSON.stringify(Object.fromEntries(inOrder), null, 2);
  writeFileSync(join(CHECKOUT, FIGURES), `${text}\n`);
  execFileSync(process.execPath, ['scripts/check-docs.ts', '--write'], { cwd: CHECKOUT });
}

export function batteryTable(): string {
  const figures = readFigures();
  return [
    '| # | Promise | Scenes | Mutants | Last figure |',
    '|---|---|---|---|---|',
    ...ROWS.map((row) => {
      const last = figures[row.number];
      const figure = last ? `${last.figure} (${last.profile}, ${last.on})` : 'not measured yet';
      const lacks = row.lacks ? `. **Not shown**: ${row.lacks}` : '';
      const promise = `${row.promise}: ${row.bar}${lacks}`;
      const mutants = row.mutants.map((name) => `\`${name}\``).join(', ');
      return `| ${row.number} | ${promise} | ${scenesOf(row)} | ${mutants} | ${figure} |`;
    }),
  ].join('\n');
}

function scenesOf({ scenes }: Row): string {
  return Object.entries(scenes)
    .map(([file, tests]) =>
      [`\`${file}\``, tests.map((name) => `“${name}”`).join(', ')].join(' ').trimEnd(),
    )
    .join('; ');
}

function startOf({ number, figure }: Row): string {
  return `${number} ${figure}`;
}

function readFigures(): Record<string, Figure> {
  const path = join(CHECKOUT, FIGURES);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}
