import type pg from 'pg';
import type { SlotLimits } from './connection-slots.ts';
import { PIPELINED } from './pipeline.ts';
import { type Address, openPool } from './pools.ts';
import {
  beginWith,
  type DatabaseKind,
  planned,
  READING,
  type Session,
  WRITING,
} from './sessions.ts';

export interface PoolOptions {
  readonly address: Address;
  /**
   * Where a connection has a session of its own: then `address` is a pooler that gives each
   * transaction another session. Null = `address` gives sessions.
   */
  readonly direct?: Address | null;
  /** Left out = postgresql. */
  readonly kind?: DatabaseKind;
  /** Statements of readers are cancelled by the database itself after this long. */
  readonly readerTimeoutSeconds: number;
  readonly onIdleError: (error: Error) => void;
}

/** Those of the pools whose connections organisations share. */
export const LIMITS = {
  /**
   * Of which one organisation gets ten at most. A longer queue serves no more requests, only later.
   * Pushes and our own work wait for longer: another try of theirs comes minutes later.
   */
  readers: { slots: 13, longestWaitMs: 1_000 },
  /** Of which one organisation gets eight at most. */
  writers: { slots: 10 },
  /** Of which one organisation gets three at most. */
  receivers: { slots: 4 },
} satisfies Record<string, SlotLimits>;

/** For the ping, which takes no turn. */
const SPARE_READERS = 1;
/** For short statements that wait for no reader or writer: cancels and notices. */
const ASIDE = 2;
const ASIDE_ANSWER_MS = 5_000;

/** The pools of the primary. */
export type Pools = Readonly<Record<keyof typeof LIMITS | 'aside', pg.Pool>>;

export function openPools(options: PoolOptions): Pools {
  const { address, direct, onIdleError } = options;
  const { readers, writers, receivers } = LIMITS;
  const unless = (session: Session) => (direct ? null : session);
  const reading = unless(readingSession(options));
  const writing = unless(writingSession(options));
  const pools = {
    readers: openPool(address, readers.slots + SPARE_READERS, reading),
    writers: openPool(address, writers.slots, writing, PIPELINED),
    receivers: openPool(address, receivers.slots, writing, PIPELINED),
    aside: openPool(address, ASIDE, unless({}), { query_timeout: ASIDE_ANSWER_MS }),
  };
  for (const pool of Object.values(pools)) pool.on('error', onIdleError);
  return pools;
}

/** Absent where connections have sessions, which have the settings already. */
export function pooledBegin({ direct }: PoolOptions, session: Session): string | undefined {
  return direct ? beginWith(session) : undefined;
}

export function readingSession(options: PoolOptions): Session {
  const { readerTimeoutSeconds, kind = 'postgresql' } = options;
  return planned({ ...READING, statement_timeout: `${readerTimeoutSeconds}s` }, kind);
}

export function writingSession({ kind = 'postgresql' }: PoolOptions): Session {
  return planned(WRITING, kind);
}
