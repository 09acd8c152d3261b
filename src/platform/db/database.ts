import { setTimeout as pause } from 'node:timers/promises';
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
import pg from 'pg';
import type { Clock } from '../clock.ts';
import { Failure, fail } from '../failure.ts';
import { type Locks, openLocks } from './locks.ts';
import { build, type Statement } from './query.ts';
import type { OrganizationTable, Schema } from './schema.ts';
import { textArray } from './text-array.ts';
import { readTexts, type TextRow } from './texts.ts';
import { openTurns } from './turns.ts';

/** Where PostgreSQL is: a URL, or the folder of a unix socket. */
export type Address =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/** Runs queries across organisations; for the house's own tables. */
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
  /** What travels with the commit. It asks for all of its statements before it waits for any; later ones are refused. */
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

export interface OrganizationDatabase {
  read<T>(work: (scope: ReadScope) => Promise<T>, options?: ReadOptions): Promise<T>;
  write<T>(work: (scope: WriteScope) => Promise<T>): Promise<T>;
  /** A write of one statement, which is a transaction by itself and needs no words around it; a second one fails. */
  writeOnce<T>(work: (scope: WriteScope) => Promise<T>): Promise<T>;
}

export interface Database {
  readonly address: Address;
  /** Organisations and the house take turns at the readers: a read inside a read could wait for itself. */
  read<T>(work: (handle: Handle) => Promise<T>, options?: ReadOptions): Promise<T>;
  /** One transaction; repeated whole on a deadlock, so `work` must not act outside of the database. */
  write<T>(work: (handle: WriteHandle) => Promise<T>): Promise<T>;
  within(organizationId: string): OrganizationDatabase;
  readonly locks: Locks;
  /** Fails when the database cannot answer now. */
  ping(): Promise<void>;
  /** A connection of one's own, for what lasts as long as the session. The caller ends it. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

interface DatabaseOptions {
  readonly address: Address;
  readonly clock: Clock;
  /** Statements of readers are cancelled by the database itself after this long. */
  readonly readerTimeoutSeconds: number;
  readonly onIdleError: (error: Error) => void;
}

/** Of which one organisation gets twelve at most. */
const READERS = 16;
/** For the ping, which takes no turn. */
const SPARE_READERS = 1;
const WRITERS = 12;
/** Each that is held or waited for has one; a walk that renews its credentials has two. */
const LOCKS = 100;
/** Takes turns at the readers like one more organisation. */
const HOUSE = 'house';
const WAIT_FOR_CONNECTION_MS = 5_000;
const CANCEL_AGAIN_MS = 50;
const DEADLOCKS = new Set(['40P01', '40001']);
const ATTEMPTS_ON_DEADLOCK = 6;
// Shutdown, starting up, too many connections, disk full, and the driver's own «no connection» words.
const UNAVAILABLE = /^(57P0[1-5]|53\d{3}|08\w{3}|ECONN\w+|ENOENT|EPIPE|ETIMEDOUT)$/;

