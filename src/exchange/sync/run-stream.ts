import type { Page, Pass, Stream, StreamName, Window } from '../../connectors/contract.ts';
import { isTooLarge } from '../../connectors/kit.ts';
import { resolveAlert } from '../../features/alerts/index.ts';
import {
  beginStream,
  loadStream,
  markRecovered,
  markWell,
  noteLimit,
  type SealedConnection,
  type StreamProgress,
} from '../../features/connections/index.ts';
import { recover } from '../../features/schedules/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { AssertHeld, Lock } from '../../platform/db/locks.ts';
import { type Instant, latest } from '../../platform/time.ts';
import type { ExchangeParts } from '../parts.ts';
import type { StepCall } from '../wire/call.ts';
import { recordTrouble } from '../wire/job-outcome.ts';
import { openConnection } from '../wire/open-connection.ts';
import type { Slice } from '../wire/patience.ts';
import { liftRefusal } from '../wire/refused-access.ts';
import { openSizedPages } from './page-size.ts';
import { type PageSource, pagesOf, RepeatedPage } from './pages-of.ts';
import { repairStream } from './repair-stream.ts';
import { readable } from './store-page.ts';
import { type StreamStore, streamOf, streamStoreOf } from './stream-stores.ts';
import { noteTooLarge, noteWhole } from './too-large.ts';
import { watchReadability } from './unreadable-pages.ts';

export interface StreamReport {
  readonly pages: number;
  readonly items: number;
  readonly changed: number;
  readonly unreadable: number;
}

interface RunReport extends StreamReport {
  /** The slice was over before the pass: another run goes on from the checkpoint. */
  readonly isCut: boolean;
}

export interface RunOptions {
  /** Ask again about every stored order that may still change, for lists that hide some changes. */
  readonly reconcile: boolean;
  /** If another run of this stream is under way: wait for it, or leave it to that one. */
  readonly ifRunning: 'wait' | 'leave';
  /** Absent = the run goes on to the end of the pass. */
  readonly slice?: Slice;
  readonly onPage?: (report: StreamReport) => void;
}

interface WalkOptions extends RunOptions {
  readonly assertHeld: AssertHeld;
}

/**
 * Walks one stream of a connection to its end, or to the end of the slice, resuming a pass that was
 * cut off.
 * @returns null when another run was under way and was left to it
 * @throws UpstreamError, or what went wrong here, after writing it down at the connection
 */
export async function runStream(
  parts: ExchangeParts,
  connection: SealedConnection,
  name: StreamName,
  options: RunOptions,
): Promise<RunReport | null> {
  const { locks } = parts.database;
  const lock: Lock = { kind: 'stream', subject: `${connection.id}:${name}` };
  const walk = (assertHeld: AssertHeld) =>
    walkRecording(parts, connection, name, { ...options, assertHeld });
  return options.ifRunning === 'wait' ? locks.holding(lock, walk) : locks.holdingIfFree(lock, walk);
}

async function walkRecording(
  parts: ExchangeParts,
  connection: SealedConnection,
  name: StreamName,
  options: WalkOptions,
): Promise<RunReport> {
  const organization = parts.database.within(connection.organizationId);
  try {
    const { connector, call } = openConnection(parts, connection, { patience: options.slice });
    const stream = streamOf(connector, name);
    if (!stream) return { pages: 0, items: 0, changed: 0, unreadable: 0, isCut: false };
    const report = await walk(parts, connection, stream, call, name, options);
    const note = report.isCut ? noteAnswered : noteSuccess;
    await organization.write((scope) => note(scope, connection, name));
    return report;
  } catch (thrown) {
    throw (
      (await recordTrouble(parts, connection, { alert: 'connection', stream: name }, thrown)) ??
      thrown
    );
  }
}

/** The pass is not over, but its pages come in: an outage is. */
async function noteAnswered(
  scope: WriteScope,
  { id, state }: SealedConnection,
  name: StreamName,
): Promise<void> {
  await recover(scope, 'sync', `${id}:${name}`);
  if (state === 'delayed') await markRecovered(scope, id);
}

/** The pass is over: nothing is missing. */
async function noteSuccess(
  scope: WriteScope,
  { id, refusal }: SealedConnection,
  name: StreamName,
): Promise<void> {
  await resolveAlert(scope, 'stream', `${id}:${name}`);
  await recover(scope, 'sync', `${id}:${name}`);
  if (!streamStoreOf(name).isVital) return;
  if (refusal && refusal.what !== 'renewal') await liftRefusal(scope, id);
  await markWell(scope, id);
  await resolveAlert(scope, 'connection', id);
}

