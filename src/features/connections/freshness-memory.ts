import type { StreamName } from '../../connectors/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { type Freshness, listFreshness } from './freshness.ts';

/** The freshness of accounts for frequent callers: at most a second old. */
export interface FreshnessMemory {
  get(scope: ReadScope, stream: StreamName | null): Promise<readonly Freshness[]>;
}

const GOOD_FOR_MS = 1_000;
const MOST_ENTRIES = 20_000;

export function openFreshnessMemory(clock: Clock): FreshnessMemory {
  const entries = new Map<
    string,
    { readonly readAt: number; readonly all: readonly Freshness[] }
  >();
  return {
    async get(scope, stream) {
      const key = `${scope.organizationId} ${stream}`;
      const now = clock.monotonic();
      const known = entries.get(key);
      if (known && now - known.readAt < GOOD_FOR_MS) return known.all;
      const all = await listFreshness(scope, stream);
      if (entries.size >= MOST_ENTRIES) entries.clear();
      entries.set(key, { readAt: now, all });
      return all;
    },
  };
}
