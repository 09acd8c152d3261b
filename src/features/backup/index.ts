/** Backups of the whole installation, and their restore. */
export { checkBackup, type Restored, restoreBackup } from './restore.ts';
export { openBackup } from './write-backup.ts';