/** Page after page, each stored with its checkpoint. */
async function walk(
  parts: ExchangeParts,
  connection: SealedConnection,
  stream: Stream<unknown, unknown>,
  call: StepCall<unknown>,
  name: StreamName,
  options: WalkOptions,
): Promise<RunReport> {
  const keeping: StreamStore<unknown> = streamStoreOf(name);
  const organization = parts.database.within(connection.organizationId);
  const progress = await organization.read((scope) => loadStream(scope, connection.id, name));
  const window: Window = progress.pass ?? windowOf(stream, progress, parts.clock.now());
  if (!progress.pass)
    await organization.write((scope) => beginStream(scope, connection.id, name, window));
  const pages = openSizedPages(stream, call, {
    limit: progress.pass?.limit ?? null,
    note: (limit) => organization.write((scope) => noteLimit(scope, connection.id, name, limit)),
  });
  const ask: PageSource['ask'] = async (position) => {
    let isOfOpenOrders = false;
    const open: Pass['open'] = async (after, limit, delivered) => {
      isOfOpenOrders = true;
      const asked = {
        isReconciliation: options.reconcile,
        after,
        limit,
        ...(delivered && { delivered }),
      };
      return organization.read(
        async (scope) => (await keeping.open?.(scope, connection, asked)) ?? [],
      );
    };
    const states: Pass['states'] = (ids) =>
      organization.read(
        async (scope) => (await keeping.states?.(scope, connection, ids)) ?? new Map(),
      );
    const page = await pages.ask({ window, position, open, states });
    return { page, mayRepeat: isOfOpenOrders };
  };
  const origin = { connection, isFirstImport: progress.isFirstImport, startedAt: window.to };
  const source: PageSource = {
    service: connection.service,
    ask,
    namesOn: (page) => namesOn(page, keeping),
    // It is the first orders that somebody waits for; and what a sweep asks about must be stored.
    asksAhead: name === 'orders' && progress.isFirstImport && !options.reconcile,
    pagesBefore: progress.pass?.pages ?? 0,
    isOver: (pages) => options.slice?.isOver(pages) === true,
  };
  const pass = { name, keeping, origin, window, assertHeld: options.assertHeld };
  const report = { pages: 0, items: 0, changed: 0, unreadable: 0 };
  const legibility = watchReadability(parts, connection, name);
  let largestSeen = progress.pass?.largestSeen ?? null;
  let isCut = false;
  let isWhole = false;
  try {
    for await (const page of pagesOf(source, progress.pass?.position ?? null)) {
      const items = readable({ page });
      // A marketplace's clock that runs ahead must not carry the watermark past what was asked for.
      const seen = latest(largestSeen, keeping.reached(items, window));
      largestSeen = seen && Temporal.Instant.compare(seen, window.to) > 0 ? window.to : seen;
      const changed = await parts.pages.store({ ...pass, page, largestSeen });
      const large = page.items.filter(isTooLarge);
      if (large.length > 0) await noteTooLarge(parts, connection, name, large);
      await legibility.note(page.items.length - large.length, items.length);
      await page.acknowledge?.();
      isCut = page.next !== null && !page.pause;
      isWhole = page.next === null && window.from === null;
      report.pages += 1;
      report.items += items.length;
      report.changed += changed;
      report.unreadable += page.items.length - items.length;
      options.onPage?.(report);
    }
  } catch (error) {
    if (error instanceof RepeatedPage)
      await organization.write((scope) => beginStream(scope, connection.id, name, window));
    throw error;
  }
  if (isWhole)
    await organization.write((scope) => noteWhole(scope, connection.id, name, window.to));
  if (options.reconcile && !isCut) await repairStream(parts, connection, name, stream, call);
  parts.log.info({ connection: connection.id, stream: name, ...report, isCut }, 'stream walked');
  return { ...report, isCut };
}

function namesOn(page: Page<unknown>, { nameOf }: StreamStore<unknown>): string[] {
  return page.items.map((read) => (read.ok ? nameOf(read.item) : (read.externalId ?? read.raw)));
}

/**
 * From an overlap before the watermark until now; a first import reaches as far back as the stream
 * says.
 */
function windowOf(
  stream: Stream<unknown, unknown>,
  progress: StreamProgress,
  now: Instant,
): Window {
  if (progress.watermark)
    return { from: progress.watermark.subtract({ minutes: stream.overlap.minutes }), to: now };
  return {
    from: stream.history ? now.subtract({ hours: 24 * stream.history.days }) : null,
    to: now,
  };
}
