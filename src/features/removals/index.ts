/** What was erased, forgotten or revoked, as a restore repeats it. */
export { JOURNAL, readJournal, writeJournal } from './journal.ts';
export { isKnown, keepRemoval, NO_ORGANIZATION, noteRemoval, type Removal } from './removals.ts';
export { KEEP_DAYS, RETENTIONS, removeOf, requireJournal } from './store.ts';
