import { createHash } from 'node:crypto';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { storableText } from '../../platform/json.ts';
import { type Instant, latest } from '../../platform/time.ts';
import * as store from './store.ts';
import * as streamStore from './store-streams.ts';
import * as unreadableStore from './store-unreadable.ts';

/** The progress of one stream of a connection. */
export interface StreamProgress {
  /** Largest change time of the last finished sync run; null before the first one ends. */
  readonly watermark: Instant | null;
  readonly isFirstImport: boolean;
  /** The interrupted sync run, to be resumed; null between sync runs. */
  readonly pass: {
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

const NEW_STREAM: StreamProgress = { watermark: null, isFirstImport: true, pass: null };

export async function loadStream(
  scope: ReadScope,
  connectionId: string,
  stream: string,
): Promise<StreamProgress> {
  const row = await streamStore.stream(scope, connectionId, stream);
  if (!row) return NEW_STREAM;
  const pass = row.window_to && {
    from: row.window_from,
    to: row.window_to,
    position: row.position,
    largestSeen: row.largest_seen,
    pages: row.pass_pages,
    limit: row.page_limit,
    hasFailed: row.last_error_at !== null && isUpTo(row.window_to, row.last_error_at),
  };
  return { watermark: row.watermark, isFirstImport: row.first_import_done_at === null, pass };
}

function isUpTo(one: Instant, other: Instant): boolean {
  return Temporal.Instant.compare(one, other) <= 0;
}

/** Stores the window of a new sync run, so that a killed one is resumed and not begun again. */
export async function beginStream(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  window: { from: Instant | null; to: Instant },
): Promise<void> {
  await streamStore.insertStream(scope, connectionId, stream);
  await streamStore.patchStream(scope, connectionId, stream, {
    window_from: window.from?.toString() ?? null,
    window_to: window.to.toString(),
    position: null,
    largest_seen: null,
    pass_pages: 0,
    page_limit: null,
  });
}

/** Moves the checkpoint; runs in the transaction that stores the page's rows. */
export async function savePage(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  page: { position: string | null; largestSeen: Instant | null; items: number },
): Promise<void> {
  const values = { position: page.position, largest_seen: page.largestSeen?.toString() ?? null };
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

/** Ends a sync run: the watermark moves to the largest change time seen, and never back. */
export async function finishPass(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  largestSeen: Instant | null,
): Promise<void> {
  const row = await streamStore.stream(scope, connectionId, stream);
  const now = scope.clock.now().toString();
  await streamStore.patchStream(scope, connectionId, stream, {
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
  });
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

/** A row that could not be read. */
export interface AsideRow {
  /** The id to request it again; null = unknown. */
  readonly externalId: string | null;
  readonly reason: string;
  /** Its document; empty = not stored. */
  readonly raw: string;
}

/**
 * Stores rows that could not be read, with the reason, for people to see: the last known state of
 * each.
 */
export async function setAside(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  rows: readonly AsideRow[],
): Promise<void> {
  await keepAside(scope, connectionId, stream, await sealAside(scope, connectionId, stream, rows));
}

/** The first half of `setAside`; the transaction stores the result with its last statements. */
export async function sealAside(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  rows: readonly AsideRow[],
): Promise<unreadableStore.UnreadableValues[]> {
  if (rows.length === 0) return [];
  const vault = await scope.vault();
  const byDigest = new Map(
    rows.map((row) => [
      createHash('sha256')
        .update(row.externalId ?? row.raw)
        .digest('base64url'),
      row,
    ]),
  );
  return [...byDigest].map(([digest, { externalId, reason, raw }]) => {
    const place = placeOfAside(connectionId, stream, digest);
    const box = raw === '' ? '' : vault.seal(place, Buffer.from(raw)).toString('base64');
    return { digest, externalId, reason, box };
  });
}

/** The second half of `setAside`. */
export async function keepAside(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  rows: readonly unreadableStore.UnreadableValues[],
): Promise<void> {
  if (rows.length > 0)
    await unreadableStore.insertUnreadable(scope, connectionId, stream, rows, scope.clock.now());
}

/** How many rows could not be read since then. */
export function countSetAside(
  scope: ReadScope,
  connectionId: string,
  stream: string,
  since: Instant,
): Promise<number> {
  return unreadableStore.countUnreadable(scope, connectionId, stream, since);
}

export function lastSyncs(scope: ReadScope, stream: string) {
  return streamStore.lastSyncs(scope, stream);
}

/** Ids of rows that were set aside, some of them where there are many. */
export function setAsideIds(
  scope: ReadScope,
  connectionId: string,
  stream: string,
  limit: number,
): Promise<string[]> {
  return unreadableStore.setAsideIds(scope, connectionId, stream, limit);
}

/** Removes the row set aside under this id, which can be read now. */
export async function takeBack(
  scope: WriteScope,
  connectionId: string,
  stream: string,
  externalId: string,
): Promise<void> {
  await unreadableStore.removeUnreadable(scope, connectionId, stream, externalId);
}

/** The next sync runs read everything anew, as first imports do. */
export async function restartStreams(scope: WriteScope, connectionId: string): Promise<void> {
  await streamStore.restartStreams(scope, connectionId);
}

/**
 * Removes set-aside documents: those of these ids and those without one, or, with null, all of the
 * connection's.
 */
export async function forgetUnreadable(
  scope: WriteScope,
  connectionId: string,
  externalIds: readonly string[] | null,
): Promise<void> {
  await unreadableStore.removeUnreadableOf(scope, connectionId, externalIds);
}

/** Rows that were set aside and not read since, newest first. @throws SealError */
export async function listSetAside(scope: ReadScope): Promise<KeptAside[]> {
  const rows = await unreadableStore.listUnreadable(scope);
  const accounts = new Map((await store.accounts(scope)).map((row) => [row.id, row]));
  const vault = await scope.vault();
  return rows.flatMap(({ connection_id, stream, digest, external_id, box, ...row }) => {
    const account = accounts.get(connection_id);
    if (!account) return [];
    return {
      service: account.service,
      accountId: account.account_id,
      stream,
      externalId: external_id,
      ...partsOf(row.reason),
      at: row.last_seen_at,
      get document() {
        if (box === '') return null;
        return vault
          .open(placeOfAside(connection_id, stream, digest), Buffer.from(box, 'base64'))
          .toString();
      },
    };
  });
}

interface KeptAside {
  readonly service: string;
  readonly accountId: string;
  readonly stream: string;
  /** The id to request it again; null = unknown. */
  readonly externalId: string | null;
  /** Of the first wrong field; `(whole)` = it is not one field. */
  readonly path: string;
  readonly reason: string;
  readonly at: Instant;
  /** As received, unsealed on reading; null = not stored. */
  readonly document: string | null;
}

function placeOfAside(connectionId: string, stream: string, digest: string): string[] {
  return ['unreadable_items', connectionId, stream, digest];
}

/** `items.0.sku: longer than 255 characters`. */
function partsOf(reason: string): { path: string; reason: string } {
  const [, path, rest] = /^([^\s:]+): (.*)$/s.exec(reason) ?? [];
  return path !== undefined && rest !== undefined
    ? { path, reason: rest }
    : { path: '(whole)', reason };
}
