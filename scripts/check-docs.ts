import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { versionsTable } from '../src/carriers/versions-table.ts';
import { COMMANDS } from '../src/commands/index.ts';
import { envExample, settingsTable } from '../src/platform/config-documents.ts';
import { batteryTable } from '../tests/battery/page.ts';
import { publishedLines } from '../tests/support/published.ts';
import { faultsOfSecurityPage } from './security-page.ts';

// What the documents name must exist, and their tables must be those of the code. `--write` writes
// the tables.

const faults: string[] = [];
for (const [file, wanted] of [
  ['.env.example', envExample()],
  ['docs/running.md', withTable('docs/running.md', 'settings', settingsTable())],
  ['tests/spec/published.txt', publishedLines()],
  ['docs/battery.md', withTable('docs/battery.md', 'battery', batteryTable())],
  [
    'docs/marketplaces/versions.md',
    withTable('docs/marketplaces/versions.md', 'versions', versionsTable()),
  ],
] as const) {
  if (wanted === null) {
    faults.push(`${file} has no place for its table`);
    continue;
  }
  if (process.argv.includes('--write')) writeFileSync(file, wanted);
  if (read(file) !== wanted) faults.push(`${file} differs from the code: run npm run docs`);
}
for await (const file of glob(['*.md', '{docs,deploy}/**/*.md'])) {
  const text = readFileSync(file, 'utf8');
  for (const [, target = ''] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
    if (!/^[a-z]+:/.test(target) && !existsSync(join(dirname(file), target)))
      faults.push(`${file}: the link ${target} leads nowhere`);
  }
  for (const [, path = ''] of text.matchAll(
    /`((?:src|tests|simulators|bench|scripts|docs|deploy)\/[\w./-]*)`/g,
  )) {
    if (!existsSync(path)) faults.push(`${file}: there is no ${path}`);
  }
  // A test that a page names: `tests/orders.test.ts` “its title”, and further titles of that file.
  for (const [, path = '', titles = ''] of text.matchAll(
    /`([\w./-]+\.test\.ts)`((?:,? “[^”]+”)+)/g,
  ))
    for (const [, title = ''] of titles.matchAll(/“([^”]+)”/g))
      if (!read(path).includes(title)) faults.push(`${file}: ${path} has no test “${title}”`);
}
const commands = read('docs/running.md').split('\n## Commands\n')[1]?.split('\n## ')[0] ?? '';
for (const name of Object.keys(COMMANDS))
  if (!commands.includes(`\`${name}\``) && !commands.includes(`\`${name} `))
    faults.push(`docs/running.md: the table of commands lacks ${name}`);
faults.push(
  ...faultsOfSecurityPage(read('docs/security.md')).map((fault) => `docs/security.md: ${fault}`),
);
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exitCode = 1;
}

/** The page with the table between its two marks; null where it has no such marks. */
function withTable(file: string, name: string, table: string): string | null {
  const page = read(file);
  const [start, end] = [`<!-- ${name} -->\n\n`, `\n\n<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to < from) return null;
  return page.slice(0, from + start.length) + table + page.slice(to);
}

function read(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
