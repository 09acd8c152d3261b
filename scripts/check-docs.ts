import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { envExample, settingsTable } from '../src/platform/config.ts';

// What the documents name must exist, and their settings must be those that config.ts reads. `--write` writes the latter.

const SETTINGS = 'docs/running.md';
const TABLE = /(?<=<!-- settings -->\n\n).*(?=\n\n<!-- end of settings -->)/s;

const faults: string[] = [];
for (const [file, wanted] of [
  ['.env.example', envExample()],
  [SETTINGS, read(SETTINGS).replace(TABLE, settingsTable)],
] as const) {
  if (process.argv.includes('--write')) writeFileSync(file, wanted);
  if (read(file) !== wanted || (file === SETTINGS && !TABLE.test(wanted)))
    faults.push(`${file} differs from src/platform/config.ts: run node scripts/check-docs.ts --write`);
}
for await (const file of glob(['*.md', 'docs/**/*.md'])) {
  const text = readFileSync(file, 'utf8');
  for (const [, target = ''] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
    if (!/^[a-z]+:/.test(target) && !existsSync(join(dirname(file), target)))
      faults.push(`${file}: the link ${target} leads nowhere`);
  }
  for (const [, path = ''] of text.matchAll(/`((?:src|tests|simulators|bench|scripts|docs)\/[\w./-]*)`/g)) {
    if (!existsSync(path)) faults.push(`${file}: there is no ${path}`);
  }
}
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exitCode = 1;
}

function read(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
