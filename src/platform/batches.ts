import { Failure } from './failure.ts';

/**
 * Lets those who come while work is under way share the next piece of work, and its wait for the
 * disk.
 */
interface Batches<Item, Result> {
  /**
   * Whoever comes first with a key is worked on at once; those who come while nobody is free follow
   * together.
   */
  add(key: string, item: Item): Promise<Result>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Those of one key. */
interface Line<Item, Result> {
  readonly waiting: Waiting<Item, Result>[];
  /** Batches under way. */
  running: number;
}

/**
 * @param most items of one batch
 * @param atOnce batches of one key under way: a second one makes itself ready while the first one
 * waits for the disk
 * @param run does all or nothing; its results are in the order of the items. What fails on a batch
 * is tried with each
 *   item apart, so that one that cannot be done harms no other.
 */
export function openBatches<Item, Result>(
  { most, atOnce }: { readonly most: number; readonly atOnce: number },
  run: (key: string, items: readonly Item[]) => Promise<readonly Result[]>,
): Batches<Item, Result> {
  const lines = new Map<string, Line<Item, Result>>();

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

  async function workOff(key: string, line: Line<Item, Result>): Promise<void> {
    line.running++;
    while (line.waiting.length > 0) await work(key, line.waiting.splice(0, most));
    if (--line.running === 0) lines.delete(key);
  }

  return {
    add(key, item) {
      return new Promise((resolve, reject) => {
        const line = lines.get(key) ?? { waiting: [], running: 0 };
        lines.set(key, line);
        line.waiting.push({ item, resolve, reject });
        if (line.running < atOnce) void workOff(key, line);
      });
    },
  };
}
