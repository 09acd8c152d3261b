import { NO_ORGANIZATION } from '../no-organization.ts';
import { retry } from '../retry.ts';
import type { ConnectionSlots } from './connection-slots.ts';
import { enter } from './enter.ts';
import { endingOf, type HandleParts, openHandle } from './handle.ts';
import type { NoticeSender } from './notice-sender.ts';
import { cork, together } from './pipeline.ts';
import type { WriteHandle, WriteScope } from './scopes.ts';
import { codeOf, isDiskFull, isOfAborted, isWorthRepeating, translate } from './unavailable.ts';

/** Writes of one organisation. */
export interface OrganizationWrites {
  write<T>(work: (scope: WriteScope) => Promise<T>): Promise<T>;
  /**
   * A single statement in autocommit where the database allows it; a second one throws. It enters
   * the organisation itself unless its scope has.
   */
  writeOnce<T>(work: (scope: WriteScope) => Promise<T>): Promise<T>;
}

/**
 * Connections are shared fairly among organisations and queries of no organisation: a write inside
 * a write could wait for itself.
 */
export interface Writes {
  /**
   * One transaction. It is repeated whole on a deadlock, and when another one held a lock for
   * longer than three seconds, so `work` must not act outside of the database.
   * @throws Failure service_unavailable, with Retry-After, where that was in vain
   */
  write<T>(work: (handle: WriteHandle) => Promise<T>): Promise<T>;
  within(organizationId: string): OrganizationWrites;
}

/** What a write needs. */
interface Writing extends HandleParts {
  readonly slots: ConnectionSlots;
  readonly sender: NoticeSender;
  readonly onDiskFull: () => void;
  readonly onRetry: (reason: string) => void;
  /** Whether a single statement can be sent without a transaction, and enter its organisation. */
  readonly entersItself: boolean;
}

type Run = typeof transaction;

export function openWrites(writing: Writing): Writes {
  async function write<T>(
    tenant: string,
    work: (handle: WriteHandle) => Promise<T>,
    run: Run = transaction,
  ): Promise<T> {
    return retry(
      () => run(writing, tenant, work),
      (error, attempts) => {
        if (isDiskFull(error)) writing.onDiskFull();
        if (!isWorthRepeating(error, attempts)) return null;
        writing.onRetry(codeOf(error));
        return attempts * 5;
      },
      (milliseconds) => writing.clock.sleep(milliseconds),
    ).catch((error) => {
      throw translate(error);
    });
  }

  const once = writing.entersItself ? singleStatement : transaction;
  return {
    write: (work) => write(NO_ORGANIZATION, work),
    within: (organizationId) => ({
      write: (work) => write(organizationId, (handle) => work(handle.within(organizationId))),
      writeOnce: (work) =>
        write(organizationId, (handle) => work(handle.within(organizationId)), once),
    }),
  };
}

async function transaction<T>(
  { slots, sender, ...handleParts }: Writing,
  tenant: string,
  work: (handle: WriteHandle) => Promise<T>,
): Promise<T> {
  const client = await slots.acquire(tenant);
  const { pooledBegin } = handleParts;
  const ending = endingOf(Number.POSITIVE_INFINITY, sender);
  let broken: Error | undefined;
  try {
    cork(client);
    const [, , result] = await together([
      client.query(pooledBegin ?? 'begin'),
      tenant === NO_ORGANIZATION ? Promise.resolve() : enter(client, tenant, !pooledBegin),
      work(openHandle(client, { ...handleParts, entered: tenant }, ending)),
    ] as const);
    cork(client);
    const lasts = ending.withCommit.map((issue) => issue());
    ending.statementsLeft = 0;
    const [{ command }] = await together([client.query('commit'), ...lasts] as const);
    // PostgreSQL ends a transaction in which a statement failed without an error.
    if (command !== 'COMMIT')
      throw new Error('the transaction was rolled back: a failure in it was not awaited', {
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
    slots.release(tenant, client, broken ?? 'sound');
  }
}

async function singleStatement<T>(
  { slots, sender, ...handleParts }: Writing,
  tenant: string,
  work: (handle: WriteHandle) => Promise<T>,
): Promise<T> {
  const client = await slots.acquire(tenant);
  let state: 'sound' | 'unsure' = 'unsure';
  const ending = endingOf(1, sender);
  try {
    const result = await work(openHandle(client, handleParts, ending));
    state = 'sound';
    for (const act of ending.afterCommit) act();
    return result;
  } finally {
    slots.release(tenant, client, state);
  }
}
