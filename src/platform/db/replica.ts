import type { Clock } from '../clock.ts';
import { Failure, Overload } from '../failure.ts';
import { measured, openSlots, type SlotLimits } from './connection-slots.ts';
import type { HandleParts } from './handle.ts';
import { type Address, openPool } from './pools.ts';
import { type Read, read } from './reads.ts';
import type { Session } from './sessions.ts';

/**
 * What a read on a replica throws where the replica has not replayed what the request needs; the
 * primary is read instead.
 */
export class ReplicaBehind extends Error {
  constructor() {
    super('the replica has not replayed what this request needs');
  }
}

interface ReplicaOptions {
  readonly address: Address;
  readonly clock: Clock;
  /** Settings of each connection. */
  readonly session: Session;
  /** Of the readers. */
  readonly limits: SlotLimits;
  readonly onIdleError: (error: Error) => void;
  readonly onWaited: (milliseconds: number) => void;
  /** Gets why the replica did not answer. */
  readonly onAway: (error: Error) => void;
}

/** After it failed, the replica is not asked for so long. */
const AWAY_FOR_MS = 5_000;
/** A replica that hangs delays a list by so long before the primary answers. */
const ANSWER_MS = 3_000;
const CONNECT_MS = 1_000;

/** Reads on a streaming replica, which may lag or be gone. */
export function openReplicaReads(handleParts: HandleParts, options: ReplicaOptions) {
  const { address, clock, session, limits, onIdleError, onWaited, onAway } = options;
  const impatient = { query_timeout: ANSWER_MS, connectionTimeoutMillis: CONNECT_MS };
  const pools = {
    replica: openPool(address, limits.slots, session, impatient),
    replica_aside: openPool(address, 1, {}, impatient),
  };
  for (const pool of Object.values(pools)) pool.on('error', onIdleError);
  const reading = {
    ...handleParts,
    isReplica: true,
    aside: pools.replica_aside,
    slots: measured(openSlots(pools.replica, clock, limits), clock, onWaited),
  };
  let awayUntil = Number.NEGATIVE_INFINITY;

  /** What the replica cannot answer, because it is behind or gone, the primary answers. */
  const preferTo =
    (primary: Read): Read =>
    async (tenant, work, given) => {
      if (clock.monotonic() < awayUntil) return primary(tenant, work, given);
      try {
        return await read(reading, tenant, work, given);
      } catch (error) {
        if (given?.signal?.aborted || isOfRequest(error)) throw error;
        if (!(error instanceof ReplicaBehind)) {
          awayUntil = clock.monotonic() + AWAY_FOR_MS;
          onAway(new Error('the replica did not answer', { cause: error }));
        }
        return primary(tenant, work, given);
      }
    };
  return { pools, preferTo };
}

/** The primary would refuse it, too, or has enough to do without it. */
function isOfRequest(error: unknown): boolean {
  return error instanceof Overload || (error instanceof Failure && error.status < 500);
}
