import type { Clock } from '../../platform/clock.ts';
import type { Database, ReadScope } from '../../platform/db/database.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import * as store from './store.ts';

/** The credential of a request: an API key, or the grant of an agent. */
export interface RequestCaller {
  readonly kind: 'key' | 'agent';
  readonly id: string;
}

/** Counts requests by minute and caller, and stores the counts in steps: no request waits. */
export interface UsageRecorder {
  /** @param isAdmitted false = answered with 429 */
  count(organizationId: string, caller: RequestCaller, isAdmitted: boolean): void;
  close(): Promise<void>;
}

const FLUSH_MS = 2_000;
const MINUTE_MS = 60_000;
/** Held in memory while the database is away: a minute of one caller is one count. */
const MOST_WAITING = 50_000;

export function openUsageRecorder(
  database: Database,
  clock: Clock,
  onError: (error: unknown) => void,
): UsageRecorder {
  let waiting = new Map<string, store.Count>();

  function add({ admitted, refused, ...of }: store.Count) {
    const key = `${of.organizationId} ${of.minute} ${of.caller.kind} ${of.caller.id}`;
    const known = waiting.get(key);
    if (!known && waiting.size >= MOST_WAITING) return;
    waiting.set(key, {
      ...of,
      admitted: admitted + (known?.admitted ?? 0),
      refused: refused + (known?.refused ?? 0),
    });
  }

  async function flush() {
    if (waiting.size === 0) return;
    const batch = [...waiting.values()];
    waiting = new Map();
    try {
      await database.write((handle) => store.addCounts(handle, batch));
    } catch (error) {
      for (const count of batch) add(count);
      throw error;
    }
  }
  const stop = clock.every(FLUSH_MS, () => void flush().catch(onError));

  return {
    count(organizationId, caller, isAdmitted) {
      const minute = Math.floor(clock.millis() / MINUTE_MS) * MINUTE_MS;
      const [admitted, refused] = isAdmitted ? [1, 0] : [0, 1];
      add({ organizationId, minute, caller, admitted, refused });
    },
    async close() {
      stop();
      await flush().catch(onError);
    },
  };
}

/** How the last hour and the last day are divided. */
export const USAGE_SPANS = {
  hour: { slots: 60, minutes: 1 },
  day: { slots: 24, minutes: 60 },
} as const;
export type UsageSpan = keyof typeof USAGE_SPANS;

interface Counts {
  readonly admitted: number;
  /** Answered with 429. */
  readonly refused: number;
}

interface Usage {
  readonly from: Instant;
  /** All of the span that have begun, in their order, those without requests too. */
  readonly slots: readonly (Counts & { readonly at: Instant })[];
  /** The most admitted requests of one minute; null = there were none. */
  readonly peak: { readonly at: Instant; readonly admitted: number } | null;
  /** Of the whole span, the busiest first, whatever caller was asked for. */
  readonly callers: readonly (Counts & RequestCaller & { readonly lastAt: Instant })[];
}

interface UsageQuery {
  readonly span: UsageSpan;
  /** Where the span begins; null = it ends now. Counts are kept for two days. */
  readonly from: Instant | null;
  /** Whose slots and peak; null = of all. */
  readonly callerId: string | null;
}

/** The requests of an hour or a day, up to those of the last seconds. */
export async function usageOf(scope: ReadScope, query: UsageQuery): Promise<Usage> {
  const { slots, minutes } = USAGE_SPANS[query.span];
  const floored = (instant: Instant) =>
    instant.round({
      smallestUnit: query.span === 'hour' ? 'minute' : 'hour',
      roundingMode: 'floor',
    });
  const from = query.from
    ? floored(query.from)
    : floored(scope.clock.now()).subtract({ minutes: (slots - 1) * minutes });
  const asked = { from, to: from.add({ minutes: slots * minutes }), callerId: query.callerId };
  const counted = await store.countsBySlot(scope, { ...asked, minutes });
  const begun = Array.from({ length: slots }, (_, index) =>
    from.add({ minutes: index * minutes }),
  ).filter((at) => compareInstants(at, scope.clock.now()) <= 0);
  const bySlot = new Map(counted.map((row) => [row.at.epochMilliseconds, row]));
  const peak = await store.busiestMinute(scope, asked);
  const callers = await store.countsByCaller(scope, asked);
  return {
    from,
    slots: begun.map((at) => {
      const { admitted, refused } = bySlot.get(at.epochMilliseconds) ?? { admitted: 0, refused: 0 };
      return { at, admitted, refused };
    }),
    peak: peak ?? null,
    callers: callers.map(({ caller_kind, caller_id, last_at, ...counts }) => ({
      kind: caller_kind,
      id: caller_id,
      lastAt: last_at,
      ...counts,
    })),
  };
}
