import { Worker } from 'node:worker_threads';
import type { Address } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import type { FailureCode } from '../../platform/failures.ts';
import type { Keyring } from '../../platform/seal.ts';
import type { ExportRequest, ExportResult } from './write-export.ts';

export interface ThreadTask {
  readonly address: Address;
  /** The master keys, as the thread gets them; null = nothing is sealed. */
  readonly master: { readonly current: Uint8Array; readonly previous: Uint8Array | null } | null;
  readonly request: ExportRequest;
}

export type ThreadAnswer =
  | { readonly rows: number }
  | { readonly result: ExportResult }
  | { readonly isDiskFull: true }
  | { readonly failure: { readonly code: FailureCode; readonly message: string } };

/** The database has no room for what is kept. */
export class DiskFull extends Error {}

/**
 * Where there is memory V8 lets a heap grow before it looks for what is no longer used: an export
 * would take as much as it may.
 */
const LIMITS = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 96 };

/** How long a thread waits for more work: loading its modules takes a second of processor time. */
const IDLE_MS = 60_000;

/** Threads that have written an export, each with the timer that ends it. */
const idle = new Map<Worker, NodeJS.Timeout>();

/**
 * Writes an export in a thread of low priority and bounded memory. Exports at the same time have
 * threads of their own.
 *
 * @param onProgress after each page; what it throws ends the thread, as a kill would
 * @param keyring null = nothing is sealed
 * @throws DiskFull; Failure service_unavailable; errors of the file system with their code
 */
export async function runExport(
  { address, keyring }: { readonly address: Address; readonly keyring: Keyring | null },
  request: ExportRequest,
  onProgress: (rows: number) => void,
): Promise<ExportResult> {
  const task: ThreadTask = { address, master: keyring, request };
  const thread = idleThread() ?? openThread();
  try {
    const result = await resultOf(thread, task, onProgress);
    rest(thread);
    return result;
  } catch (error) {
    await thread.terminate();
    throw error;
  }
}

function openThread(): Worker {
  return new Worker(new URL('./export-thread.ts', import.meta.url), {
    resourceLimits: LIMITS,
  });
}

function resultOf(
  thread: Worker,
  task: ThreadTask,
  onProgress: (rows: number) => void,
): Promise<ExportResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ExportResult>();
  thread.removeAllListeners().ref();
  thread.once('error', reject);
  thread.once('exit', () => reject(new Error('the thread of an export ended without result')));
  thread.on('message', (answer: ThreadAnswer) => {
    if ('result' in answer) resolve(answer.result);
    else if ('isDiskFull' in answer) reject(new DiskFull('no room for an export'));
    else if ('failure' in answer) reject(fail(answer.failure.code, answer.failure));
    else
      try {
        onProgress(answer.rows);
      } catch (error) {
        reject(error);
      }
  });
  thread.postMessage(task);
  return promise;
}

function idleThread(): Worker | null {
  for (const [thread, end] of idle) {
    clearTimeout(end);
    idle.delete(thread);
    return thread;
  }
  return null;
}

/** An idle thread keeps no process alive. */
function rest(thread: Worker): void {
  const forget = () => void idle.delete(thread);
  thread.removeAllListeners().once('error', forget).once('exit', forget).unref();
  const end = setTimeout(() => {
    forget();
    thread.terminate();
  }, IDLE_MS);
  idle.set(thread, end.unref());
}
