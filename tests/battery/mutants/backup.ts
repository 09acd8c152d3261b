import type { Mutant } from '../mutant.ts';

const FILE = 'tests/backup.test.ts';
const REMOVALS = 'tests/removals.test.ts';
const GUIDES = 'tests/backup-guides.test.ts';

export const BACKUP: readonly Mutant[] = [
  {
    patch: 'backup-cut-unseen',
    breaks: 'a backup whose last boxes are missing looks whole',
    file: FILE,
    test: 'a file that is cut, altered',
    says: /cut between boxes|deep-equal/,
  },
  {
    patch: 'clocks-behind-after-restore',
    breaks: 'stamps that were given after the backup are given again',
    file: FILE,
    test: 'after a restore clocks pass every stamp',
    says: /PERDIDA/,
  },
  {
    patch: 'clocks-barely-ahead-after-restore',
    breaks: 'stamps of a machine whose clock was ahead are given again',
    file: FILE,
    test: 'after a restore clocks pass every stamp',
    says: /PERDIDA/,
  },
  {
    patch: 'agents-stay-after-restore',
    breaks: 'tokens that agents had at the backup are valid again, also revoked ones',
    file: FILE,
    test: 'after a restore clocks pass every stamp',
    says: /RefreshToken/,
  },
  {
    patch: 'backup-over-another',
    breaks: 'two backups write to one unfinished file',
    file: FILE,
    test: 'a backup replaces no file',
    says: /Otra copia se escribe/,
  },
  {
    patch: 'restore-over-a-service',
    breaks: 'a restore begins in the folder of a running service',
    file: FILE,
    test: 'a restore over a running service is refused',
    says: /Ya hay una base de datos/,
  },
  {
    patch: 'dead-tokens-after-restore',
    breaks: 'an account whose refresh token was renewed after the backup looks connected',
    file: FILE,
    test: 'after a restore clocks pass every stamp',
    says: /reauth_required/,
  },
  {
    patch: 'half-restore-starts',
    breaks: 'a service starts on a restore that was cut short',
    file: FILE,
    test: 'a restore that is killed before its load',
    says: /notStrictEqual|not to be strictly equal|0/,
  },
  {
    patch: 'index-lost-in-restore',
    breaks: 'a restored table lacks an index that was built after its rows',
    file: FILE,
    test: 'a backup of a service at rest',
    says: /definition/,
  },
  {
    patch: 'dump-without-the-rules',
    breaks: 'jobs of a restored dump are done, also those that were done since',
    file: 'tests/reliability/served-restore.test.ts',
    test: 'a dump comes back by pg_restore',
    says: /a job of the dump is there/,
  },
  {
    patch: 'removed-is-back',
    breaks: 'what was erased, forgotten or revoked after a backup is there again after its restore',
    file: REMOVALS,
    test: 'a restore with the journal',
    says: /repeated/,
  },
  {
    patch: 'forgotten-unjournaled',
    breaks: 'a buyer who was forgotten is not in the journal of removals',
    file: REMOVALS,
    test: 'a restore with the journal',
    says: /buyers/,
  },
  {
    patch: 'removals-wait-for-a-command',
    breaks: 'the service writes no journal of removals',
    file: REMOVALS,
    test: 'a restore with the journal',
    says: /ENOENT/,
  },
  {
    patch: 'cancelled-guide-recalled',
    breaks: 'a guide that was cancelled after the backup counts as valid after the restore',
    file: GUIDES,
    test: 'a guide that was bought and cancelled after the backup',
    says: /the cancelled guide counts as valid/,
  },
  {
    patch: 'guide-bought-after-restore',
    breaks: 'a guide that was bought since the backup is bought again',
    file: GUIDES,
    test: 'a guide that the carrier sold after the backup',
    says: /actual: '\d+'/,
  },
  {
    patch: 'guide-without-listing',
    breaks: 'a guide is bought though the listing since the backup was not read',
    file: GUIDES,
    test: 'without the carrier’s listing no guide is bought',
    says: /listing_unread/,
  },
  {
    patch: 'account-removal-unrepeated',
    breaks: 'the buyers of an account whose seller uninstalled us come back with a restore',
    file: REMOVALS,
    test: 'an account whose seller uninstalled us',
    says: /Olvidada/,
  },
  {
    patch: 'unwritten-journal-in-silence',
    breaks: 'no alert says that the journal of removals cannot be written',
    file: REMOVALS,
    test: 'while the journal cannot be written',
    says: /The input did not match/,
  },
];
