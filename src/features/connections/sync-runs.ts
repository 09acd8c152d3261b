import type { StreamName } from '../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store-sync-runs.ts';

/** `behind`: it ended, and the service did not give all changes. `stopped`: it failed. */
export const RUN_OUTCOMES = ['done', 'behind', 'stopped'] as const;
type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** A sync run that ended. */
interface SyncRun {
  readonly stream: StreamName;
  readonly outcome: RunOutcome;
  /** A run that stopped goes on: its next part has the same beginning. */
  readonly begunAt: Instant;
  readonly endedAt: Instant;
  /** Rows that it read since its beginning. */
  readonly items: number;
  /** Why it stopped, in Spanish; null = it did not. */
  readonly reason: string | null;
}

/** Keeps how the run under way of a stream ended; the stream still has its window. */
export async function noteRun(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  end: { readonly outcome: RunOutcome; readonly reason: string | null },
): Promise<void> {
  await store.insert(scope, connectionId, stream, end);
}

/** The last twenty of each stream, newest first. */
export async function lastRuns(scope: ReadScope, connectionId: string): Promise<SyncRun[]> {
  return (await store.newest(scope, connectionId)).map((row) => ({
    stream: row.stream as StreamName,
    outcome: row.outcome as RunOutcome,
    begunAt: row.begun_at,
    endedAt: row.ended_at,
    items: row.items,
    reason: row.reason,
  }));
}
