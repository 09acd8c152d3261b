import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

// Every export is imported by another file. Imports name their `.ts` file, so text is enough to
// find them.

const FILES = [
  'src/**/*.ts',
  'panel/src/**/*.{ts,tsx}',
  'simulators/**/*.ts',
  'tests/**/*.ts',
  'bench/**/*.ts',
  'scripts/*.ts',
];
const DECLARED =
  /^export (?:declare )?(?:async )?(?:const|let|function\*?|class|abstract class|interface|type|enum) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm;
const STARRED = /^export \* from '([^']+)'/gm;
const IMPORTED = /^import (?:type )?(?:\w+,? ?)?(?:\{([^}]*)\}|\* as (\w+))? ?from '([^']+)'/gm;
const ALONE = /\bimport\('([^']+)'\)(?:\.(\w+))?/g;

interface Source {
  readonly path: string;
  readonly text: string;
}

const sources = globSync(FILES, { exclude: (name) => name.includes('node_modules') }).map(
  (path): Source => ({ path: normalize(path), text: readFileSync(path, 'utf8') }),
);
/** Names that are imported, by file; `*` = all of them. */
const imported = new Map<string, Set<string>>();
for (const source of sources) noteImports(source);

const unused = sources.flatMap((source) => {
  const names = imported.get(source.path) ?? new Set();
  if (names.has('*')) return [];
  return exportsOf(source)
    .filter((name) => !names.has(name))
    .map((name) => `${source.path}: no other file imports ${name}`);
});
if (unused.length > 0) {
  process.stderr.write(`${unused.join('\n')}\n${unused.length} unused exports\n`);
  process.exitCode = 1;
}

function noteImports({ path, text }: Source): void {
  for (const [, list, star, from] of text.matchAll(IMPORTED))
    note(
      path,
      from,
      star ? membersOf(text, star) : namesIn(list ?? '').map(({ original }) => original),
    );
  for (const [, list, from] of text.matchAll(LISTED))
    note(
      path,
      from,
      namesIn(list ?? '').map(({ original }) => original),
    );
  for (const [, from] of text.matchAll(STARRED)) note(path, from, ['*']);
  for (const [, from, member] of text.matchAll(ALONE))
    note(path, from, [member === undefined || member === 'then' ? '*' : member]);
}

/** What is taken of a namespace; a namespace that is handed on as a whole uses everything. */
function membersOf(text: string, namespace: string): string[] {
  const uses = [
    ...text.matchAll(new RegExp(`\\b${RegExp.escape(namespace)}\\b(?:\\.(\\w+))?`, 'g')),
  ].slice(1);
  return uses.map(([, member]) => member ?? '*');
}

function note(importer: string, from: string | undefined, names: readonly string[]): void {
  if (!from?.startsWith('.')) return;
  const file = normalize(join(dirname(importer), from));
  const known = imported.get(file) ?? new Set();
  for (const name of names) known.add(name);
  imported.set(file, known);
}

function exportsOf({ text }: Source): string[] {
  const declared = [...text.matchAll(DECLARED)].map(([, name]) => name as string);
  const listed = [...text.matchAll(LISTED)].flatMap(([, list]) =>
    namesIn(list ?? '').map(({ exported }) => exported),
  );
  return [...declared, ...listed];
}

/** `type a as b` → the name where it is declared, and the name it has outside. */
function namesIn(list: string): { original: string; exported: string }[] {
  return list
    .split(',')
    .map((one) => one.trim().replace(/^type /, ''))
    .filter((one) => one !== '')
    .map((one) => {
      const [original, exported] = one.split(' as ') as [string, string | undefined];
      return { original, exported: exported ?? original };
    });
}
