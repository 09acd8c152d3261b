import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PackedContent } from '../upload/files.ts';
import type { TaxDocument } from './record.ts';
import { DocumentRefusal, type RefusalReason } from './refusal.ts';

/** A document that was read, with the bytes that it was read from. */
export interface ReadDocument {
  readonly record: TaxDocument;
  readonly xml: Uint8Array;
}

type Result = ReadDocument | DocumentRefusal;

/** Reads documents in a thread whose memory is bounded. */
export interface DocumentReader {
  /** @throws DocumentRefusal */
  read(xml: Uint8Array): Promise<TaxDocument>;
  /**
   * Takes the bytes of the files. @returns each file unpacked and read, or its refusal, in their
   * order
   */
  readPacked(files: readonly PackedContent[]): Promise<Result[]>;
}

/** What the thread is asked. */
export type Question =
  | (PackedContent & { readonly packed: Uint8Array<ArrayBuffer> })
  | { readonly xml: Uint8Array<ArrayBuffer> };
/** What it answers; the bytes are handed over. */
export type Answer =
  | { readonly record: TaxDocument; readonly xml: Uint8Array<ArrayBuffer> }
  | { readonly reason: RefusalReason; readonly path: string | null; readonly message: string };

/** Of what is made of a document; one that needs more is refused, and the next gets a new thread. */
const MOST_MEGABYTES = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8 };
/** What a buffer may have beside the bytes that are meant. */
const SLACK = 1_024;

/** Does work that reads documents; the thread that reads them ends with it. */
export async function reading<T>(work: (reader: DocumentReader) => Promise<T>): Promise<T> {
  let worker: Worker | null = null;
  const ask = async (questions: readonly Question[]): Promise<Result[]> => {
    worker ??= openWorker();
    const answers = await answersOf(worker, questions);
    if (answers !== 'out of memory') return answers.map(resultOf);
    worker = null;
    if (questions.length === 1) return [new DocumentRefusal('demasiado_grande')];
    // Alone, only the one that needs too much is refused.
    const results: Result[] = [];
    for (const question of questions) results.push(...(await ask([question])));
    return results;
  };
  try {
    return await work({
      async read(xml) {
        const [result] = (await ask([{ xml: ownBytes(xml) }])) as [Result];
        if (result instanceof DocumentRefusal) throw result;
        return result.record;
      },
      readPacked: (files) =>
        ask(files.map(({ packed, size, crc }) => ({ packed: ownBytes(packed), size, crc }))),
    });
  } finally {
    await (worker as Worker | null)?.terminate();
  }
}

/** In memory of their own: a message carries the whole buffer behind a view. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isOwn = bytes.buffer.byteLength <= bytes.byteLength + SLACK;
  return isOwn ? (bytes as Uint8Array<ArrayBuffer>) : Uint8Array.from(bytes);
}

function openWorker(): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: MOST_MEGABYTES });
}

async function answersOf(
  worker: Worker,
  questions: readonly Question[],
): Promise<readonly Answer[] | 'out of memory'> {
  const answered = once(worker, 'message') as Promise<[readonly Answer[]]>;
  worker.postMessage(questions, handedOver(questions));
  try {
    return (await answered)[0];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      return 'out of memory';
    throw error;
  }
}

/** A question among others may be asked again, and plain XML is still the caller's. */
function handedOver(questions: readonly Question[]): ArrayBuffer[] {
  const [question] = questions;
  return questions.length === 1 && question && 'packed' in question ? [question.packed.buffer] : [];
}

function resultOf(answer: Answer): Result {
  if ('record' in answer) return answer;
  const { reason, path, message } = answer;
  const detail = path === null ? message : message.slice(path.length + 2);
  return new DocumentRefusal(reason, path, detail);
}
