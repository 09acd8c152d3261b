import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { NO_ORGANIZATION } from '../no-organization.ts';
import type { Keyring } from '../seal.ts';
import { measured, openSlots, type SlotLimits } from './connection-slots.ts';
import { openDiskWatch } from './disk-watch.ts';
import type { HandleParts } from './handle.ts';
import { LOCK_ANSWER_MS } from './lock-session.ts';
import { type Locks, openLocks } from './locks.ts';
import { heardHere, openNoticeSender } from './notice-sender.ts';
import { PIPELINED } from './pipeline.ts';
import { type Address, connectionsOf, connectTo, openPool, type PoolConnections } from './pools.ts';
import { type Read, type ReadOptions, read } from './reads.ts';
import { openReplicaReads } from './replica.ts';
import { isSameDatabase } from './same-database.ts';
import type { Handle, ReadScope } from './scopes.ts';
import { openSearches } from './searches.ts';
import {
  beginWith,
  type DatabaseKind,
  planned,
  READING,
  type Session,
  WRITING,
} from './sessions.ts';
import { inSnapshot, type SnapshotWork } from './snapshot.ts';
import { translate, unavailable } from './unavailable.ts';
import { openVaults } from './vault.ts';
import { type OrganizationWrites, openWrites, type Writes } from './writes.ts';

export { enterFrom } from './enter.ts';
export { flushed, together } from './pipeline.ts';
export type { Address } from './pools.ts';
export { ReplicaBehind } from './replica.ts';
export type { Handle, ReadScope, WriteHandle, WriteScope } from './scopes.ts';

export interface OrganizationDatabase extends OrganizationWrites {
  read<T>(work: (scope: ReadScope) => Promise<T>, options?: ReadOptions): Promise<T>;
  /**
   * For a caller that waits for something else before it reads. @throws Overload where readers wait
   * in a queue that is too long for it now
   */
  requireRoom(): void;
  /**
   * Reads on the replica where there is one, and on the primary where the replica is behind what
   * the work needs (`ReplicaBehind`) or does not answer. The work may run twice.
   */
  list<T>(work: (scope: ReadScope) => Promise<T>, options?: ReadOptions): Promise<T>;
  /**
   * Reads rows of one moment, for as long as it takes, beside the readers of requests.
   *
   * @param earlier the name of a snapshot to read again; null, or no longer kept = a new one
   */
  snapshot<T>(earlier: string | null, work: SnapshotWork<ReadScope, T>): Promise<T>;
}

export interface Database extends Writes {
  readonly kind: DatabaseKind;
  /** Where connections have a session of their own. */
  readonly address: Address;
  /** Of the role that may change the schema; the same address where one role does both. */
  readonly owner: Address;
  /**
   * Readers are shared fairly by tenants, as writers are: a read inside a read could wait for
   * itself.
   */
  read<T>(work: (handle: Handle) => Promise<T>, options?: ReadOptions): Promise<T>;
  /**
   * Finds work of all organisations, by searches of the handle. Organisations whose server of data
   * does not answer are left out.
   */
  search<T>(work: (handle: Handle) => Promise<T[]>): Promise<T[]>;
  within(organizationId: string): OrganizationDatabase;
  /**
   * For what marketplaces and carriers push: on connections of their own, which no recording holds.
   */
  readonly receipts: Writes;
  readonly locks: Locks;
  /** The connections of each pool now. */
  connections(): readonly PoolConnections[];
  /** Called with this process's own notices, right after their commit. */
  onNotice(listener: (subject: string, value: string) => void): void;
  /** Fails when the database cannot answer now. */
  ping(): Promise<void>;
  /** Whether the pooler's address and the direct one lead to one database; true without a pooler. */
  isOne(): Promise<boolean>;
  /**
   * Fails when it cannot take a write: it is gone, a standby, or its disk was full within the last
   * seconds.
   */
  checkWritable(): Promise<void>;
  /** A connection of one's own, for what lasts as long as the session. The caller ends it. */
  connect(): Promise<pg.Client>;
  /** The same, as the role that may change the schema. */
  connectAsOwner(): Promise<pg.Client>;
  close(): Promise<void>;
}

