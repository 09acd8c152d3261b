import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { columnTypesText, readTables, schemaText } from '../scripts/schema-text.ts';
import { atDatabase, ownDatabase } from './support/server.ts';

test('the types of the tables are those of the migrated database', async () => {
  const tables = await atDatabase(await ownDatabase(), readTables);
  const written = {
    'src/platform/db/schema.ts': schemaText(tables),
    'src/platform/db/column-types.ts': columnTypesText(tables),
  };
  for (const [file, text] of Object.entries(written))
    assert.equal(readFileSync(file, 'utf8'), formatted(file, text), `${file}: npm run schema`);
});

function formatted(file: string, text: string): string {
  return execFileSync('node_modules/.bin/biome', ['format', `--stdin-file-path=${file}`], {
    input: text,
    encoding: 'utf8',
  });
}
