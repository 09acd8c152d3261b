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

/**
 * Writes an export in a thread of its own, of low priority and bounded memory.
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
  const workerData: ThreadTask = { address, master: keyring, request };
  const thread = new Worker(new URL('./export-thread.ts', import.meta.url), {
    workerData,
    resourceLimits: LIMITS,
  });
  try {
    return await new Promise((resolve, reject) => {
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
    });
  } finally {
    await thread.terminate();
  }
}
