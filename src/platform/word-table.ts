import { AsyncLocalStorage } from 'node:async_hooks';

const unknownWords = new AsyncLocalStorage<Set<string>>();

/**
 * The table's value of the first of these foreign words that it has; a word such as `constructor`
 * is in no table of ours.
 */
export function inTable<T>(
  table: Readonly<Record<string, T>>,
  ...words: readonly string[]
): T | undefined {
  for (const word of words) if (Object.hasOwn(table, word)) return table[word];
  unknownWords.getStore()?.add(words[0] ?? '');
  return undefined;
}

/** Runs `work`, and collects the words that it found in no table. */
export function watchingTables<T>(words: Set<string>, work: () => Promise<T>): Promise<T> {
  return unknownWords.run(words, work);
}
