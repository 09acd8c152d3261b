/** Backups of the whole installation, and their restore. */
export { checkBackup, restoreBackup, settleServed } from './restore.ts';
export { lastRestore } from './store.ts';
export { beginRestore, endRestore, isUnfinished, UNFINISHED_RESTORE } from './unfinished.ts';
export { openBackup } from './write-backup.ts';
