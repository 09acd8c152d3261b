import { Failure } from './failure.ts';

/**
 * Group commit: the first call of a key runs at once; calls that arrive meanwhile form the next
 * batch, and share its transaction and its wait for the disk.
 */
interface GroupCommit<Item, Result> {
  add(key: string, item: Item): Promise<Result>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The calls of one key. */
interface Queue<Item, Result> {
  readonly waiting: Waiting<Item, Result>[];
  /** Batches that run now. */
  running: number;
}

/**
 * @param most items of one batch
 * @param atOnce batches of one key that run at once: a second one is prepared while the first one
 * waits for the disk
 * @param run does all or nothing; its results are in the order of the items. A batch that fails is
 * repeated item by item, so that one item that fails harms no other; a Failure rejects all of the
 * batch, so that `run` throws one only for what concerns every item.
 */
export function openGroupCommit<Item, Result>(
  { most, atOnce }: { readonly most: number; readonly atOnce: number },
  run: (key: string, items: readonly Item[]) => Promise<readonly Result[]>,
): GroupCommit<Item, Result> {
  const queues = new Map<string, Queue<Item, Result>>();

  async function runBatch(key: string, batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(
        key,
        batch.map(({ item }) => item),
      );
      for (const [at, waiting] of batch.entries()) waiting.resolve(results[at] as Result);
    } catch (error) {
      if (batch.length > 1 && !(error instanceof Failure)) {
        for (const waiting of batch) await runBatch(key, [waiting]);
        return;
      }
      for (const waiting of batch) waiting.reject(error);
    }
  }

  async function drain(key: string, queue: Queue<Item, Result>): Promise<void> {
    queue.running++;
    while (queue.waiting.length > 0) await runBatch(key, queue.waiting.splice(0, most));
    if (--queue.running === 0) queues.delete(key);
  }

  return {
    add(key, item) {
      return new Promise((resolve, reject) => {
        const queue = queues.get(key) ?? { waiting: [], running: 0 };
        queues.set(key, queue);
        queue.waiting.push({ item, resolve, reject });
        if (queue.running < atOnce) void drain(key, queue);
      });
    },
  };
}
