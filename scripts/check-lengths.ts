import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';

// No file of 300 lines, and hardly a line of 100 columns that could be broken. The formatter breaks
// all code; what it leaves are texts: SQL, HTML and sentences. A text of 50 characters and regular
// expressions may go on in their line.

const MOST_LINES = 300;
const MOST_COLUMNS = 100;
/** Of all lines, those that are too wide and could be broken. */
const MOST_WIDE = 0.0025;
const UNBROKEN = /(['"`])(?:(?!\1).){50,}|\/.{50,}\/|https?:\/\//;

/** Tests of a whole subject, migrations, generated rows, and what a service's answers look like. */
const DESCRIPTIONS =
  /\.test\.ts$|\/migrations\/|\/wire[\w-]*\.ts$|\/db\/(?:schema|column-types)\.ts$/;

const faults: string[] = [];
const wide: string[] = [];
let lines = 0;
for await (const file of glob('{src,panel,simulators,bench,tests,scripts}/**/*.{ts,tsx}', {
  exclude: ['**/node_modules/**', 'panel/dist/**'],
})) {
  const own = readFileSync(file, 'utf8').trimEnd().split('\n');
  lines += own.length;
  const isHeld = !file.startsWith('tests/') || file.startsWith('tests/support/');
  if (isHeld && own.length > MOST_LINES && !DESCRIPTIONS.test(file))
    faults.push(`${file}: ${own.length} lines; split it by subject, ${MOST_LINES} are the most`);
  for (const [at, line] of own.entries())
    if (line.length > MOST_COLUMNS && !UNBROKEN.test(line)) wide.push(`${file}:${at + 1}`);
}
if (wide.length > lines * MOST_WIDE)
  faults.push(
    `${wide.length} of ${lines} lines are wider than ${MOST_COLUMNS} columns, such as ${wide.slice(-5)}`,
  );
for (const fault of faults) console.error(fault);
if (process.argv.includes('--count'))
  console.log(`${wide.length} of ${lines} lines are too wide:\n${wide.join('\n')}`);
process.exitCode = faults.length === 0 ? 0 : 1;
