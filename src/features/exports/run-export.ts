import type { Worker } from 'node:worker_threads';
import type { Address } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import type { Keyring } from '../../platform/seal.ts';
import type { ExportRequest, ExportResult } from './export-request.ts';
import { idleThread, openThread, rest } from './idle-threads.ts';
import type { ThreadAnswer, ThreadTask } from './thread-messages.ts';

/** The database has no room for what is kept. */
export class DiskFull extends Error {}

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
