import type { Call, Page, Pass, Stream, StreamName, Window } from '../connectors/contract.ts';
import { raiseAlert, resolveAlert } from '../features/alerts/index.ts';
import {
  beginStream,
  isStillConnected,
  loadStream,
  noteFailure,
  type SealedConnection,
  type StreamProgress,
  setState,
} from '../features/connections/index.ts';
import type { WriteScope } from '../platform/db/database.ts';
import type { AssertHeld } from '../platform/db/locks.ts';
import { type Instant, latest } from '../platform/time.ts';
import { asUpstream, consequenceOf, LeftMeanwhile, type UpstreamError } from './errors.ts';
import { type Keeping, keepingOf, streamOf } from './keep.ts';
import { readable } from './keep-pages.ts';
import { openConnection } from './open-connection.ts';
import { type PageSource, pagesOf, RepeatedPage } from './pages-of.ts';
import type { ExchangeParts } from './parts.ts';
import { repairStream } from './repair-stream.ts';

export interface StreamReport {
  readonly pages: number;
  readonly items: number;
  readonly changed: number;
  readonly unreadable: number;
}

export interface RunOptions {
  /** Ask again about every stored order that may still change, for lists that hide some changes. */
  readonly sweep: boolean;
  /** If another run of this stream is under way: wait for it, or leave it to that one. */
  readonly ifRunning: 'wait' | 'leave';
  readonly onPage?: (report: StreamReport) => void;
}

interface WalkOptions extends RunOptions {
  readonly assertHeld: AssertHeld;
}

const LOCK = 7_406_003;

/**
 * Walks one stream of a connection to its end, resuming a pass that was cut off.
 * @returns null when another run was under way and was left to it
 * @throws UpstreamError after noting it at the connection
 */
export async function runStream(
  parts: ExchangeParts,
  connection: SealedConnection,
  name: StreamName,
  options: RunOptions,
): Promise<StreamReport | null> {
  const { locks } = parts.database;
  const lock = { kind: LOCK, subject: `${connection.id}:${name}` };
  const walk = (assertHeld: AssertHeld) => walkNoting(parts, connection, name, { ...options, assertHeld });
  return options.ifRunning === 'wait' ? locks.holding(lock, walk) : locks.holdingIfFree(lock, walk);
}

async function walkNoting(
  parts: ExchangeParts,
  connection: SealedConnection,
  name: StreamName,
  options: WalkOptions,
): Promise<StreamReport> {
  const organization = parts.database.within(connection.organizationId);
  try {
    const { connector, call } = openConnection(parts, connection);
    const stream = streamOf(connector, name);
    if (!stream) return { pages: 0, items: 0, changed: 0, unreadable: 0 };
    const report = await walk(parts, connection, stream, call, name, options);
    await organization.write((scope) => noteSuccess(scope, connection.id, name));
    return report;
  } catch (thrown) {
    const error = asUpstream(thrown, connection.service);
    if (!error) throw thrown;
    if (error instanceof LeftMeanwhile) throw error;
    // Our own patience ended, and the checkpoint stands: the calendar brings the rest.
    if (error.kind === 'paced') throw error;
    parts.log.warn(
      { connection: connection.id, stream: name, kind: error.kind, reason: error.message },
      'stream stopped',
    );
    await organization.write((scope) => noteStop(scope, connection, name, error));
    throw error;
  }
}

async function noteSuccess(scope: WriteScope, id: string, name: StreamName): Promise<void> {
  await resolveAlert(scope, 'stream', `${id}:${name}`);
  if (!keepingOf(name).isVital) return;
  await setState(scope, id, 'ok', null);
  await resolveAlert(scope, 'connection', id);
}

/** What a side stream is refused is its own affair: the orders go on. Of an account that left nobody is told. */
async function noteStop(
  scope: WriteScope,
  { id, service }: SealedConnection,
  name: StreamName,
  error: UpstreamError,
): Promise<void> {
  if (!(await isStillConnected(scope, id))) return;
  const { state, message, isWide } = consequenceOf(error.kind, service);
  const { isVital, title } = keepingOf(name);
  await noteFailure(scope, id, name, error.message);
  if (!isVital && !isWide)
    return raiseAlert(scope, { kind: 'stream', subject: `${id}:${name}`, message: `${title}: ${message}` });
  await setState(scope, id, state, message);
  if (state !== 'delayed') await raiseAlert(scope, { kind: 'connection', subject: id, message });
}

/** Page after page, each stored with its checkpoint. */
async function walk(
  parts: ExchangeParts,
  connection: SealedConnection,
  stream: Stream<unknown, unknown>,
  call: Call<unknown>,
  name: StreamName,
  options: WalkOptions,
): Promise<StreamReport> {
  const keeping: Keeping<unknown> = keepingOf(name);
  const organization = parts.database.within(connection.organizationId);
  const progress = await organization.read((scope) => loadStream(scope, connection.id, name));
  const window: Window = progress.pass ?? windowOf(stream, progress, parts.clock.now());
  if (!progress.pass) await organization.write((scope) => beginStream(scope, connection.id, name, window));
  const ask: PageSource['ask'] = async (position) => {
    let isOfOpenOrders = false;
    const open: Pass['open'] = async (after, limit, delivered) => {
      isOfOpenOrders = true;
      const asked = { isSweep: options.sweep, after, limit, ...(delivered && { delivered }) };
      return organization.read(async (scope) => (await keeping.open?.(scope, connection, asked)) ?? []);
    };
    const states: Pass['states'] = (ids) =>
      organization.read(async (scope) => (await keeping.states?.(scope, connection, ids)) ?? new Map());
    const page = await stream.page(call, { window, position, open, states });
    return { page, mayRepeat: isOfOpenOrders };
  };
  const origin = { connection, isFirstImport: progress.isFirstImport, startedAt: window.to };
  const source: PageSource = {
    service: connection.service,
    ask,
    namesOn: (page) => namesOn(page, keeping),
    // It is the first orders that somebody waits for; and what a sweep asks about must be stored.
    asksAhead: name === 'orders' && progress.isFirstImport && !options.sweep,
  };
  const pass = { name, keeping, origin, window, assertHeld: options.assertHeld };
  const report = { pages: 0, items: 0, changed: 0, unreadable: 0 };
  let largestSeen = progress.pass?.largestSeen ?? null;
  try {
    for await (const page of pagesOf(source, progress.pass?.position ?? null)) {
      const items = readable({ page });
      // A marketplace's clock that runs ahead must not carry the watermark past what was asked for.
      const seen = latest(largestSeen, keeping.reached(items, window));
      largestSeen = seen && Temporal.Instant.compare(seen, window.to) > 0 ? window.to : seen;
      const changed = await parts.pages.keep({ ...pass, page, largestSeen });
      await page.acknowledge?.();
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
  if (options.sweep) await repairStream(parts, connection, name, stream, call);
  parts.log.info({ connection: connection.id, stream: name, ...report }, 'stream walked');
  return report;
}

function namesOn(page: Page<unknown>, { nameOf }: Keeping<unknown>): string[] {
  return page.items.map((read) => (read.ok ? nameOf(read.item) : (read.externalId ?? read.raw)));
}

/** From an overlap before the watermark until now; a first import reaches as far back as the stream says. */
function windowOf(stream: Stream<unknown, unknown>, progress: StreamProgress, now: Instant): Window {
  if (progress.watermark)
    return { from: progress.watermark.subtract({ minutes: stream.overlap.minutes }), to: now };
  return { from: stream.history ? now.subtract({ hours: 24 * stream.history.days }) : null, to: now };
}
