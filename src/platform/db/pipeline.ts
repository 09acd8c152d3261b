import type pg from 'pg';

// Statements of a transaction are pipelined: they are sent without waiting for the answers to those
// before.

/** Of the connections that transactions use. */
export const PIPELINED = { pipeline: true };

/**
 * Resolves when all have ended, also where one fails: no statement may be sent after the end of its
 * transaction. Statements of one transaction run in the order in which they were issued.
 * @throws the first failure that arrived. Nested, that may be one that only says that the
 * transaction is aborted; the transaction itself then throws that of the statement that failed
 * first.
 */
export async function together<const Works extends readonly Promise<unknown>[]>(
  works: Works,
): Promise<{ -readonly [Index in keyof Works]: Awaited<Works[Index]> }> {
  try {
    return await Promise.all(works);
  } finally {
    await Promise.allSettled(works);
  }
}

/**
 * Resolves in the next tick, when the statements issued in this one are on the socket: the server
 * works on them during a computation.
 */
export function flushed(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Statements issued in one tick leave as one packet: the server wakes up once for them. */
export function cork(client: pg.ClientBase): void {
  const { stream } = (client as pg.Client).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
