import type pg from 'pg';
import { Failure } from '../failure.ts';
import { cancelOnAbort } from './cancel.ts';
import type { ConnectionSlots } from './connection-slots.ts';
import { type HandleParts, openHandle } from './handle.ts';
import type { Handle } from './scopes.ts';
import { translate } from './unavailable.ts';

export interface ReadOptions {
  /** Aborting it cancels the query in the database. */
  readonly signal?: AbortSignal | undefined;
}

/** What a read needs. */
interface Reading extends HandleParts {
  readonly slots: ConnectionSlots;
  /** For the statement that cancels another one. */
  readonly aside: pg.Pool;
}

/** @param tenant among which connections are shared fairly */
export type Read = <T>(
  tenant: string,
  work: (handle: Handle) => Promise<T>,
  options?: ReadOptions,
) => Promise<T>;

/** @param tenant among which connections are shared fairly */
export async function read<T>(
  { slots, aside, ...handleParts }: Reading,
  tenant: string,
  work: (handle: Handle) => Promise<T>,
  { signal }: ReadOptions = {},
): Promise<T> {
  const client = await slots.acquire(tenant, signal);
  const { pooledBegin } = handleParts;
  let stop: (() => Promise<void>) | null = null;
  let state: 'sound' | 'unsure' | Error = 'unsure';
  /** After it the session may be another's, whom no cancel may hit. */
  const end = async (how: 'commit' | 'rollback') => {
    await stop?.();
    stop = null;
    if (pooledBegin) await client.query(how);
  };
  try {
    signal?.throwIfAborted();
    const processId = pooledBegin ? await begin(client, pooledBegin) : processOf(client);
    stop = signal ? cancelOnAbort(signal, processId, aside) : null;
    const result = await work(openHandle(client, handleParts, null));
    await end('commit');
    state = 'sound';
    return result;
  } catch (error) {
    const failure = translate(error);
    // The statement may still run there: the connection is closed.
    if (failure instanceof Failure && failure.code === 'service_unavailable') state = failure;
    await end('rollback').catch((cause) => {
      state = cause;
    });
    throw failure;
  } finally {
    slots.release(tenant, client, state);
  }
}

/** @returns the process of the session at the server */
async function begin(client: pg.PoolClient, statements: string): Promise<number> {
  const results = (await client.query(statements)) as unknown as pg.QueryResult<{ pid: number }>[];
  return results.at(-1)?.rows[0]?.pid ?? 0;
}

function processOf(client: pg.PoolClient): number {
  return (client as unknown as { processID: number }).processID;
}
