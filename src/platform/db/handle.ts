import type { Compilable } from 'kysely';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import type { NoticeSender } from './notice-sender.ts';
import * as own from './organization-queries.ts';
import { cork } from './pipeline.ts';
import type { Search, Statement } from './query.ts';
import type { WriteHandle, WriteScope } from './scopes.ts';
import { textArray } from './text-array.ts';
import { readTexts, type TextRow } from './texts.ts';
import type { Vault, Vaults } from './vault.ts';

/** What every handle has. */
export interface HandleParts {
  readonly clock: Clock;
  readonly vaults: Vaults;
  /** The handle reads a replica. */
  readonly isReplica?: boolean;
  /**
   * How a transaction begins where a pooler gives each one another session. Statements have no
   * names there: a session does not know those that another one prepared.
   */
  readonly pooledBegin?: string | undefined;
  /** Searches look among these organisations; absent = among all. */
  readonly among?: readonly string[];
  /** The organisation that the transaction has entered. */
  readonly entered?: string;
}

/** How a write ends, and how many statements it may still issue. */
interface Ending {
  readonly withCommit: (() => Promise<unknown>)[];
  readonly afterCommit: (() => void)[];
  readonly sender: NoticeSender;
  statementsLeft: number;
  /** Of the first statement that failed. Work that waits for several may see a later one before. */
  firstError?: unknown;
}

export function endingOf(statementsLeft: number, sender: NoticeSender): Ending {
  return { withCommit: [], afterCommit: [], sender, statementsLeft };
}

/** @param ending null = a reader */
export function openHandle(
  client: pg.ClientBase,
  handleParts: HandleParts,
  ending: Ending | null,
): WriteHandle {
  const { texts, ...queries } = queriesOn(client, ending, handleParts.pooledBegin === undefined);
  const isReader = ending === null;
  const handle: WriteHandle = {
    ...queries,
    ...commitOf(ending),
    search: <Row>(search: Search<Row>, values: readonly unknown[]) =>
      handleParts.among
        ? queries.raw(search.among, [...values, handleParts.among])
        : queries.raw(search, values),
    within: (organizationId) =>
      openScope(organizationId, { handle, texts, isReader, ...handleParts }),
  };
  return handle;
}

interface Opened extends HandleParts {
  readonly handle: WriteHandle;
  readonly texts: WriteScope['texts'];
  readonly isReader: boolean;
}

function openScope(organizationId: string, opened: Opened): WriteScope {
  const { handle, texts, isReader, isReplica = false, clock, vaults, entered } = opened;
  const { rows, first, raw, afterCommit, withCommit } = handle;
  let vault: Promise<Vault> | null = null;
  return {
    organizationId,
    clock,
    isReplica,
    isEntered: organizationId === entered,
    handle,
    vault() {
      vault ??= isReader ? vaults.find(this) : vaults.findOrMake(this);
      return vault;
    },
    rows,
    first,
    prepared: (statement, values) => raw(statement, [organizationId, ...values]),
    texts: (statement, values) => texts(statement, [organizationId, ...values]),
    afterCommit,
    withCommit,
    select: (table) => own.select(organizationId, table),
    insert: (table, records) => own.insert(organizationId, table, records),
    update: (table) => own.update(organizationId, table),
    remove: (table) => own.remove(organizationId, table),
  };
}

type Query = pg.QueryConfig & { rowMode?: 'array' };

function queriesOn(client: pg.ClientBase, ending: Ending | null, isNamed: boolean) {
  const nameOf = (name: string) => (isNamed ? name : '');
  const ask = async (query: Query): Promise<unknown[]> => {
    if (ending && ending.statementsLeft-- <= 0)
      throw new Error('this statement is not in the transaction');
    // A reader waits for each answer before its next statement.
    if (ending) cork(client);
    try {
      return (await client.query(query)).rows;
    } catch (error) {
      if (ending) ending.firstError ??= error;
      throw error;
    }
  };
  const rows = async <Row>(query: Compilable<Row>): Promise<Row[]> => {
    const { sql, parameters } = query.compile();
    return (await ask({ text: sql, values: [...parameters] })) as Row[];
  };
  return {
    rows,
    first: async <Row>(query: Compilable<Row>): Promise<Row | undefined> => (await rows(query))[0],
    raw: async <Row>({ name, text }: Statement<Row>, values: readonly unknown[]): Promise<Row[]> =>
      (await ask({ name: nameOf(name), text, values: values.map(asSent) })) as Row[],
    texts: async (
      { name, text }: Statement<unknown>,
      values: readonly unknown[],
    ): Promise<TextRow[]> => {
      const sent = values.map(asSent);
      // A submittable of one's own cannot be pipelined.
      if (!ending) return readTexts(client, { name: nameOf(name), text }, sent);
      const query: Query = {
        name: nameOf(name),
        text,
        values: sent,
        rowMode: 'array',
        types: AS_WRITTEN,
      };
      return (await ask(query)) as TextRow[];
    },
    sql: async (text: string, values: readonly unknown[]): Promise<object[]> =>
      (await ask({ text, values: [...values] })) as object[],
  };
}

function asSent(value: unknown): unknown {
  return Array.isArray(value) ? textArray(value) : value;
}

const AS_WRITTEN = { getTypeParser: () => (text: string) => text };

function commitOf(
  ending: Ending | null,
): Pick<WriteHandle, 'afterCommit' | 'withCommit' | 'notifyAfterCommit'> {
  const open = (): Ending => {
    if (!ending) throw new Error('a reader has no commit');
    return ending;
  };
  const afterCommit = (work: () => void) => void open().afterCommit.push(work);
  return {
    afterCommit,
    withCommit: (work) => void open().withCommit.push(work),
    notifyAfterCommit(subject, value) {
      const { sender } = open();
      afterCommit(() => sender.notify(subject, value));
    },
  };
}
