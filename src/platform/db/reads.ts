import type pg from 'pg';
import { Failure } from '../failure.ts';
import { cancelOnAbort } from './cancel.ts';
import { type Common, openHandle } from './handle.ts';
import type { Places } from './places.ts';
import type { Handle } from './scopes.ts';
import { translate } from './unavailable.ts';

export interface ReadOptions {
  /** Aborting it cancels the query in the database. */
  readonly signal?: AbortSignal | undefined;
}

/** What a read needs. */
interface Reading extends Common {
  readonly places: Places;
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
  { places, aside, ...common }: Reading,
  tenant: string,
  work: (handle: Handle) => Promise<T>,
  { signal }: ReadOptions = {},
): Promise<T> {
  const client = await places.acquire(tenant, signal);
  let stop: (() => Promise<void>) | null = null;
  let state: 'sound' | 'unsure' | Error = 'unsure';
  try {
    signal?.throwIfAborted();
    stop = signal ? cancelOnAbort(signal, client, aside) : null;
    const result = await work(openHandle(client, common, null));
    state = 'sound';
    return result;
  } catch (error) {
    const failure = translate(error);
    // The statement may still run there: the connection is closed.
    if (failure instanceof Failure && failure.code === 'service_unavailable') state = failure;
    throw failure;
  } finally {
    if (stop) await stop();
    places.release(tenant, client, state);
  }
}
