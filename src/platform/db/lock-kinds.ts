/**
 * Every kind of advisory lock, with its number in PostgreSQL and what it protects. All processes on
 * one database must agree on them, also those of other releases, so a number is never reused.
 */
export const LOCK_KINDS = {
  /** The schema: one process migrates it. */
  migration: 7_406_001,
  /** The refresh token of a connection, by its id: one renewal at a time. */
  renewal: 7_406_002,
  /** The checkpoint of a stream, by `connection:stream`: one sync run at a time. */
  stream: 7_406_003,
  /** The guides of a warehouse line, by its id: one series of calls to a carrier at a time. */
  line: 7_406_007,
  /** The quotas: exclusive for a service that counts them in its own memory, else shared. */
  instance: 7_406_010,
  /** The queue: shared by the services that work on jobs. */
  worker: 7_406_011,
  /** A file that is being exported, by its path: one process writes it. */
  export: 7_406_012,
  /** A kept snapshot, by the backend that keeps it: shared by those that read it. */
  snapshot: 7_406_013,
  /** The erasure of an organisation, by its id: shared by each transaction that writes for it. */
  organization: 7_406_014,
  /** The journal of removals: one process writes it. */
  removals: 7_406_015,
  /** The findings of an organisation, by its id: one run of the rules at a time. */
  findings: 7_406_016,
} as const;

export type LockKind = keyof typeof LOCK_KINDS;
