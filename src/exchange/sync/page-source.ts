import type { Stream, StreamName, StreamRequest, Window } from '../../connectors/contract.ts';
import {
  noteLimit,
  type SealedConnection,
  type StreamProgress,
} from '../../features/connections/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OrganizationDatabase } from '../../platform/db/database.ts';
import type { StepCall } from '../wire/call.ts';
import type { Slice } from '../wire/patience.ts';
import { openSizedPages } from './page-size.ts';
import type { PageSource } from './pages-of.ts';
import { type OpenQuery, streamStoreOf } from './stream-stores.ts';

export interface RunSettings {
  /** Fetches each stored order that may still change, since lists hide some changes. */
  readonly reconcile: boolean;
  /** Absent = the sync run goes on to its end. */
  readonly slice?: Slice;
}

/** A sync run of one stream. */
export interface Run {
  readonly organization: OrganizationDatabase;
  readonly connection: SealedConnection;
  readonly name: StreamName;
  readonly stream: Stream<unknown, unknown>;
  readonly call: StepCall<unknown>;
  readonly progress: StreamProgress;
  readonly window: Window;
  readonly options: RunSettings;
  readonly clock: Clock;
}

/** The pages of a sync run. */
export function sourceOf(run: Run): PageSource {
  const { connection, name, progress, options } = run;
  const { nameOf } = streamStoreOf(name);
  return {
    service: connection.service,
    ask: askerOf(run),
    namesOn: ({ items }) =>
      items.map((read) => (read.ok ? nameOf(read.item) : (read.externalId ?? read.raw))),
    // The seller waits for the first orders only, and a reconciliation fetches stored ones.
    asksAhead: name === 'orders' && progress.isFirstImport && !options.reconcile,
    pagesBefore: progress.run?.pages ?? 0,
    isOver: (pages) => options.slice?.isOver(pages) === true,
  };
}

/** Requests pages, and answers the connector's queries about stored things. */
function askerOf(run: Run): PageSource['ask'] {
  const { organization, connection, name, stream, call, progress, window, options } = run;
  const stored = streamStoreOf(name);
  const pages = openSizedPages(stream, call, {
    limit: progress.run?.limit ?? null,
    note: (limit) => organization.write((scope) => noteLimit(scope, connection.id, name, limit)),
  });
  const isReconciliation = options.reconcile;
  const states: StreamRequest['states'] = (ids) =>
    organization.read(
      async (scope) => (await stored.states?.(scope, connection, ids)) ?? new Map(),
    );
  return async (position) => {
    let mayRepeat = false;
    const storedIds = (query: Omit<OpenQuery, 'isReconciliation'>) => {
      mayRepeat = true;
      return organization.read(
        async (scope) =>
          (await stored.open?.(scope, connection, { ...query, isReconciliation })) ?? [],
      );
    };
    const nonFinalIds: StreamRequest['nonFinalIds'] = (after, limit) => storedIds({ after, limit });
    const deliveredIds: StreamRequest['deliveredIds'] = (delivered, after, limit) =>
      storedIds({ after, limit, delivered });
    const askedAt = run.clock.now();
    const page = await pages.ask({ window, position, nonFinalIds, deliveredIds, states });
    return { page: { ...page, askedAt }, mayRepeat };
  };
}
