import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { envExample } from '../src/platform/config.ts';

// What the documents name must exist, and .env.example must say what config.ts reads. `--write` writes the latter.

const faults: string[] = [];
if (process.argv.includes('--write')) {
  const { writeFileSync } = await import('node:fs');
  writeFileSync('.env.example', envExample());
}
if (!existsSync('.env.example') || readFileSync('.env.example', 'utf8') !== envExample()) {
  faults.push('.env.example differs from src/platform/config.ts: run node scripts/check-docs.ts --write');
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
