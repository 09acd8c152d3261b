import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { NO_ORGANIZATION } from '../no-organization.ts';
import type { Keyring } from '../seal.ts';
import { type ConnectionSlots, measured, openSlots } from './connection-slots.ts';
import {
  LIMITS,
  openPools,
  type PoolOptions,
  type Pools,
  pooledBegin,
  readingSession,
  writingSession,
} from './database-pools.ts';
import { openDiskWatch } from './disk-watch.ts';
import type { HandleParts } from './handle.ts';
import { LOCK_ANSWER_MS } from './lock-session.ts';
import { type Locks, openLocks } from './locks.ts';
import { heardHere, openNoticeSender } from './notice-sender.ts';
import { PIPELINED } from './pipeline.ts';
import { type Address, connectionsOf, connectTo, type PoolConnections } from './pools.ts';
import { type Read, type ReadOptions, read } from './reads.ts';
import { openReplicaReads } from './replica.ts';
import { isSameDatabase } from './same-database.ts';
import type { Handle, ReadScope } from './scopes.ts';
import { openSearches } from './searches.ts';
import type { DatabaseKind } from './sessions.ts';
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

interface DatabaseOptions extends PoolOptions {
  /** Of a role that may change the schema, where that of `address` may not. */
  readonly owner?: Address;
  /** Of a streaming replica of `address`, for lists. */
  readonly replica?: Address | null;
  readonly clock: Clock;
  /** Of the master key; left out, nothing of buyers can be sealed or opened. */
  readonly keyring?: Keyring | null;
  /** Gets why the replica did not answer. */
  readonly onReplicaAway?: (error: Error) => void;
  /** Gets why a server of data did not answer a search. */
  readonly onServerAway?: (error: Error) => void;
  readonly meters?: DatabaseMeters;
}

const UNMEASURED: DatabaseMeters = { waited: () => {}, retried: () => {} };

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
  const readers = openReaders(options, pools, handleParts);
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
  const recorded = openWrites({ ...writing, slots: slotsOf(options, pools, 'writers') });
  const received = openWrites({ ...writing, slots: slotsOf(options, pools, 'receivers') });

  return {
    kind,
    address,
    owner,
    read: readers.read,
    search: readers.search,
    write: recorded.write,
    within: (organizationId) => ({
      ...recorded.within(organizationId),
      ...readers.within(organizationId),
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
    connections: () => connectionsOf({ ...pools, ...readers.replicaPools }),
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
      const all = Object.values({ ...pools, ...readers.replicaPools });
      await Promise.all(all.map((pool) => pool.end()));
    },
  };
}

async function requirePrimary(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query('select pg_is_in_recovery() as standby');
  if (rows[0].standby) throw new Error('the database takes no writes: it is a standby');
}

interface Readers extends Pick<Database, 'read' | 'search'> {
  readonly replicaPools: Readonly<Record<string, pg.Pool>> | undefined;
  within(organizationId: string): Pick<OrganizationDatabase, 'read' | 'requireRoom' | 'list'>;
}

/** Readers of the primary and, where there is one, of its replica. */
function openReaders(options: DatabaseOptions, pools: Pools, handleParts: HandleParts): Readers {
  const reading = {
    ...handleParts,
    slots: slotsOf(options, pools, 'readers'),
    aside: pools.aside,
    pooledBegin: pooledBegin(options, readingSession(options)),
  };
  const primary: Read = (tenant, work, given) => read(reading, tenant, work, given);
  const replica = openReplica(options, handleParts);
  const list = replica?.preferTo(primary) ?? primary;
  return {
    replicaPools: replica?.pools,
    read: (work, readOptions) => primary(NO_ORGANIZATION, work, readOptions),
    search: searchesOf(options, reading),
    within: (organizationId) => ({
      read: (work, readOptions) =>
        primary(organizationId, (handle) => work(handle.within(organizationId)), readOptions),
      requireRoom: () => reading.slots.requireRoom(organizationId),
      list: (work, readOptions) =>
        list(organizationId, (handle) => work(handle.within(organizationId)), readOptions),
    }),
  };
}

function slotsOf(
  { clock, meters = UNMEASURED }: DatabaseOptions,
  pools: Pools,
  pool: keyof typeof LIMITS,
): ConnectionSlots {
  return measured(openSlots(pools[pool], clock, LIMITS[pool]), clock, (milliseconds) =>
    meters.waited(pool, milliseconds),
  );
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
    limits: LIMITS.readers,
    session: readingSession(options),
    onWaited: (milliseconds) => meters.waited('replica', milliseconds),
    onAway: options.onReplicaAway ?? onIdleError,
  });
}
