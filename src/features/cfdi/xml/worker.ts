/** Reads documents in a thread of its own, whose memory is bounded. */
import { parentPort } from 'node:worker_threads';
import { readDocument } from './read-document.ts';
import { DocumentRefusal } from './refusal.ts';

parentPort?.on('message', (bytes: Uint8Array) => {
  try {
    parentPort?.postMessage({ record: readDocument(bytes) });
  } catch (error) {
    if (!(error instanceof DocumentRefusal)) throw error;
    parentPort?.postMessage({ reason: error.reason, path: error.path, message: error.message });
  }
});
