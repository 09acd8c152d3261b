import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { tokenizer } from 'acorn';

// No regular expression of the product takes time that grows faster than its text: what it reads may come from a stranger.
// Each literal of src/ is judged by recheck; a control is judged first, so that a judge that sees nothing is noticed.

// Its own JavaScript: the other engines are programs that an installation would have to bring.
process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = await import('recheck');

interface Literal {
  readonly place: string;
  readonly pattern: string;
  readonly flags: string;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONTROLS: readonly Literal[] = [
  { place: 'control', pattern: '^(a+)+$', flags: '' },
  { place: 'control', pattern: 'token.*(expir|venci)', flags: 'i' },
];

const literals = globSync('src/**/*.ts', {
  cwd: ROOT,
  exclude: (name) => name.endsWith('.test.ts'),
}).flatMap(literalsOf);
const missed = CONTROLS.filter((control) => faultOf(control) === null);
const faults = literals.flatMap((literal) => {
  const fault = faultOf(literal);
  return fault ? [`${literal.place}: /${literal.pattern}/${literal.flags} is ${fault}`] : [];
});
if (missed.length > 0) faults.push('recheck does not see an expression that is known to be slow');
process.stdout.write(
  `${literals.length} regular expressions of src/ judged, ${faults.length} refused\n`,
);
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exitCode = 1;
}

function literalsOf(file: string): Literal[] {
  const code = stripTypeScriptTypes(readFileSync(`${ROOT}/${file}`, 'utf8'));
  const tokens = [
    ...tokenizer(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true }),
  ];
  return tokens.flatMap((token) => {
    const value = 'value' in token ? token.value : null;
    return isRegularExpression(value)
      ? [{ ...value, place: `${file}:${token.loc?.start.line ?? 0}` }]
      : [];
  });
}

/** Null = its time grows no faster than the text. */
function faultOf({ pattern, flags }: Literal): string | null {
  const judged = checkSync(pattern, flags, { timeout: 30_000 });
  if (judged.status === 'safe') return null;
  return judged.status === 'vulnerable'
    ? `slow (${judged.complexity.summary})`
    : 'not decided within 30 s';
}

function isRegularExpression(value: unknown): value is { pattern: string; flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value;
}
