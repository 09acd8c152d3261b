import type { Page, Stream, StreamName, Window } from '../../connectors/contract.ts';
import { isSetAsTooLarge } from '../../connectors/too-large.ts';
import { isRaised, raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import {
  beginStream,
  connectionById,
  isStillConnected,
  loadStream,
  markRecovered,
  markTrouble,
  markWell,
  type SealedConnection,
  type StreamProgress,
} from '../../features/connections/index.ts';
import { recover } from '../../features/schedules/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { AssertHeld, Lock } from '../../platform/db/locks.ts';
import { earlier, type Instant } from '../../platform/time.ts';
import type { ExchangeParts } from '../parts.ts';
import { factsOf, streamOf } from '../streams.ts';
import { consequenceOf } from '../wire/consequences.ts';
import { RestartedDuringSync } from '../wire/errors.ts';
import { recordTrouble } from '../wire/job-outcome.ts';
import { openConnection } from '../wire/open-connection.ts';
import { liftRefusal } from '../wire/refused-access.ts';
import type { Origin } from './origin.ts';
import { pagesOf, RepeatedPage, type Run, type RunSettings, sourceOf } from './pages-of.ts';
import { readable } from './reads.ts';
import { repairStream } from './repair-stream.ts';
import { streamStoreOf } from './stream-stores.ts';
import { noteTooLarge, noteWhole, readAgainFrom } from './too-large.ts';
import { watchReadability } from './unreadable-pages.ts';
import { latestWithin, windowOf } from './window.ts';

export interface StreamReport {
  readonly pages: number;
  readonly items: number;
  readonly changed: number;
  readonly unreadable: number;
}

interface RunReport extends StreamReport {
  /** The slice ended before the sync run: the next slice goes on from the checkpoint. */
  readonly isCut: boolean;
  /** The sync run came to its end; else it was cut, or waits for the service. */
  readonly isOver: boolean;
  /** It ended, and could not read all changes. */
  readonly isBehind: boolean;
}

export interface RunOptions extends RunSettings {
  /** Where another process runs this stream: wait for it, or leave the stream to it. */
  readonly ifRunning: 'wait' | 'leave';
  readonly onPage?: (report: StreamReport) => void;
}

/** A sync run that stores its pages under its lock. */
interface LockedRun extends Run {
  readonly parts: ExchangeParts;
  readonly options: RunOptions & { readonly assertHeld: AssertHeld };
}

/** Of a stream that the service does not have, or an account that is not read any more. */
const ABSENT: RunReport = {
  pages: 0,
  items: 0,
  changed: 0,
  unreadable: 0,
  isCut: false,
  isOver: true,
  isBehind: false,
};
/** The next slice begins anew, with the credentials of that time. */
const RESTARTED: RunReport = { ...ABSENT, isCut: true, isOver: false };
/** A tight limit makes sums take hours. */
const OLDEST_SUMS = { hours: 24 };

/**
 * Reads one stream of a connection to the end of its sync run or slice. A run that was cut off goes
 * on from its checkpoint.
 * @returns null when another process runs this stream and it was left to it, also where the lock was
 * lost on the way
 * @throws UpstreamError, or an error of our own, after recording it at the connection
 */
export async function runStream(
  parts: ExchangeParts,
  connection: SealedConnection,
  name: StreamName,
  options: RunOptions,
): Promise<RunReport | null> {
  const { locks } = parts.database;
  const organization = parts.database.within(connection.organizationId);
  const lock: Lock = { kind: 'stream', subject: `${connection.id}:${name}` };
  const run = (of: SealedConnection, assertHeld: AssertHeld) =>
    runRecording(parts, of, name, { ...options, assertHeld });
  if (options.ifRunning === 'leave')
    return locks.holdingIfFree(lock, (assertHeld) => run(connection, assertHeld));
  return locks.holding(lock, async (assertHeld) => {
    // During the wait it may have been connected anew, paused or disconnected.
    const now = await organization.read((scope) => connectionById(scope, connection.id));
    const isOff = !now || now.state === 'paused' || now.state === 'disconnected';
    return isOff ? ABSENT : run(now, assertHeld);
  });
}

async function runRecording(
  parts: ExchangeParts,
  connection: SealedConnection,
  name: StreamName,
  options: LockedRun['options'],
): Promise<RunReport | null> {
  const organization = parts.database.within(connection.organizationId);
  try {
    const { connector, call } = openConnection(parts, connection, { patience: options.slice });
    const stream = streamOf(connector, name);
    if (!stream) return ABSENT;
    const { clock } = parts;
    const given = { parts, clock, organization, connection, name, stream, call, options };
    const report = await readPages(await begin(given));
    const note = noteOf(report);
    await organization.write((scope) => note(scope, connection, name));
    return report;
  } catch (thrown) {
    if (thrown instanceof RestartedDuringSync) return RESTARTED;
    const job = { alert: 'connection', stream: name } as const;
    if (isHeld(options)) throw (await recordTrouble(parts, connection, job, thrown)) ?? thrown;
    // Another process may have the lock by now, and its outcome counts.
    parts.log
      .of('sync')
      .warn({ connection: connection.id, stream: name, err: thrown }, 'sync run lost its lock');
    if (options.ifRunning === 'wait') throw thrown;
    return null;
  }
}

function isHeld({ assertHeld }: LockedRun['options']): boolean {
  try {
    assertHeld();
    return true;
  } catch {
    return false;
  }
}

function noteOf({ isOver, isBehind }: RunReport) {
  if (!isOver) return noteAnswered;
  return isBehind ? noteBehind : noteSuccess;
}

/** The sync run is not over, but its pages come in: an outage is over. */
async function noteAnswered(
  scope: WriteScope,
  { id, state }: SealedConnection,
  name: StreamName,
): Promise<void> {
  await recover(scope, 'sync', `${id}:${name}`);
  // The former run may have been behind, and only the end of this one shows whether it is, too.
  if (state === 'delayed' && !(await isRaised(scope, 'connection', id)))
    await markRecovered(scope, id);
}

/** The sync run is over, and changes that it could not read come late. */
async function noteBehind(
  scope: WriteScope,
  { id, service, state }: SealedConnection,
  name: StreamName,
): Promise<void> {
  if (!(await isStillConnected(scope, id))) return;
  await recover(scope, 'sync', `${id}:${name}`);
  // What stopped an earlier run is over.
  if (state === 'error') await markRecovered(scope, id);
  const behind = consequenceOf('behind', service);
  await markTrouble(scope, id, behind.state, behind.message);
  await raiseAlert(scope, { kind: 'connection', subject: id, message: behind.message });
}

/** The sync run is over: nothing is missing. */
async function noteSuccess(
  scope: WriteScope,
  { id, refusal }: SealedConnection,
  name: StreamName,
): Promise<void> {
  await resolveAlert(scope, 'stream', `${id}:${name}`);
  await recover(scope, 'sync', `${id}:${name}`);
  if (!factsOf(name).isVital) return;
  if (refusal && refusal.what !== 'renewal') await liftRefusal(scope, id);
  await markWell(scope, id);
  await resolveAlert(scope, 'connection', id);
}

async function begin(given: Omit<LockedRun, 'progress' | 'window'>): Promise<LockedRun> {
  const { parts, organization, connection, name, stream } = given;
  const progress = await organization.read((scope) => loadStream(scope, connection.id, name));
  const now = parts.clock.now();
  const continued = isContinued(stream, progress.run, now) ? progress.run : null;
  const window: Window = continued ?? (await newWindow(given, windowOf(stream, progress, now)));
  const as = { watermark: progress.watermark, to: progress.run?.to ?? null };
  if (!continued) await beginAs(given, window, as);
  return { ...given, progress: { ...progress, run: continued }, window };
}

/** @throws RestartedDuringSync */
async function beginAs(
  { organization, connection, name }: Pick<LockedRun, 'organization' | 'connection' | 'name'>,
  window: Window,
  as: { readonly watermark: Instant | null; readonly to: Instant | null },
): Promise<void> {
  const hasBegun = await organization.write((scope) =>
    beginStream(scope, connection.id, name, window, as),
  );
  if (!hasBegun) throw new RestartedDuringSync();
}

/**
 * A run also reads the time again from which things without a name were set aside: of the vital
 * streams, which run every few minutes, a reconciliation.
 */
async function newWindow(
  { organization, connection, name, options }: Omit<LockedRun, 'progress' | 'window'>,
  { from, to }: Window,
): Promise<Window> {
  if (from === null || (factsOf(name).isVital && !options.reconcile)) return { from, to };
  const again = await organization.read((scope) => readAgainFrom(scope, connection.id, name));
  return { from: again ? again.from && earlier(again.from, from) : from, to };
}

/** Sums of rows that were read before a stop and after it would be those of no moment. */
function isContinued(
  { addsUp }: Stream<unknown, unknown>,
  run: StreamProgress['run'],
  now: Instant,
): boolean {
  if (!run || !addsUp) return run !== null;
  return !run.hasFailed && Temporal.Instant.compare(run.to.add(OLDEST_SUMS), now) > 0;
}

/** Page after page, each stored with its checkpoint. */
async function readPages(run: LockedRun): Promise<RunReport> {
  const { parts, connection, name, progress, window, options } = run;
  const origin = originOf(run);
  const position = { name, window, assertHeld: options.assertHeld };
  const report = { pages: 0, items: 0, changed: 0, unreadable: 0 };
  const readability = watchReadability(parts, connection, name);
  let largestSeen = progress.run?.largestSeen ?? null;
  let last: Page<unknown> | null = null;
  try {
    for await (const page of pagesOf(sourceOf(run), progress.run?.position ?? null)) {
      const items = readable(page.items);
      largestSeen = latestWithin(window, largestSeen, streamStoreOf(name).reached(items, window));
      const ofPage = { ...origin, askedAt: page.askedAt };
      const read = { ...position, origin: ofPage, page, largestSeen, changed: report.changed };
      const changed = await parts.pages.store(read);
      const large = page.items.filter(isSetAsTooLarge);
      if (large.length > 0) await noteTooLarge(parts, connection, name, large);
      await readability.note(page.items.length - large.length, items.length);
      await page.acknowledge?.();
      last = page;
      report.pages += 1;
      report.items += items.length;
      report.changed += changed;
      report.unreadable += page.items.length - items.length;
      options.onPage?.(report);
    }
  } catch (error) {
    if (error instanceof RepeatedPage)
      await beginAs(run, window, { watermark: progress.watermark, to: window.to });
    throw error;
  }
  const isOver = last !== null && last.next === null;
  const isCut = last !== null && !isOver && last.pauseSeconds === undefined;
  return end(run, { ...report, isCut, isOver, isBehind: last?.isBehind === true });
}

function originOf({ connection, progress, window, clock }: LockedRun): Origin {
  const { isFirstImport } = progress;
  return { connection, isFirstImport, startedAt: window.to, askedAt: clock.now() };
}

async function end(run: LockedRun, report: RunReport): Promise<RunReport> {
  const { parts, organization, connection, name, stream, call, window, options } = run;
  if (report.isOver) {
    const { changed } = report;
    await streamStoreOf(name).follow?.(parts, originOf(run), { from: window.from, changed });
    const from = streamStoreOf(name).showsAll ? null : window.from;
    await noteWhole(organization, connection.id, name, { from, to: window.to });
  }
  if (options.reconcile && report.isOver) await repairStream(parts, connection, name, stream, call);
  parts.log.of('sync').info({ connection: connection.id, stream: name, ...report }, 'stream read');
  return report;
}
