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
import type { Clock } from '../clock.ts';
import type { Search, Statement } from './query.ts';
import type { OrganizationTable, Schema } from './schema.ts';
import type { TextRow } from './texts.ts';
import type { Vault } from './vault.ts';

/** Runs queries across organisations; for the tables of no organisation. */
export interface Handle {
  rows<Row>(query: Compilable<Row>): Promise<Row[]>;
  first<Row>(query: Compilable<Row>): Promise<Row | undefined>;
  /** Runs a statement; `values` are all of its parameters. */
  raw<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
  search<Row>(search: Search<Row>, values: readonly unknown[]): Promise<Row[]>;
  within(organizationId: string): ReadScope;
}

/** A handle inside a transaction. */
export interface WriteHandle extends Handle {
  /** Runs after the commit, and never when there is none. */
  afterCommit(work: () => void): void;
  /**
   * Notifies all processes on the channel `clock`, a moment after the commit. A notice may be lost
   * with this process, so it only saves others from looking.
   */
  notifyAfterCommit(subject: string, value: string): void;
  /**
   * Statements that are sent together with `commit`, without waiting for an answer in between.
   * `work` must issue all of them synchronously; later ones are refused.
   */
  withCommit(work: () => Promise<unknown>): void;
  /** For the job queue, which brings its own statements. */
  sql(text: string, values: readonly unknown[]): Promise<object[]>;
  within(organizationId: string): WriteScope;
}

/** A handle narrowed to one organisation: its queries cannot see another one's rows. */
export interface ReadScope {
  readonly organizationId: string;
  readonly clock: Clock;
  /** Whether it reads a replica, which may lag behind the primary. */
  readonly isReplica: boolean;
  /** The handle that this one was narrowed from. */
  readonly handle: Handle;
  /** For what the organisation keeps of buyers. */
  vault(): Promise<Vault>;
  select<T extends OrganizationTable>(table: T): SelectQueryBuilder<Schema, T, object>;
  rows<Row>(query: Compilable<Row>): Promise<Row[]>;
  first<Row>(query: Compilable<Row>): Promise<Row | undefined>;
  /** Runs a hot statement; the organisation is put before `values` as `$1`. */
  prepared<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
  /** The same for the hottest statements: columns in their order, each of type text. */
  texts(statement: Statement<unknown>, values: readonly unknown[]): Promise<readonly TextRow[]>;
}

/** A narrowed handle inside a transaction. */
export interface WriteScope extends ReadScope {
  /** False where `enterFrom`, or a statement itself, is to enter the organisation. */
  readonly isEntered: boolean;
  /** Rows get their `organization_id` here. */
  insert<T extends OrganizationTable>(
    table: T,
    rows: readonly object[],
  ): InsertQueryBuilder<Schema, T, InsertResult>;
  update<T extends OrganizationTable>(table: T): UpdateQueryBuilder<Schema, T, T, UpdateResult>;
  remove<T extends OrganizationTable>(table: T): DeleteQueryBuilder<Schema, T, DeleteResult>;
  afterCommit(work: () => void): void;
  withCommit(work: () => Promise<unknown>): void;
  readonly handle: WriteHandle;
}
