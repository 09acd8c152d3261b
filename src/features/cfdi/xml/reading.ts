import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TaxDocument } from './record.ts';
import { DocumentRefusal, type RefusalReason } from './refusal.ts';

/** Reads one document after the other. @throws DocumentRefusal */
export type ReadXml = (bytes: Uint8Array) => Promise<TaxDocument>;

type Answer =
  | { readonly record: TaxDocument }
  | { readonly reason: RefusalReason; readonly path: string | null; readonly message: string };

/** A document that needs more is refused, and the next one gets a new thread. */
const MOST_MEGABYTES = 50;

/** Does work that reads documents; the thread that reads them ends with it. */
export async function reading<T>(work: (read: ReadXml) => Promise<T>): Promise<T> {
  let worker: Worker | null = null;
  try {
    return await work(async (bytes) => {
      worker ??= openWorker();
      const answer = await ask(worker, bytes);
      if (answer !== 'out of memory') return recordOf(answer);
      worker = null;
      throw new DocumentRefusal('demasiado_grande');
    });
  } finally {
    await (worker as Worker | null)?.terminate();
  }
}

function openWorker(): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: MOST_MEGABYTES };
  return new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits });
}

async function ask(worker: Worker, bytes: Uint8Array): Promise<Answer | 'out of memory'> {
  const answered = once(worker, 'message') as Promise<[Answer]>;
  worker.postMessage(bytes);
  try {
    return (await answered)[0];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      return 'out of memory';
    throw error;
  }
}

function recordOf(answer: Answer): TaxDocument {
  if ('record' in answer) return answer.record;
  const { reason, path, message } = answer;
  throw new DocumentRefusal(reason, path, path === null ? message : message.slice(path.length + 2));
}
