import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import type { AgentCall } from './call.ts';
import * as store from './store.ts';

/** Records calls of agents in batches, without delaying a call. */
export interface CallRecorder {
  record(call: AgentCall): void;
  close(): Promise<void>;
}

const FLUSH_MS = 2_000;
/** The most calls that are held in memory while the database is away. */
const MOST_WAITING = 10_000;

export function openCallRecorder(
  database: Database,
  clock: Clock,
  onError: (error: unknown) => void,
): CallRecorder {
  let waiting: AgentCall[] = [];

  async function flush() {
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    await database
      .write((handle) => recordCalls(handle, batch))
      .catch((error) => {
        waiting = [...batch, ...waiting].slice(-MOST_WAITING);
        throw error;
      });
  }
  const stop = clock.every(FLUSH_MS, () => void flush().catch(onError));

  return {
    record(call) {
      if (waiting.length < MOST_WAITING) waiting.push(call);
    },
    async close() {
      stop();
      await flush().catch(onError);
    },
  };
}

/** Stores calls, how often each tool was called, and when each grant was last used. */
export async function recordCalls(handle: WriteHandle, calls: readonly AgentCall[]): Promise<void> {
  if (calls.length === 0) return;
  await store.insertCalls(handle, calls);
  const uses = usesIn(calls);
  await store.countTools(handle, uses);
  await store.touchGrants(handle, uses);
}

/** How often each tool was called for each grant, and when it was last called. */
function usesIn(calls: readonly AgentCall[]): store.ToolUse[] {
  const same = Map.groupBy(calls, ({ grantId, tool }) => `${grantId} ${tool}`);
  return [...same.values()].map((group) => {
    const { organizationId, grantId, tool, at: lastAt } = group.at(-1) as AgentCall;
    return { organizationId, grantId, tool, calls: group.length, lastAt };
  });
}