/** What is measured of a database. */
interface DatabaseMeters {
  /** Milliseconds until a connection of the pool was had, or refused. */
  waited(pool: string, milliseconds: number): void;
  /** A transaction is tried again because of this SQLSTATE. */
  retried(reason: string): void;
}

interface DatabaseOptions {
  readonly address: Address;
  /** Of a role that may change the schema, where that of `address` may not. */
  readonly owner?: Address;
  /**
   * Where a connection has a session of its own: then `address` is a pooler that gives each
   * transaction another session. Null = `address` gives sessions.
   */
  readonly direct?: Address | null;
  /** Left out = postgresql. */
  readonly kind?: DatabaseKind;
  /** Of a streaming replica of `address`, for lists. */
  readonly replica?: Address | null;
  readonly clock: Clock;
  /** Of the master key; left out, nothing of buyers can be sealed or opened. */
  readonly keyring?: Keyring | null;
  /** Statements of readers are cancelled by the database itself after this long. */
  readonly readerTimeoutSeconds: number;
  readonly onIdleError: (error: Error) => void;
  /** Gets why the replica did not answer. */
  readonly onReplicaAway?: (error: Error) => void;
  /** Gets why a server of data did not answer a search. */
  readonly onServerAway?: (error: Error) => void;
  readonly meters?: DatabaseMeters;
}

const UNMEASURED: DatabaseMeters = { waited: () => {}, retried: () => {} };
/**
 * Of which one organisation gets ten at most. A longer queue serves no more requests, only later.
 * Pushes and our own work wait for longer: another try of theirs comes minutes later.
 */
const READERS: SlotLimits = { slots: 13, longestWaitMs: 1_000 };
/** For the ping, which takes no turn. */
const SPARE_READERS = 1;
/** Of which one organisation gets eight at most. */
const WRITERS = 10;
/** Of which one organisation gets three at most. */
const RECEIVERS = 4;
/** For short statements that wait for no reader or writer: cancels and notices. */
const ASIDE = 2;
const ASIDE_ANSWER_MS = 5_000;

export function openDatabase(options: DatabaseOptions): Database {
  const { clock, kind = 'postgresql', onIdleError, meters = UNMEASURED } = options;
  const address = options.direct ?? options.address;
  const { owner = address } = options;
  const pools = openPools(options);
  const disk = openDiskWatch(clock);
  const connect = (more: Parameters<typeof connectTo>[2], at = address) =>
    connectTo(at, onIdleError, more).catch((cause) => {
      throw unavailable(cause);
    });
  const locks = openLocks({
    clock,
    connect: () => connect({ ...PIPELINED, query_timeout: LOCK_ANSWER_MS }),
    translate,
  });
  const sender = openNoticeSender(
    (payload) => pools.aside.query("select pg_notify('clock', $1)", [payload]),
    onIdleError,
  );
  const { notifying, onNotice } = heardHere(sender);
  const handleParts: HandleParts = { clock, vaults: openVaults(options.keyring ?? null) };
  const slotsOf = (pool: keyof typeof pools, limits: SlotLimits) =>
    measured(openSlots(pools[pool], clock, limits), clock, (milliseconds) =>
      meters.waited(pool, milliseconds),
    );
  const reading = {
    ...handleParts,
    slots: slotsOf('readers', READERS),
    aside: pools.aside,
    pooledBegin: pooledBegin(options, readingSession(options)),
  };
  const primary: Read = (tenant, work, given) => read(reading, tenant, work, given);
  const replica = openReplica(options, handleParts);
  const list = replica?.preferTo(primary) ?? primary;
  const writing = {
    ...handleParts,
    pooledBegin: pooledBegin(options, writingSession(options)),
    sender: notifying,
    onDiskFull: disk.onFull,
    onRetry: meters.retried,
    // Through a pooler it would run under the settings of the server; on Citus a worker runs it,
    // which does not know the organisations that are erased.
    entersItself: !options.direct && kind !== 'citus',
  };
  const recorded = openWrites({ ...writing, slots: slotsOf('writers', { slots: WRITERS }) });
  const received = openWrites({ ...writing, slots: slotsOf('receivers', { slots: RECEIVERS }) });

  return {
    kind,
    address,
    owner,
    read: (work, readOptions) => primary(NO_ORGANIZATION, work, readOptions),
    search: searchesOf(options, reading),
    write: recorded.write,
    within: (organizationId) => ({
      ...recorded.within(organizationId),
      read: (work, readOptions) =>
        primary(organizationId, (handle) => work(handle.within(organizationId)), readOptions),
      requireRoom: () => reading.slots.requireRoom(organizationId),
      list: (work, readOptions) =>
        list(organizationId, (handle) => work(handle.within(organizationId)), readOptions),
      snapshot: (earlier, work) =>
        inSnapshot(
          handleParts,
          () => connect({}),
          earlier,
          (handle, name) => work(handle.within(organizationId), name),
        ),
    }),
    receipts: received,
    locks,
    connections: () => connectionsOf({ ...pools, ...replica?.pools }),
    onNotice,
    async ping() {
      await pools.readers.query('select 1');
    },
    isOne: async () => !options.direct || isSameDatabase(await connect({}), pools.readers),
    async checkWritable() {
      await requirePrimary(pools.readers);
      if (disk.isFull()) throw new Error('the disk of the database is full');
    },
    connect: () => connect({}),
    connectAsOwner: () => connect({}, owner),
    async close() {
      await locks.close();
      await sender.flush();
      const all = Object.values({ ...pools, ...replica?.pools });
      await Promise.all(all.map((pool) => pool.end()));
    },
  };
}

