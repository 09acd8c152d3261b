import type pg from 'pg';
import { type Common, openHandle } from './handle.ts';
import type { Handle } from './scopes.ts';
import { translate } from './unavailable.ts';

/** Statements as readers ask them, all of which see the rows of the first one's moment. */
const BEGIN = `begin isolation level repeatable read read only;
  set local enable_seqscan = off;
  set local enable_bitmapscan = off;
  set local plan_cache_mode = force_generic_plan`;

/** Reads of one moment on a connection of their own, which no request waits for. */
export async function inSnapshot<T>(
  common: Common,
  connect: () => Promise<pg.Client>,
  work: (handle: Handle) => Promise<T>,
): Promise<T> {
  const client = await connect();
  try {
    await client.query(BEGIN);
    return await work(openHandle(client, common, null));
  } catch (error) {
    throw translate(error);
  } finally {
    await client.end();
  }
}