export function openDatabase(options: DatabaseOptions): Database {
  const { address, clock } = options;
  const readers = openPool(address, READERS + SPARE_READERS, {
    default_transaction_read_only: 'on',
    statement_timeout: `${options.readerTimeoutSeconds}s`,
    // Every list query has its index; a plan without one is a mistake of stale statistics.
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
    // The text of a query says which index serves it; planning it for each value takes longer than reading a page.
    plan_cache_mode: 'force_generic_plan',
  });
  const writers = openPool(
    address,
    WRITERS,
    {
      idle_in_transaction_session_timeout: '60s',
      // For an organisation that the statistics do not know, a plan of its own is a wrong one, made anew each time.
      plan_cache_mode: 'force_generic_plan',
    },
    true,
  );
  const holders = openPool(address, LOCKS, {});
  const pools = [readers, writers, holders];
  for (const pool of pools) pool.on('error', options.onIdleError);
  const turns = openTurns<pg.PoolClient>(READERS, WAIT_FOR_CONNECTION_MS, () =>
    unavailable(new Error('no reader came free in time')),
  );

  const locks = openLocks({ borrow: () => borrow(holders), translate });

  async function borrowReader(party: string): Promise<pg.PoolClient> {
    try {
      return await borrow(readers);
    } catch (error) {
      turns.leave(party, null);
      throw error;
    }
  }

  async function read<T>(
    party: string,
    work: (handle: Handle) => Promise<T>,
    { signal }: ReadOptions = {},
  ): Promise<T> {
    const client = (await turns.take(party, signal)) ?? (await borrowReader(party));
    let stop: (() => Promise<void>) | null = null;
    let sound: pg.PoolClient | null = null;
    try {
      signal?.throwIfAborted();
      stop = signal ? cancelOnAbort(signal, client, writers) : null;
      const result = await work(openHandle(client, clock, null));
      sound = client;
      return result;
    } catch (error) {
      throw translate(error);
    } finally {
      // A cancel still under way would hit the next user of this connection.
      if (stop) await stop();
      // From hand to hand while others wait; after a failure the pool looks whether the connection is still good.
      if (!turns.leave(party, sound)) client.release();
    }
  }

  async function write<T>(work: (handle: WriteHandle) => Promise<T>, run = transaction): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(writers, clock, work);
      } catch (error) {
        if (!isDeadlock(error) || attempt === ATTEMPTS_ON_DEADLOCK) throw translate(error);
        await clock.sleep(attempt * 5);
      }
    }
  }

  return {
    address,
    read: (work, readOptions) => read(HOUSE, work, readOptions),
    write: (work) => write(work),
    within: (organizationId) => ({
      read: (work, readOptions) =>
        read(organizationId, (handle) => work(handle.within(organizationId)), readOptions),
      write: (work) => write((handle) => work(handle.within(organizationId))),
      writeOnce: (work) => write((handle) => work(handle.within(organizationId)), singleStatement),
    }),
    locks,
    async ping() {
      await readers.query('select 1');
    },
    async connect() {
      const client = new pg.Client(clientConfig(address, {}));
      // Without a listener a lost connection would end the process.
      client.on('error', options.onIdleError);
      await client.connect();
      return client;
    },
    async close() {
      locks.close();
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

/**
 * Waits for all of them, also where one fails: nobody may use a transaction after its end. Statements of one
 * transaction run in the order in which they were asked for, and travel together.
 * @throws the failure that came first; those after it only say that the transaction is lost
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

/** Resolves once what was asked for in this turn is on its way: the server works on it while something is reckoned. */
export function underway(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

async function transaction<T>(
  pool: pg.Pool,
  clock: Clock,
  work: (handle: WriteHandle) => Promise<T>,
): Promise<T> {
  const client = await borrow(pool);
  const ending = endingOf(Number.POSITIVE_INFINITY);
  let broken: Error | undefined;
  try {
    gather(client);
    const [, result] = await together([
      client.query('begin'),
      work(openHandle(client, clock, ending)),
    ] as const);
    gather(client);
    const lasts = ending.atLast.map((ask) => ask());
    ending.statementsLeft = 0;
    const [{ command }] = await together([client.query('commit'), ...lasts] as const);
    // PostgreSQL ends a transaction in which a statement failed without a complaint.
    if (command !== 'COMMIT')
      throw new Error('the transaction was rolled back: a failure in it went unheard');
    for (const act of ending.afterCommit) act();
    return result;
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function singleStatement<T>(
  pool: pg.Pool,
  clock: Clock,
  work: (handle: WriteHandle) => Promise<T>,
): Promise<T> {
  const client = await borrow(pool);
  const ending = endingOf(1);
  try {
    const result = await work(openHandle(client, clock, ending));
    for (const act of ending.afterCommit) act();
    return result;
  } finally {
    client.release();
  }
}

/** What is asked for in one turn of the event loop leaves as one packet: the server wakes up once for it. */
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
  statementsLeft: number;
}

function endingOf(statementsLeft: number): Ending {
  return { atLast: [], afterCommit: [], statementsLeft };
}

function asSent(value: unknown): unknown {
  return Array.isArray(value) ? textArray(value) : value;
}

/** @param ending null = a reader */
function openHandle(client: pg.ClientBase, clock: Clock, ending: Ending | null): WriteHandle {
  const ask = async (query: pg.QueryConfig & { rowMode?: 'array' }): Promise<unknown[]> => {
    if (ending && ending.statementsLeft-- <= 0) throw new Error('this statement is not in the transaction');
    // A reader asks one question at a time.
    if (ending) gather(client);
    return (await client.query(query)).rows;
  };
  const rows = async <Row>(query: Compilable<Row>): Promise<Row[]> => {
    const { sql, parameters } = query.compile();
    return (await ask({ text: sql, values: parameters as unknown[] })) as Row[];
  };
  const first = async <Row>(query: Compilable<Row>): Promise<Row | undefined> => (await rows(query))[0];
  const raw = async <Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> =>
    (await ask({ name: statement.name, text: statement.text, values: values.map(asSent) })) as Row[];
  // A query of one's own cannot travel together with others.
  const texts = async ({ name, text }: Statement<unknown>, values: readonly unknown[]): Promise<TextRow[]> =>
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

  const handle: WriteHandle = {
    rows,
    first,
    raw,
    sql: async (text, values) => (await ask({ text, values: values as unknown[] })) as object[],
    afterCommit,
    atLast,
    within: (organizationId) => ({
      organizationId,
      clock,
      handle,
      rows,
      first,
      prepared: (statement, values) => raw(statement, [organizationId, ...values]),
      texts: (statement, values) => texts(statement, [organizationId, ...values]),
      afterCommit,
      atLast,
      // The builder's types cannot say «any of these tables»; the four casts below are the only ones.
      select: (table) =>
        build.selectFrom(table as 'orders').where('organization_id', '=', organizationId) as never,
      insert: (table, records) =>
        build
          .insertInto(table as 'orders')
          .values(
            records.map((record) => ({ ...record, organization_id: organizationId })) as never,
          ) as never,
      update: (table) =>
        build.updateTable(table as 'orders').where('organization_id', '=', organizationId) as never,
      remove: (table) =>
        build.deleteFrom(table as 'orders').where('organization_id', '=', organizationId) as never,
    }),
  };
  return handle;
}

async function borrow(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    throw unavailable(cause);
  }
}

/** A cancel that comes before its query is lost, so it is repeated. Where none gets through, the time-out ends it. */
function cancelOnAbort(signal: AbortSignal, client: pg.PoolClient, pool: pg.Pool): () => Promise<void> {
  const { processID } = client as unknown as { processID: number };
  let cancelling = Promise.resolve();
  let isOver = false;
  const repeat = async () => {
    while (!isOver) {
      await pool.query('select pg_cancel_backend($1)', [processID]).catch(() => {});
      await pause(CANCEL_AGAIN_MS);
    }
  };
  const cancel = () => {
    cancelling = repeat();
  };
  signal.addEventListener('abort', cancel, { once: true });
  return () => {
    isOver = true;
    signal.removeEventListener('abort', cancel);
    return cancelling;
  };
}

function isDeadlock(error: unknown): boolean {
  return DEADLOCKS.has(codeOf(error));
}

function translate(error: unknown): unknown {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  if (code === '57014') return fail('request_timeout', { cause: error });
  const lost =
    error instanceof Error &&
    /Connection terminated|Client has encountered a connection error|not queryable/.test(error.message);
  return UNAVAILABLE.test(code) || lost ? unavailable(error) : error;
}

function unavailable(cause: unknown): Failure {
  return fail('service_unavailable', { cause, headers: { 'retry-after': '1' } });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** `pipeline`: what is asked without waiting for the answer before it travels along with it. */
function openPool(address: Address, max: number, session: Record<string, string>, pipeline = false): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(address, session),
    pipeline,
    max,
    connectionTimeoutMillis: WAIT_FOR_CONNECTION_MS,
    idleTimeoutMillis: 60_000,
  });
  // The pool listens to idle connections only; one lost while lent would end the process. Its query fails anyway.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function clientConfig(address: Address, session: Record<string, string>): pg.ClientConfig {
  const common = { TimeZone: 'UTC', application_name: 'tianguis', jit: 'off' };
  // Statements here take milliseconds, and compiling one takes longer.
  const options = Object.entries({ ...common, ...session }).map(([name, value]) => `-c ${name}=${value}`);
  const place = 'url' in address ? { connectionString: address.url } : address;
  return {
    ...place,
    options: options.join(' '),
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
  };
}

const AS_WRITTEN = { getTypeParser: () => (text: string) => text };

const TIMESTAMPTZ = 1184;
const INT8 = 20;

/** Instants as Temporal.Instant, int8 as number (none of ours passes 2^53), numeric as text. */
function parserOf(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === TIMESTAMPTZ) return (text) => Temporal.Instant.from(text);
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown;
}
