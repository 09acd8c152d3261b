import type { ServiceSlug } from '../../carriers/contract.ts';
import { streamsOfKind } from '../../carriers/registry.ts';
import type { StreamName } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { type Instant, latest } from '../../platform/time.ts';
import { lagOf, mainStreamOf, withLag } from './lag.ts';
import { type ConnectionState, stateIn } from './states.ts';
import { accounts } from './store.ts';
import { streamSyncs } from './store-streams.ts';

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
  /** Since the last finished sync run of its main stream; null = none yet. */
  readonly lagSeconds: number | null;
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
  const now = scope.clock.now();
  const syncs = Map.groupBy(await streamSyncs(scope), ({ connection_id }) => connection_id);
  const rows = (await accounts(scope)).map((row) => {
    const service = row.service as ServiceSlug;
    const own = syncs.get(row.id) ?? [];
    const last = (of: StreamName) => own.find((sync) => sync.stream === of)?.last_sync_at ?? null;
    const lagSeconds = lagOf(last(mainStreamOf(service)), now);
    return {
      service,
      accountId: row.account_id,
      name: row.name,
      ...withLag(service, stateIn(row), lagSeconds),
      lastSyncAt: stream ? last(stream) : latest(...own.map((sync) => sync.last_sync_at)),
      lagSeconds,
    };
  });
  return stream === null
    ? rows
    : rows.filter(({ service }) => streamsOfKind(service).includes(stream));
}
