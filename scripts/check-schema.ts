import { MIGRATIONS_DIGEST } from '../src/platform/db/schema.ts';
import { digestOfMigrations } from './schema-text.ts';

// A migration that changed after the types of the tables were written. That these are those of the
// database is for tests/schema.test.ts to say.

if (MIGRATIONS_DIGEST !== digestOfMigrations()) {
  process.stderr.write('src/platform/db/schema.ts is not of these migrations: npm run schema\n');
  process.exitCode = 1;
}
