import { type ReadScope, ReplicaBehind } from '../../platform/db/database.ts';
import { epochMicros, type Instant } from '../../platform/time.ts';
import { type AsOf, type DeltaClock, deltaClock } from './as-of.ts';
import { readClock } from './store-clock.ts';

/** The stamp of an organisation without orders. */
const BEFORE_ALL = Temporal.Instant.from('1970-01-01T00:00:00Z');

/**
 * The `as of` of a walk. It is read before the page, so that commits in between are left to the
 * next poll and never lost. A replica gives its own: one of the primary would cover rows that the
 * replica does not show yet.
 * @param known the cached delta clock of the primary, if any
 * @param since what the caller has seen already, if anything
 * @throws ReplicaBehind where the replica has not replayed what the caller has seen
 */
export async function beginWalk(
  scope: ReadScope,
  known: DeltaClock | null,
  since: Instant | null,
): Promise<AsOf> {
  if (known && !scope.isReplica) return known.asOf;
  const { asOf } = deltaClock((await readClock(scope)) ?? BEFORE_ALL);
  if (scope.isReplica && since && asOf.micros < epochMicros(since)) throw new ReplicaBehind();
  return asOf;
}

/**
 * Before a further page of a walk.
 * @throws ReplicaBehind where the replica does not show all that the walk covers
 */
export async function continueWalk(scope: ReadScope, asOf: AsOf): Promise<AsOf> {
  if (scope.isReplica) await beginWalk(scope, null, asOf.instant);
  return asOf;
}
