import type { SealedConnection } from '../../features/connections/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Instant } from '../../platform/time.ts';

/** The connection that the items belong to, and how they were fetched. */
export interface Origin {
  readonly connection: SealedConnection;
  /** A first import emits no customers' events. */
  readonly isFirstImport: boolean;
  /** When the sync run began, or the thing was asked for. */
  readonly startedAt: Instant;
  /** When the page, or the thing, was asked for. */
  readonly askedAt: Instant;
}

/** Of a thing that is fetched alone, from now on. */
export function originOfOne(connection: SealedConnection, clock: Clock): Origin {
  const now = clock.now();
  return { connection, isFirstImport: false, startedAt: now, askedAt: now };
}
