import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

const AGAIN_MS = 50;

/**
 * Cancels what runs on a connection, by its process at the server, when the signal aborts. A cancel that comes before its query is
 * lost, so it is repeated. Where none gets through, the time-out of the statement ends it.
 * @param through connections that no reader or writer can exhaust
 * @returns ends it, and waits for a cancel under way: it would hit the next user of the connection
 */
export function cancelOnAbort(
  signal: AbortSignal,
  processID: number,
  through: pg.Pool,
): () => Promise<void> {
  let cancelling = Promise.resolve();
  let isOver = false;
  const repeat = async () => {
    while (!isOver) {
      await through.query('select pg_cancel_backend($1::int)', [processID]).catch(() => {});
      await pause(AGAIN_MS);
    }
  };
  const cancel = () => {
    cancelling = repeat();
  };
  signal.addEventListener('abort', cancel, { once: true });
  return () => {
    isOver = true;
    signal.removeEventListener('abort', cancel);
    return cancelling;
  };
}