async function requirePrimary(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query('select pg_is_in_recovery() as standby');
  if (rows[0].standby) throw new Error('the database takes no writes: it is a standby');
}

function searchesOf(options: DatabaseOptions, reading: Parameters<typeof read>[0]) {
  const { kind = 'postgresql', clock, onIdleError, onServerAway = onIdleError } = options;
  return openSearches({
    kind,
    clock,
    onAway: onServerAway,
    read: (among, work) => read({ ...reading, ...(among && { among }) }, NO_ORGANIZATION, work),
  });
}

function openReplica(options: DatabaseOptions, handleParts: HandleParts) {
  const { replica, clock, onIdleError, meters = UNMEASURED } = options;
  if (!replica) return null;
  return openReplicaReads(handleParts, {
    clock,
    onIdleError,
    address: replica,
    limits: READERS,
    session: readingSession(options),
    onWaited: (milliseconds) => meters.waited('replica', milliseconds),
    onAway: options.onReplicaAway ?? onIdleError,
  });
}

/** Absent where connections have sessions, which have the settings already. */
function pooledBegin({ direct }: DatabaseOptions, session: Session): string | undefined {
  return direct ? beginWith(session) : undefined;
}

function readingSession(options: DatabaseOptions): Session {
  const { readerTimeoutSeconds, kind = 'postgresql' } = options;
  return planned({ ...READING, statement_timeout: `${readerTimeoutSeconds}s` }, kind);
}

function writingSession({ kind = 'postgresql' }: DatabaseOptions): Session {
  return planned(WRITING, kind);
}

function openPools(options: DatabaseOptions) {
  const { address, direct, onIdleError } = options;
  const unless = (session: Session) => (direct ? null : session);
  const reading = unless(readingSession(options));
  const writing = unless(writingSession(options));
  const pools = {
    readers: openPool(address, READERS.slots + SPARE_READERS, reading),
    writers: openPool(address, WRITERS, writing, PIPELINED),
    receivers: openPool(address, RECEIVERS, writing, PIPELINED),
    aside: openPool(address, ASIDE, unless({}), { query_timeout: ASIDE_ANSWER_MS }),
  };
  for (const pool of Object.values(pools)) pool.on('error', onIdleError);
  return pools;
}
