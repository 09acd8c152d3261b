import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { storableText } from '../../platform/json.ts';
import { type Instant, latest } from '../../platform/time.ts';
import * as streamStore from './store-streams.ts';

/** The progress of one stream of a connection. */
export interface StreamProgress {
  /** Largest change time of the last finished sync run; null before the first one ends. */
  readonly watermark: Instant | null;
  readonly isFirstImport: boolean;
  /** The interrupted sync run, to be resumed; null between sync runs. */
  readonly run: {
    readonly from: Instant | null;
    readonly to: Instant;
    readonly position: string | null;
    readonly largestSeen: Instant | null;
    /** Pages read so far. */
    readonly pages: number;
    /** As `noteLimit` stored it; null = the stream's full page size. */
    readonly limit: number | null;
    /** Whether a failure has stopped it since it began. */
    readonly hasFailed: boolean;
  } | null;
}

const NEW_STREAM: StreamProgress = { watermark: null, isFirstImport: true, run: null };

export async function loadStream(
  scope: ReadScope,
  connectionId: string,
  stream: string,
): Promise<StreamProgress> {
  const row = await streamStore.stream(scope, connectionId, stream);
  if (!row) return NEW_STREAM;
  const run = row.window_to && {
    from: row.window_from,
    to: row.window_to,
    position: row.position,
    largestSeen: row.largest_seen,
    pages: row.pass_pages,
    limit: row.page_limit,
    hasFailed: hasFailedSince(row),
  };
  return { watermark: row.watermark, isFirstImport: row.first_import_done_at === null, run };
}

/** Whether a failure has stopped the sync run under way since it began. */
export function hasFailedSince(
  row: Pick<streamStore.StreamRow, 'window_to' | 'last_error_at'>,
): boolean {
  const { window_to: begun, last_error_at: failed } = row;
  return begun !== null && failed !== null && Temporal.Instant.compare(begun, failed) <= 0;
}

/**
 * Stores the window of a new sync run, so that a killed one is resumed and not begun again.
 * @param as the stream as the window was computed from it; absent = as it is now
 * @returns false when `restartStreams` came in between
 */
export async function beginStream(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  window: { from: Instant | null; to: Instant },
  as?: streamStore.Standing,
): Promise<boolean> {
  await streamStore.insertStream(scope, connectionId, stream);
  const values = {
    window_from: window.from?.toString() ?? null,
    window_to: window.to.toString(),
    position: null,
    largest_seen: null,
    pass_pages: 0,
    pass_items: 0,
    pass_total: null,
    page_limit: null,
  };
  if (as) return streamStore.patchStreamAsRead(scope, connectionId, stream, values, as);
  await streamStore.patchStream(scope, connectionId, stream, values);
  return true;
}

/** Moves the checkpoint; runs in the transaction that stores the page's rows. */
export async function savePage(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  page: {
    position: string | null;
    largestSeen: Instant | null;
    items: number;
    /** Of the whole sync run; null = this page does not say. */
    total: number | null;
  },
): Promise<void> {
  const values = {
    position: page.position,
    largest_seen: page.largestSeen?.toString() ?? null,
    ...(page.total !== null && { pass_total: page.total }),
  };
  await streamStore.updateStream(scope, connectionId, stream, values, page.items);
}

/** Stores the page size of the sync run, so that its next slice does not have to find it again. */
export async function noteLimit(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  limit: number | null,
): Promise<void> {
  await streamStore.patchStream(scope, connectionId, stream, { page_limit: limit });
}

/**
 * Ends a sync run: the watermark moves to the largest change time seen, and never back.
 * @param to the end of its window
 * @returns false when `restartStreams` came in between: the run ends nothing
 */
export async function finishRun(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  largestSeen: Instant | null,
  to: Instant,
): Promise<boolean> {
  const row = await streamStore.stream(scope, connectionId, stream);
  const now = scope.clock.now().toString();
  const values = {
    watermark: latest(row?.watermark, largestSeen)?.toString() ?? null,
    position: null,
    window_from: null,
    window_to: null,
    largest_seen: null,
    page_limit: null,
    first_import_done_at: row?.first_import_done_at?.toString() ?? now,
    last_sync_at: now,
    last_error: null,
    last_error_at: null,
  };
  const as = { watermark: row?.watermark ?? null, to };
  return streamStore.patchStreamAsRead(scope, connectionId, stream, values, as);
}

const LONGEST_REASON = 1_000;

export async function noteFailure(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  message: string,
): Promise<void> {
  await streamStore.insertStream(scope, connectionId, stream);
  await streamStore.patchStream(scope, connectionId, stream, {
    last_error: storableText(message).slice(0, LONGEST_REASON),
    last_error_at: scope.clock.now().toString(),
  });
}

export function lastSyncs(scope: ReadScope, stream: string) {
  return streamStore.lastSyncs(scope, stream);
}

/** The next sync runs read everything anew, as first imports do. */
export async function restartStreams(scope: WriteScope, connectionId: string): Promise<void> {
  await streamStore.restartStreams(scope, connectionId);
}
