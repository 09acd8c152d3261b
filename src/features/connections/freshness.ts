import type { ServiceSlug } from '../../carriers/contract.ts';
import { streamsOfKind } from '../../carriers/registry.ts';
import type { StreamName } from '../../connectors/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { ConnectionState } from './connection.ts';
import { accounts } from './store.ts';
import { newestSyncs } from './store-streams.ts';

/** How an account is doing, and how old what we have of it may be. */
export interface Freshness {
  readonly service: ServiceSlug;
  readonly accountId: string;
  readonly name: string;
  readonly state: ConnectionState;
  /** In Spanish: what is wrong and what to do. */
  readonly stateMessage: string | null;
  /** Null = never yet. */
  readonly lastSyncAt: Instant | null;
}

/**
 * All accounts of the organisation, former ones too: what was synchronised stays.
 * @param stream only accounts of which this may be asked, by their last pass of it; null = all, by
 * their last of any
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
    state: row.state as ConnectionState,
    stateMessage: row.state_message,
    lastSyncAt: syncs.get(row.id) ?? null,
  }));
  return stream === null
    ? rows
    : rows.filter(({ service }) => streamsOfKind(service).includes(stream));
}

/** The same for callers who ask again and again: as it was a second ago at most. */
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
