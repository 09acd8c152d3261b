import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';

// No file of 300 lines, half of those of `src` of 70 at most, no function of 80, and hardly a line of
// 100 columns that could be broken. The formatter breaks all code; what it leaves are texts: SQL, HTML
// and sentences. A text of 50 characters and regular expressions may go on in their line. The linter
// counts a function without those inside it; here they count.

const MOST_LINES = 300;
const MOST_MEDIAN = 70;
const MOST_LINES_OF_FUNCTION = 80;
const MOST_COLUMNS = 100;
/** Of all lines, those that are too wide and could be broken. */
const MOST_WIDE = 0.002;
const UNBROKEN = /(['"`])(?:(?!\1).){50,}|\/.{50,}\/|https?:\/\//;

/** Tests of a whole subject, migrations, generated rows, and what a service's answers look like. */
const DESCRIPTIONS =
  /\.test\.ts$|\/migrations\/|\/wire[\w-]*\.ts$|\/db\/(?:schema|column-types)\.ts$/;

/** The line in which the body of a function begins, as the formatter writes it. */
const BODY = /(?:=>|\)(?:: [^=]+)?) \{$/;
/** The first line of a function with a name. */
const NAMED =
  /^\s*(?:export |default |async |static |get |set )*(?:function\b|const \w+ =|#?\w+(?:<.*>)?\(|\w+: )/;
const CONTROL =
  /^\s*(?:if|for|while|switch|catch|return|await|test|describe|new|throw|void|yield)\b/;

const faults: string[] = [];
const wide: string[] = [];
const lengths: number[] = [];
let lines = 0;
for await (const file of glob('{src,panel,simulators,bench,tests,scripts}/**/*.{ts,tsx}', {
  exclude: ['**/node_modules/**', 'panel/dist/**'],
})) {
  const own = readFileSync(file, 'utf8').trimEnd().split('\n');
  lines += own.length;
  if (file.startsWith('src/') && !file.endsWith('.test.ts')) lengths.push(own.length);
  const isHeld = !file.startsWith('tests/') || file.startsWith('tests/support/');
  if (isHeld && own.length > MOST_LINES && !DESCRIPTIONS.test(file))
    faults.push(`${file}: ${own.length} lines; split it by subject, ${MOST_LINES} are the most`);
  for (const { at, name, length } of longFunctions(own))
    faults.push(`${file}:${at} ${name}: ${length} lines, ${MOST_LINES_OF_FUNCTION} are the most`);
  for (const [at, line] of own.entries())
    if (line.length > MOST_COLUMNS && !UNBROKEN.test(line)) wide.push(`${file}:${at + 1}`);
}
const median = lengths.sort((a, b) => a - b)[Math.floor(lengths.length / 2)] ?? 0;
if (median > MOST_MEDIAN)
  faults.push(`half of the files of src have ${median} lines or more, ${MOST_MEDIAN} are the most`);
if (wide.length > lines * MOST_WIDE)
  faults.push(
    `${wide.length} of ${lines} lines are wider than ${MOST_COLUMNS} columns, such as ${wide.slice(-5)}`,
  );
for (const fault of faults) console.error(fault);
if (process.argv.includes('--count'))
  console.log(
    `median ${median} lines; ${wide.length} of ${lines} lines are too wide:\n${wide.join('\n')}`,
  );
process.exitCode = faults.length === 0 ? 0 : 1;

/** By the indentation of the formatter, which ends a function where it began. */
function* longFunctions(own: readonly string[]) {
  for (const [body, line] of own.entries()) {
    if (!BODY.test(line)) continue;
    const indent = indentOf(line);
    // A head of several lines ends in `)` or `}`, as far to the left as it begins.
    const from = own.findLastIndex(
      (other, at) => at <= body && indentOf(other) === indent && !/^\s*[)}]/.test(other),
    );
    const head = own[from] ?? '';
    if (!NAMED.test(head) || CONTROL.test(head)) continue;
    const end = own.findIndex((other, at) => at > body && other.startsWith(`${indent}}`));
    const length = end - from + 1;
    if (length > MOST_LINES_OF_FUNCTION) yield { at: from + 1, name: head.trim(), length };
  }
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}
