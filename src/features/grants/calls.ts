import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

/** One tool call of an agent, without what it asked for. */
export interface AgentCall {
  readonly organizationId: string;
  readonly grantId: string;
  readonly personId: string;
  readonly clientId: string;
  readonly tool: string;
  readonly at: Instant;
  readonly durationMs: number;
  /** Rows in the answer. */
  readonly rows: number;
  /** `ok`, or the code of the failure. */
  readonly outcome: string;
}

/** Keeps what agents asked, written in batches. */
export interface AgentLedger {
  note(call: AgentCall): void;
  close(): Promise<void>;
}

const FLUSH_MS = 2_000;
/** While the database is away no more than these are kept in memory. */
const MOST_WAITING = 10_000;

export function openAgentLedger(
  database: Database,
  clock: Clock,
  onError: (error: unknown) => void,
): AgentLedger {
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
    note(call) {
      if (waiting.length < MOST_WAITING) waiting.push(call);
    },
    async close() {
      stop();
      await flush().catch(onError);
    },
  };
}

async function recordCalls(handle: WriteHandle, batch: readonly AgentCall[]): Promise<void> {
  for (const [organizationId, calls] of Map.groupBy(batch, (call) => call.organizationId))
    await store.recordCalls(handle.within(organizationId), calls.map(toRow));
}

function toRow(call: AgentCall): store.CallRow {
  return {
    grant_id: call.grantId,
    person_id: call.personId,
    client_id: call.clientId,
    tool: call.tool,
    at: call.at.toString(),
    duration_ms: call.durationMs,
    row_count: call.rows,
    outcome: call.outcome,
  };
}
