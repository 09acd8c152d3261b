import type {
  Compilable,
  DeleteQueryBuilder,
  DeleteResult,
  InsertQueryBuilder,
  InsertResult,
  SelectQueryBuilder,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { retry } from '../retry.ts';
import type { Keyring } from '../seal.ts';
import { cancelOnAbort } from './cancel.ts';
import { LOCK_ANSWER_MS, type Locks, openLocks } from './locks.ts';
import { type NoticeSender, openNoticeSender } from './notice-sender.ts';
import { openPlaces, type Places } from './places.ts';
import { type Address, connectTo, openPool } from './pools.ts';
import { build, type Statement } from './query.ts';
import type { OrganizationTable, Schema } from './schema.ts';
import { textArray } from './text-array.ts';
import { readTexts, type TextRow } from './texts.ts';
import {
  isDiskFull,
  isOfAborted,
  isWorthRepeating,
  translate,
  unavailable,
} from './unavailable.ts';
import { openVaults, type Vault, type Vaults } from './vault.ts';

export type { Address } from './pools.ts';

/** Runs queries across organisations; for the instance's own tables. */
export interface Handle {
  rows<Row>(query: Compilable<Row>): Promise<Row[]>;
  first<Row>(query: Compilable<Row>): Promise<Row | undefined>;
  /** Runs a statement as it stands; `values` are all of its parameters. */
  raw<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
  within(organizationId: string): ReadScope;
}

/** A handle inside a transaction. */
export interface WriteHandle extends Handle {
  /** Runs after the commit, and never when there is none. */
  afterCommit(work: () => void): void;
  /**
   * Tells all processes on the channel `clock`, a moment after the commit. A notice may be lost
   * with this process, so it only saves others from looking.
   */
  notifyAfterCommit(subject: string, value: string): void;
  /**
   * What travels with the commit. It asks for all of its statements before it waits for any; later
   * ones are refused.
   */
  atLast(work: () => Promise<unknown>): void;
  /** For the job queue, which brings its own statements. */
  sql(text: string, values: readonly unknown[]): Promise<object[]>;
  within(organizationId: string): WriteScope;
}

/** A handle narrowed to one organisation: its queries cannot see another one's rows. */
export interface ReadScope {
  readonly organizationId: string;
  readonly clock: Clock;
  /** The handle that this one was narrowed from. */
  readonly handle: Handle;
  /** For what the organisation keeps of buyers. */
  vault(): Promise<Vault>;
  select<T extends OrganizationTable>(table: T): SelectQueryBuilder<Schema, T, object>;
  rows<Row>(query: Compilable<Row>): Promise<Row[]>;
  first<Row>(query: Compilable<Row>): Promise<Row | undefined>;
  /** Runs a hot statement; the organisation is put before `values` as `$1`. */
  prepared<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
  /** The same for the hottest: columns in their order, each of which must be a text. */
  texts(statement: Statement<unknown>, values: readonly unknown[]): Promise<readonly TextRow[]>;
}

/** A narrowed handle inside a transaction. */
export interface WriteScope extends ReadScope {
  /** Rows get their `organization_id` here. */
  insert<T extends OrganizationTable>(
    table: T,
    rows: readonly object[],
  ): InsertQueryBuilder<Schema, T, InsertResult>;
  update<T extends OrganizationTable>(table: T): UpdateQueryBuilder<Schema, T, T, UpdateResult>;
  remove<T extends OrganizationTable>(table: T): DeleteQueryBuilder<Schema, T, DeleteResult>;
  afterCommit(work: () => void): void;
  atLast(work: () => Promise<unknown>): void;
  readonly handle: WriteHandle;
}

interface ReadOptions {
  /** Aborting it cancels the query in the database. */
  readonly signal?: AbortSignal | undefined;
}

/** Writes of one organisation. */
interface OrganizationWrites {
  write<T>(work: (scope: WriteScope) => Promise<T>): Promise<T>;
  /**
   * A write of one statement, which is a transaction by itself and needs no words around it; a
   * second one fails.
   */
  writeOnce<T>(work: (scope: WriteScope) => Promise<T>): Promise<T>;
}

export interface OrganizationDatabase extends OrganizationWrites {
  read<T>(work: (scope: ReadScope) => Promise<T>, options?: ReadOptions): Promise<T>;
}

/** Organisations and the instance take turns: a write inside a write could wait for itself. */
interface Writes {
  /**
   * One transaction. It is repeated whole on a deadlock, and when another one held a lock for
   * longer than three seconds, so `work` must not act outside of the database.
   * @throws Failure service_unavailable, with Retry-After, where that was in vain
   */
  write<T>(work: (handle: WriteHandle) => Promise<T>): Promise<T>;
  within(organizationId: string): OrganizationWrites;
}

export interface Database extends Writes {
  readonly address: Address;
  /** Of the role that may change the schema; the same address where one role does both. */
  readonly owner: Address;
  /**
   * Organisations and the instance take turns at the readers: a read inside a read could wait for
   * itself.
   */
  read<T>(work: (handle: Handle) => Promise<T>, options?: ReadOptions): Promise<T>;
  within(organizationId: string): OrganizationDatabase;
  /**
   * For what marketplaces and carriers push: on connections of their own, which no recording holds.
   */
  readonly receipts: Writes;
  readonly locks: Locks;
  /** Fails when the database cannot answer now. */
  ping(): Promise<void>;
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

interface DatabaseOptions {
  readonly address: Address;
  /** Of a role that may change the schema, where that of `address` may not. */
  readonly owner?: Address;
  readonly clock: Clock;
  /** Of the master key; left out, nothing of buyers can be sealed or opened. */
  readonly keyring?: Keyring | null;
  /** Statements of readers are cancelled by the database itself after this long. */
  readonly readerTimeoutSeconds: number;
  readonly onIdleError: (error: Error) => void;
}

/** Of which one organisation gets twelve at most. */
const READERS = 16;
/** For the ping, which takes no turn. */
const SPARE_READERS = 1;
/** Of which one organisation gets nine at most. */
const WRITERS = 12;
/** Of which one organisation gets three at most. */
const RECEIVERS = 4;
/** For short statements that wait for no reader or writer: cancels and notices. */
const ASIDE = 2;
const ASIDE_ANSWER_MS = 5_000;
/**
 * After a write that found the disk full, writes are taken to fail for so long: shorter than the
 * five seconds to recover.
 */
const FULL_FOR_MS = 3_000;
/** Takes turns like one more organisation. */
const INSTANCE = 'house';

const READING = {
  default_transaction_read_only: 'on',
  // Every list query has its index; a plan without one is a mistake of stale statistics.
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  // The text of a query says which index serves it; planning it for each value takes longer than
  // reading a page.
  plan_cache_mode: 'force_generic_plan',
};

const WRITING = {
  idle_in_transaction_session_timeout: '60s',
  // Then the transaction gives its connection to others and is tried again.
  lock_timeout: '3s',
  // For an organisation that the statistics do not know, a plan of its own is a wrong one, made
  // anew each time.
  plan_cache_mode: 'force_generic_plan',
};
/** What is asked without waiting for the answer before it travels along with it. */
const PIPELINED = { pipeline: true };

export function openDatabase(options: DatabaseOptions): Database {
  const { address, clock, owner = address } = options;
  const vaults = openVaults(options.keyring ?? null);
  const readers = openPool(address, READERS + SPARE_READERS, {
    ...READING,
    statement_timeout: `${options.readerTimeoutSeconds}s`,
  });
  const writers = openPool(address, WRITERS, WRITING, PIPELINED);
  const receivers = openPool(address, RECEIVERS, WRITING, PIPELINED);
  const aside = openPool(address, ASIDE, {}, { query_timeout: ASIDE_ANSWER_MS });
  const pools = [readers, writers, receivers, aside];
  for (const pool of pools) pool.on('error', options.onIdleError);

  const connect = (more: Parameters<typeof connectTo>[2], at = address) =>
    connectTo(at, options.onIdleError, more).catch((cause) => {
      throw unavailable(cause);
    });
  const locks = openLocks({
    clock,
    connect: () => connect({ ...PIPELINED, query_timeout: LOCK_ANSWER_MS }),
    translate,
  });
  const sender = openNoticeSender(
    (payload) => aside.query("select pg_notify('clock', $1)", [payload]),
    options.onIdleError,
  );

  const readerPlaces = openPlaces(readers, READERS);
  async function read<T>(
    party: string,
    work: (handle: Handle) => Promise<T>,
    { signal }: ReadOptions = {},
  ): Promise<T> {
    const client = await readerPlaces.take(party, signal);
    let stop: (() => Promise<void>) | null = null;
    let state: 'sound' | 'unsure' = 'unsure';
    try {
      signal?.throwIfAborted();
      stop = signal ? cancelOnAbort(signal, client, aside) : null;
      const result = await work(openHandle(client, { clock, vaults }, null));
      state = 'sound';
      return result;
    } catch (error) {
      throw translate(error);
    } finally {
      if (stop) await stop();
      readerPlaces.leave(party, client, state);
    }
  }

  let fullAt = Number.NEGATIVE_INFINITY;
  const onDiskFull = () => {
    fullAt = clock.monotonic();
  };
  const writing = { clock, vaults, sender, onDiskFull };
  const recorded = writesOf({ ...writing, places: openPlaces(writers, WRITERS) });
  const received = writesOf({ ...writing, places: openPlaces(receivers, RECEIVERS) });

  return {
    address,
    owner,
    read: (work, readOptions) => read(INSTANCE, work, readOptions),
    write: recorded.write,
    within: (organizationId) => ({
      ...recorded.within(organizationId),
      read: (work, readOptions) =>
        read(organizationId, (handle) => work(handle.within(organizationId)), readOptions),
    }),
    receipts: received,
    locks,
    async ping() {
      await readers.query('select 1');
    },
    async checkWritable() {
      const { rows } = await readers.query('select pg_is_in_recovery() as standby');
      if (rows[0].standby) throw new Error('the database takes no writes: it is a standby');
      if (clock.monotonic() - fullAt < FULL_FOR_MS)
        throw new Error('the disk of the database is full');
    },
    connect: () => connect({}),
    connectAsOwner: () => connect({}, owner),
    async close() {
      await locks.close();
      await sender.flush();
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

/** What every scope has. */
interface Common {
  readonly clock: Clock;
  readonly vaults: Vaults;
}

/** What a write needs. */
interface Writing extends Common {
  readonly places: Places;
  readonly sender: NoticeSender;
  readonly onDiskFull: () => void;
}

function writesOf(writing: Writing): Writes {
  async function write<T>(
    party: string,
    work: (handle: WriteHandle) => Promise<T>,
    run = transaction,
  ): Promise<T> {
    return retry(
      () => run(writing, party, work),
      (error, attempts) => {
        if (isDiskFull(error)) writing.onDiskFull();
        return isWorthRepeating(error, attempts) ? attempts * 5 : null;
      },
      (milliseconds) => writing.clock.sleep(milliseconds),
    ).catch((error) => {
      throw translate(error);
    });
  }

  return {
    write: (work) => write(INSTANCE, work),
    within: (organizationId) => ({
      write: (work) => write(organizationId, (handle) => work(handle.within(organizationId))),
      writeOnce: (work) =>
        write(organizationId, (handle) => work(handle.within(organizationId)), singleStatement),
    }),
  };
}

/**
 * Waits for all of them, also where one fails: nobody may use a transaction after its end.
 * Statements of one transaction run in the order in which they were asked for, and travel together.
 * @throws the failure that was heard first. Nested, that may be one that only says that the
 * transaction is lost; the
 *   transaction itself then answers with the statement that failed first.
 */
export async function together<const Works extends readonly Promise<unknown>[]>(
  works: Works,
): Promise<{ -readonly [Index in keyof Works]: Awaited<Works[Index]> }> {
  try {
    return await Promise.all(works);
  } finally {
    await Promise.allSettled(works);
  }
}

/**
 * Resolves once what was asked for in this turn is on its way: the server works on it while
 * something is reckoned.
 */
export function underway(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

async function transaction<T>(
  { places, sender, ...common }: Writing,
  party: string,
  work: (handle: WriteHandle) => Promise<T>,
): Promise<T> {
  const client = await places.take(party);
  const ending = endingOf(Number.POSITIVE_INFINITY, sender);
  let broken: Error | undefined;
  try {
    gather(client);
    const [, result] = await together([
      client.query('begin'),
      work(openHandle(client, common, ending)),
    ] as const);
    gather(client);
    const lasts = ending.atLast.map((ask) => ask());
    ending.statementsLeft = 0;
    const [{ command }] = await together([client.query('commit'), ...lasts] as const);
    // PostgreSQL ends a transaction in which a statement failed without a complaint.
    if (command !== 'COMMIT')
      throw new Error('the transaction was rolled back: a failure in it went unheard', {
        cause: ending.firstError,
      });
    for (const act of ending.afterCommit) act();
    return result;
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => {
      broken = cause;
    });
    throw isOfAborted(error) ? (ending.firstError ?? error) : error;
  } finally {
    places.leave(party, client, broken ?? 'sound');
  }
}

async function singleStatement<T>(
  { places, sender, ...common }: Writing,
  party: string,
  work: (handle: WriteHandle) => Promise<T>,
): Promise<T> {
  const client = await places.take(party);
  let state: 'sound' | 'unsure' = 'unsure';
  const ending = endingOf(1, sender);
  try {
    const result = await work(openHandle(client, common, ending));
    state = 'sound';
    for (const act of ending.afterCommit) act();
    return result;
  } finally {
    places.leave(party, client, state);
  }
}

/**
 * What is asked for in one turn of the event loop leaves as one packet: the server wakes up once
 * for it.
 */
function gather(client: pg.ClientBase): void {
  const { stream } = (client as pg.Client).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** How a write ends, and how many statements it may still ask for. */
interface Ending {
  readonly atLast: (() => Promise<unknown>)[];
  readonly afterCommit: (() => void)[];
  readonly sender: NoticeSender;
  statementsLeft: number;
  /**
   * Of the first statement that failed. Work that waits for several may hear of a later one before.
   */
  firstError?: unknown;
}

function endingOf(statementsLeft: number, sender: NoticeSender): Ending {
  return { atLast: [], afterCommit: [], sender, statementsLeft };
}

function asSent(value: unknown): unknown {
  return Array.isArray(value) ? textArray(value) : value;
}

/** @param ending null = a reader */
function openHandle(
  client: pg.ClientBase,
  { clock, vaults }: Common,
  ending: Ending | null,
): WriteHandle {
  const ask = async (query: pg.QueryConfig & { rowMode?: 'array' }): Promise<unknown[]> => {
    if (ending && ending.statementsLeft-- <= 0)
      throw new Error('this statement is not in the transaction');
    // A reader asks one question at a time.
    if (ending) gather(client);
    try {
      return (await client.query(query)).rows;
    } catch (error) {
      if (ending) ending.firstError ??= error;
      throw error;
    }
  };
  const rows = async <Row>(query: Compilable<Row>): Promise<Row[]> => {
    const { sql, parameters } = query.compile();
    return (await ask({ text: sql, values: parameters as unknown[] })) as Row[];
  };
  const first = async <Row>(query: Compilable<Row>): Promise<Row | undefined> =>
    (await rows(query))[0];
  const raw = async <Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> =>
    (await ask({
      name: statement.name,
      text: statement.text,
      values: values.map(asSent),
    })) as Row[];
  // A query of one's own cannot travel together with others.
  const texts = async (
    { name, text }: Statement<unknown>,
    values: readonly unknown[],
  ): Promise<TextRow[]> =>
    ending
      ? ((await ask({
          name,
          text,
          values: values.map(asSent),
          rowMode: 'array',
          types: AS_WRITTEN,
        })) as TextRow[])
      : readTexts(client, { name, text }, values.map(asSent));
  const open = (): Ending => {
    if (!ending) throw new Error('a reader has no commit');
    return ending;
  };
  const afterCommit = (work: () => void) => void open().afterCommit.push(work);
  const atLast = (work: () => Promise<unknown>) => void open().atLast.push(work);
  const notifyAfterCommit = (subject: string, value: string) => {
    const { sender } = open();
    afterCommit(() => sender.tell(subject, value));
  };

  const handle: WriteHandle = {
    rows,
    first,
    raw,
    sql: async (text, values) => (await ask({ text, values: values as unknown[] })) as object[],
    afterCommit,
    notifyAfterCommit,
    atLast,
    within: (organizationId) => {
      let vault: Promise<Vault> | null = null;
      return {
        organizationId,
        clock,
        handle,
        vault() {
          vault ??= ending ? vaults.findOrMake(this) : vaults.find(this);
          return vault;
        },
        rows,
        first,
        prepared: (statement, values) => raw(statement, [organizationId, ...values]),
        texts: (statement, values) => texts(statement, [organizationId, ...values]),
        afterCommit,
        atLast,
        // The builder's types cannot say «any of these tables»; the four casts below are the only
        // ones.
        select: (table) =>
          build
            .selectFrom(table as 'orders')
            .where('organization_id', '=', organizationId) as never,
        insert: (table, records) =>
          build
            .insertInto(table as 'orders')
            .values(
              records.map((record) => ({ ...record, organization_id: organizationId })) as never,
            ) as never,
        update: (table) =>
          build
            .updateTable(table as 'orders')
            .where('organization_id', '=', organizationId) as never,
        remove: (table) =>
          build
            .deleteFrom(table as 'orders')
            .where('organization_id', '=', organizationId) as never,
      };
    },
  };
  return handle;
}

const AS_WRITTEN = { getTypeParser: () => (text: string) => text };
