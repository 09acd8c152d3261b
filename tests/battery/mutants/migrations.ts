import type { Mutant } from '../mutant.ts';

const MIGRATIONS = 'tests/migrations.test.ts';

export const MIGRATION_MUTANTS: readonly Mutant[] = [
  {
    patch: 'migration-waits-before-readers',
    breaks: 'a migration waits for its table, and every reader behind it',
    file: MIGRATIONS,
    test: 'a migration that waits for a table lets readers pass',
    says: /statement timeout/,
  },
  {
    patch: 'newer-schema-starts',
    breaks: 'a release starts on the schema of a newer one',
    file: MIGRATIONS,
    test: 'a schema of a newer release is refused',
    says: /null !== 1|'SIGKILL' !== 1|timed out/,
  },
  {
    patch: 'migration-of-two-homes',
    breaks: 'a migration changes a table of organisations and one of the coordinator',
    file: MIGRATIONS,
    test: 'a migration is of tables of organisations or',
    says: /0066-pauses/,
  },
];
