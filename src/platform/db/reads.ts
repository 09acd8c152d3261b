import type pg from 'pg';
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
export async function read<T>(
  { places, aside, ...common }: Reading,
  tenant: string,
  work: (handle: Handle) => Promise<T>,
  { signal }: ReadOptions = {},
): Promise<T> {
  const client = await places.acquire(tenant, signal);
  let stop: (() => Promise<void>) | null = null;
  let state: 'sound' | 'unsure' = 'unsure';
  try {
    signal?.throwIfAborted();
    stop = signal ? cancelOnAbort(signal, client, aside) : null;
    const result = await work(openHandle(client, common, null));
    state = 'sound';
    return result;
  } catch (error) {
    throw translate(error);
  } finally {
    if (stop) await stop();
    places.release(tenant, client, state);
  }
}
