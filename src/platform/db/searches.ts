import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import type { Statement } from './query.ts';
import type { Handle } from './scopes.ts';
import type { DatabaseKind } from './sessions.ts';

type Work<T> = (handle: Handle) => Promise<T[]>;

interface SearchOptions {
  readonly kind: DatabaseKind;
  readonly clock: Clock;
  /** @param among the organisations that searches of the handle look at; null = all */
  read<T>(among: readonly string[] | null, work: Work<T>): Promise<T[]>;
  /** Gets why a server of data did not answer. */
  readonly onAway: (error: Error) => void;
}

/** After it did not answer, a server is not asked for so long. */
const AWAY_FOR_MS = 5_000;

/** Not in the list of known statements: its tables are those of Citus. */
const BY_SERVER: Statement<{ server: number; organizations: string[] }> = {
  name: 'searches.by-server',
  text: `select server.groupid as server, array_agg(placed.id::text) as organizations
    from (select id, get_shard_id_for_distribution_column('delta_clocks', id) as shard
            from organizations) placed
    join pg_dist_placement server on server.shardid = placed.shard group by server.groupid`,
};

/**
 * Searches of all organisations. On several servers of data, those of a server that does not answer
 * are left out, and the other servers are asked each for its own, at once.
 */
export function openSearches(options: SearchOptions): <T>(work: Work<T>) => Promise<T[]> {
  const { kind, clock, read, onAway } = options;
  if (kind !== 'citus') return (work) => read(null, work);
  const awayUntil = new Map<number, number>();
  const isAway = (until: number) => clock.monotonic() < until;

  async function ofServer<T>(server: number, among: readonly string[], work: Work<T>) {
    if (isAway(awayUntil.get(server) ?? Number.NEGATIVE_INFINITY)) return [];
    try {
      return await read(among, work);
    } catch (error) {
      if (!isNoAnswer(error)) throw error;
      awayUntil.set(server, clock.monotonic() + AWAY_FOR_MS);
      onAway(new Error(`the server of data ${server} did not answer`, { cause: error }));
      return [];
    }
  }

  return async (work) => {
    if (![...awayUntil.values()].some(isAway))
      try {
        return await read(null, work);
      } catch (error) {
        if (!isNoAnswer(error)) throw error;
      }
    const servers = await read(null, (handle) => handle.raw(BY_SERVER, []));
    const found = servers.map((one) => ofServer(one.server, one.organizations, work));
    return (await Promise.all(found)).flat();
  };
}

/** A server that hangs lets the statement run into its limit. */
function isNoAnswer(error: unknown): boolean {
  return (
    error instanceof Failure &&
    (error.code === 'service_unavailable' || error.code === 'request_timeout')
  );
}
