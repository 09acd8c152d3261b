import type { Page, Stream, StreamName, StreamRequest, Window } from '../../connectors/contract.ts';
import { isAnswerTooLarge, UpstreamError } from '../../connectors/upstream-error.ts';
import {
  noteLimit,
  type SealedConnection,
  type StreamProgress,
} from '../../features/connections/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OrganizationDatabase } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { StepCall } from '../wire/call.ts';
import type { Slice } from '../wire/patience.ts';
import { openPageSize, type PageSize } from './page-size.ts';
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

/** A page, and the time when it was asked for. */
export interface AskedPage extends Page<unknown> {
  readonly askedAt: Instant;
}

/** The pages of a sync run. */
interface PageSource {
  readonly service: string;
  /**
   * `mayRepeat`: the page holds stored things that the connector queried, which an earlier page may
   * have shown.
   */
  ask(position: string | null): Promise<{ readonly page: AskedPage; readonly mayRepeat: boolean }>;
  /** The names of the things on a page. */
  namesOn(page: Page<unknown>): readonly string[];
  /** Whether the next page is requested while the one before it is stored. */
  readonly asksAhead: boolean;
  /** Pages that earlier slices of the sync run read. */
  readonly pagesBefore: number;
  /** Whether the slice ends after so many pages. */
  isOver(pages: number): boolean;
}

/** The pages after a repeated page were not read. */
export class RepeatedPage extends UpstreamError {
  constructor(service: string) {
    super('runaway', service, 'a page repeats');
  }
}

/** Of one sync run, over all its slices: more than any account fills. */
const MOST_PAGES = 1_000_000;
/** A list that shrank leads back to a position once or twice; one that goes in a circle, always. */
const MOST_VISITS = 3;

/**
 * Page after page, from a position to the end of the sync run, its pause, or the end of the slice.
 * A page that must be acknowledged, or that is the last one, is stored before the next request. A
 * consumer that stops early leaves no request open.
 * @throws UpstreamError runaway where the pages or their positions repeat, endless where there are
 * too many
 */
export async function* pagesOf(source: PageSource, from: string | null): AsyncGenerator<AskedPage> {
  const { service, namesOn } = source;
  let position = from;
  const visits = new Map<string, number>();
  let asking = askUnlessRepeated(source, position, []);
  for (let count = 1; ; count++) {
    const page = await asking;
    const isEnd = page.next === null || page.pauseSeconds !== undefined;
    if (page.next === position && !isEnd)
      throw new UpstreamError('runaway', service, 'the position stands still');
    visit(visits, service, page.next);
    if (source.pagesBefore + count > MOST_PAGES)
      throw new UpstreamError('endless', service, `more than ${MOST_PAGES} pages in one sync run`);
    const isLast = isEnd || source.isOver(count);
    position = page.next;
    const names = namesOn(page);
    const ahead =
      source.asksAhead && !isLast && !page.acknowledge
        ? askUnlessRepeated(source, position, names)
        : null;
    const answered = Promise.allSettled([ahead]);
    try {
      yield page;
    } finally {
      await answered;
    }
    if (isLast) return;
    asking = ahead ?? askUnlessRepeated(source, position, names);
  }
}

/** @throws UpstreamError runaway where it was visited too often */
function visit(visits: Map<string, number>, service: string, position: string | null): void {
  if (position === null) return;
  const count = (visits.get(position) ?? 0) + 1;
  if (count > MOST_VISITS)
    throw new UpstreamError('runaway', service, 'the positions go in a circle');
  visits.set(position, count);
}

/** Requests a page that equals the former one once more. */
async function askUnlessRepeated(
  { service, ask, namesOn }: PageSource,
  position: string | null,
  former: readonly string[],
): Promise<AskedPage> {
  for (let attempt = 1; attempt <= 2; attempt++) {
    const { page, mayRepeat } = await ask(position);
    if (mayRepeat || !isSame(former, namesOn(page))) return page;
  }
  throw new RepeatedPage(service);
}

/** A single thing may be on two pages, because it moved between them. */
function isSame(former: readonly string[], names: readonly string[]): boolean {
  return (
    names.length > 1 &&
    names.length === former.length &&
    names.every((name, at) => name === former[at])
  );
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
  const size = openPageSize(stream, call, {
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
    const request = { window, position, nonFinalIds, deliveredIds, states };
    const page = await askPage(stream, call, size, request);
    return { page: { ...page, askedAt }, mayRepeat };
  };
}

/**
 * Requests a page, and a smaller one where its answer is too large.
 * @throws UpstreamError too_large where a single row is, and there is no way around it
 */
export async function askPage(
  stream: Stream<unknown, unknown>,
  call: StepCall<unknown>,
  size: PageSize,
  request: Omit<StreamRequest, 'limit'>,
): Promise<Page<unknown>> {
  for (;;) {
    const asked = { ...request, limit: size.rows() };
    try {
      const page = await stream.page(call.step(), asked);
      await size.grow();
      return page;
    } catch (error) {
      if (!isAnswerTooLarge(error)) throw error;
      const page = await size.shrink(asked, error);
      if (page) return page;
    }
  }
}
