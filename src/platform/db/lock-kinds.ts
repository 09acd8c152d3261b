/**
 * Every kind of advisory lock with its number in PostgreSQL. All processes on one database must
 * agree on them, also those of another release, so a number is never used for anything else.
 */
export const LOCK_KINDS = {
  /** One process migrates the schema. */
  migration: 7_406_001,
  /** One renewal of a connection's credentials; its id. */
  renewal: 7_406_002,
  /** One sync run of a stream; `connection:stream`. */
  stream: 7_406_003,
  /** One conversation with a carrier about a warehouse line; its id. */
  line: 7_406_007,
  /** A running service; exclusive where it counts quotas in its own memory. */
  house: 7_406_010,
  /** A service that works on jobs; shared. */
  worker: 7_406_011,
} as const;

export type LockKind = keyof typeof LOCK_KINDS;
