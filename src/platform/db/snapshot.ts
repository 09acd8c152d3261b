import type pg from 'pg';
import { type HandleParts, openHandle } from './handle.ts';
import type { Handle } from './scopes.ts';
import { keepSnapshot, letGo, shareSnapshot } from './snapshot-keeper.ts';
import { translate } from './unavailable.ts';

/** Statements as readers ask them, all of which see the rows of the snapshot's moment. */
const BEGIN = `begin isolation level repeatable read read only;
  set local enable_seqscan = off;
  set local enable_bitmapscan = off;
  set local plan_cache_mode = force_generic_plan`;

/** Gets the snapshot's name, by which another process reads the same rows after a cut. */
export type SnapshotWork<Scope, T> = (scope: Scope, snapshot: string) => Promise<T>;

/**
 * Reads of one moment on a connection of their own, which no request waits for. The database keeps
 * the moment for ten minutes where the work fails, or its process is killed.
 *
 * @param earlier the name of a snapshot to read again; null, or no longer kept = a new one
 */
export async function inSnapshot<T>(
  handleParts: HandleParts,
  connect: () => Promise<pg.Client>,
  earlier: string | null,
  work: SnapshotWork<Handle, T>,
): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const connected = async () => {
    const client = await connect();
    stack.defer(() => client.end());
    return client;
  };
  const client = await connected();
  try {
    let snapshot = earlier;
    if (snapshot === null || !(await shareSnapshot(client, snapshot, BEGIN))) {
      snapshot = await keepSnapshot(await connected());
      if (!(await shareSnapshot(client, snapshot, BEGIN)))
        throw new Error(`the snapshot ${snapshot} is gone at once`);
    }
    const result = await work(openHandle(client, handleParts, null), snapshot);
    await letGo(client, snapshot);
    return result;
  } catch (error) {
    throw translate(error);
  }
}
