import type { ServiceSlug } from '../../carriers/contract.ts';
import { streamsOfKind } from '../../carriers/registry.ts';
import type { StreamName } from '../../connectors/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { type ConnectionState, stateIn } from './states.ts';
import { accounts } from './store.ts';
import { newestSyncs } from './store-streams.ts';

/** The state of an account, and the age of its stored data. */
export interface Freshness {
  readonly service: ServiceSlug;
  readonly accountId: string;
  readonly name: string;
  readonly state: ConnectionState;
  /** In Spanish: what is wrong and what to do. */
  readonly stateMessage: string | null;
  /** Null = never. */
  readonly lastSyncAt: Instant | null;
}

/**
 * All accounts of the organisation, former ones too: their synchronised data stay.
 * @param stream only accounts that may offer it, by its last sync run; null = all, by the last sync
 * run of any stream
 */
export async function listFreshness(
  scope: ReadScope,
  stream: StreamName | null,
): Promise<Freshness[]> {
  const syncs = await newestSyncs(scope, stream);
  const rows = (await accounts(scope)).map((row) => ({
    service: row.service as ServiceSlug,
    accountId: row.account_id,
    name: row.name,
    ...stateIn(row),
    lastSyncAt: syncs.get(row.id) ?? null,
  }));
  return stream === null
    ? rows
    : rows.filter(({ service }) => streamsOfKind(service).includes(stream));
}

/** The same for frequent callers: at most a second old. */
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
