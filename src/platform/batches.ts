import { Failure } from './failure.ts';

/** Lets those who come while work is under way share the next piece of work, and its wait for the disk. */
export interface Batches<Item, Result> {
  /** Whoever comes first with a key is worked on at once; the others of that key follow together. */
  add(key: string, item: Item): Promise<Result>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * @param most items of one batch
 * @param run does all or nothing; its results are in the order of the items. What fails on a batch is tried with each
 *   item apart, so that one that cannot be done harms no other.
 */
export function openBatches<Item, Result>(
  most: number,
  run: (key: string, items: readonly Item[]) => Promise<readonly Result[]>,
): Batches<Item, Result> {
  /** By key, while work is under way: who waits for the next. */
  const lines = new Map<string, Waiting<Item, Result>[]>();

  async function work(key: string, batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(
        key,
        batch.map(({ item }) => item),
      );
      for (const [at, waiting] of batch.entries()) waiting.resolve(results[at] as Result);
    } catch (error) {
      if (batch.length > 1 && !(error instanceof Failure)) {
        for (const waiting of batch) await work(key, [waiting]);
        return;
      }
      for (const waiting of batch) waiting.reject(error);
    }
  }

  async function workOff(key: string, line: Waiting<Item, Result>[]): Promise<void> {
    while (line.length > 0) await work(key, line.splice(0, most));
    lines.delete(key);
  }

  return {
    add(key, item) {
      return new Promise((resolve, reject) => {
        const line = lines.get(key) ?? [];
        line.push({ item, resolve, reject });
        if (lines.has(key)) return;
        lines.set(key, line);
        void workOff(key, line);
      });
    },
  };
}
