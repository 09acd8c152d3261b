import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/platform/clock.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { openEmbedded } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { columnTypesText, readTables, schemaText } from './schema-text.ts';

// Migrates an embedded database of its own and writes the types of its tables.

const SCHEMA = 'src/platform/db/schema.ts';
const COLUMN_TYPES = 'src/platform/db/column-types.ts';

const folder = mkdtempSync(join(tmpdir(), 'tianguis-schema-'));
// A folder closed to others would send root's database to /var/lib.
chmodSync(folder, 0o755);
const server = await openEmbedded({ dataDir: folder });
try {
  const database = openDatabase({
    address: server,
    clock: systemClock,
    readerTimeoutSeconds: 15,
    onIdleError: console.error,
  });
  try {
    await migrate(database);
    const client = await database.connect();
    const tables = await readTables(client);
    await client.end();
    writeFileSync(SCHEMA, schemaText(tables));
    writeFileSync(COLUMN_TYPES, columnTypesText(tables));
  } finally {
    await database.close();
  }
  execFileSync('node_modules/.bin/biome', ['format', '--write', SCHEMA, COLUMN_TYPES], {
    stdio: 'inherit',
  });
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
