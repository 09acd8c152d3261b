import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { type Packed, pack } from '../packed.ts';
import type { PackedContent } from '../upload/files.ts';
import type { TaxDocument } from './record.ts';
import { DocumentRefusal, type RefusalReason } from './refusal.ts';
import { returnThread, takeThread } from './threads.ts';

/** A document that was read, with what it was read from. */
export interface ReadDocument {
  readonly record: TaxDocument;
  /** The record as JSON, as it is stored. */
  readonly text: string;
  readonly xml: Packed;
}

/** Reads documents in a thread whose memory is bounded. */
export interface DocumentReader {
  /** @throws DocumentRefusal */
  read(xml: Uint8Array): Promise<ReadDocument>;
  /** Takes the bytes of the files. @returns each file read, or its refusal, in their order */
  readPacked(files: readonly PackedContent[]): Promise<(ReadDocument | DocumentRefusal)[]>;
}

/** What the thread is asked. */
export type Question = PackedContent | { readonly xml: Uint8Array };
/**
 * What it answers: the record as JSON, which costs less to hand over than the object and is stored
 * as it is; a file that was handed over comes back.
 */
export type Answer =
  | { readonly text: string; readonly packed?: Uint8Array }
  | { readonly reason: RefusalReason; readonly path: string | null; readonly message: string };
type Result = Extract<Answer, { text: string }> | DocumentRefusal;

/** Does work that reads documents, with a thread of its own. */
export async function reading<T>(work: (reader: DocumentReader) => Promise<T>): Promise<T> {
  let thread: Worker | null = null;
  let asked = 0;
  const ask = async (questions: readonly Question[]): Promise<Result[]> => {
    thread ??= takeThread();
    asked += 1;
    const answers = await answersOf(thread, questions);
    asked -= 1;
    if (answers !== 'out of memory') return answers.map(resultOf);
    // One that needs too much is refused, and the next gets a new thread.
    thread = null;
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
        return documentOf(result.text, pack(xml));
      },
      async readPacked(files) {
        const own = files.map((file) => ({ ...file, packed: ownBytes(file.packed) }));
        const results = await ask(own);
        return own.map(({ size, packed }, at) => {
          const result = results[at] as Result;
          if (result instanceof DocumentRefusal) return result;
          return documentOf(result.text, { size, packed: result.packed ?? packed });
        });
      },
    });
  } finally {
    // The answer to an unfinished question belongs to no other work.
    if (thread && asked === 0) returnThread(thread);
    else await (thread as Worker | null)?.terminate();
  }
}

function documentOf(text: string, xml: Packed): ReadDocument {
  return { record: JSON.parse(text), text, xml };
}

/** In memory of their own: a message takes the whole buffer behind a view. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}

async function answersOf(
  thread: Worker,
  questions: readonly Question[],
): Promise<readonly Answer[] | 'out of memory'> {
  const answered = once(thread, 'message') as Promise<[readonly Answer[]]>;
  thread.postMessage(questions, handedOver(questions));
  try {
    return (await answered)[0];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      return 'out of memory';
    throw error;
  }
}

/**
 * One file alone may be large, so its memory moves to the thread and back. One among others may be
 * asked about again, and plain XML is still the caller's.
 */
export function handedOver(questions: readonly Question[]): ArrayBuffer[] {
  const [question] = questions;
  return questions.length === 1 && question && 'packed' in question
    ? [question.packed.buffer as ArrayBuffer]
    : [];
}

function resultOf(answer: Answer): Result {
  if ('text' in answer) return answer;
  const { reason, path, message } = answer;
  const detail = path === null ? message : message.slice(path.length + 2);
  return new DocumentRefusal(reason, path, detail);
}
