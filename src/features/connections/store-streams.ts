import { sql } from 'kysely';
import type { StreamName } from '../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { listed } from '../../platform/db/listed.ts';
import { statement, timestamp } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

/**
 * The condition that something of a connection was stored before the first imports of these streams
 * ended: customers get no events of what follows from it.
 * @param connection the column with the connection
 * @param storedAt the column with the time
 */
export const IS_BACKFILL = (
  connection: string,
  storedAt: string,
  streams: readonly StreamName[],
) => `exists (
  select from streams s
   where s.organization_id = $1 and s.connection_id = ${connection}
     and s.stream in (${listed(streams)})
     and (s.first_import_done_at is null or s.first_import_done_at >= ${storedAt}))`;

export interface StreamRow {
  readonly watermark: Instant | null;
  readonly position: string | null;
  readonly window_from: Instant | null;
  readonly window_to: Instant | null;
  readonly largest_seen: Instant | null;
  readonly pass_pages: number;
  readonly page_limit: number | null;
  readonly first_import_done_at: Instant | null;
  readonly last_error_at: Instant | null;
}

interface LastSyncRow {
  readonly connection_id: string;
  readonly stream: string;
  readonly last_sync_at: Instant;
}

const SYNCS = statement<LastSyncRow>(
  'connections.stream-syncs',
  `select connection_id, stream, last_sync_at from streams
    where organization_id = $1 and last_sync_at is not null`,
);

/** When each stream of each connection was synchronised last; those that never were are left out. */
export function streamSyncs(scope: ReadScope): Promise<LastSyncRow[]> {
  return scope.prepared(SYNCS, []);
}

export function stream(
  scope: ReadScope,
  connectionId: string,
  name: string,
): Promise<StreamRow | undefined> {
  return scope.first(
    scope
      .select('streams')
      .select([
        'watermark',
        'position',
        'window_from',
        'window_to',
        'largest_seen',
        'pass_pages',
        'page_limit',
        'first_import_done_at',
        'last_error_at',
      ])
      .where('connection_id', '=', connectionId)
      .where('stream', '=', name),
  );
}

export function allStreams(scope: ReadScope) {
  return scope.rows(
    scope
      .select('streams')
      .select([
        'connection_id',
        'stream',
        'items',
        'last_sync_at',
        'first_import_done_at',
        'window_to',
        'last_error_at',
      ])
      .orderBy('connection_id'),
  );
}

/** Streams whose first sync run has begun and not finished. */
export function firstPasses(scope: ReadScope) {
  return scope.rows(
    scope
      .select('streams')
      .select(['connection_id', 'stream', 'window_from', 'window_to', 'last_error_at'])
      .select(['pass_items', 'pass_total'])
      .where('first_import_done_at', 'is', null)
      .where('window_to', 'is not', null)
      .orderBy('connection_id')
      .orderBy('stream'),
  );
}

export function lastSyncs(
  scope: ReadScope,
  name: string,
): Promise<{ connection_id: string; last_sync_at: Instant | null; window_to: Instant | null }[]> {
  return scope.rows(
    scope
      .select('streams')
      .select(['connection_id', 'last_sync_at', 'window_to'])
      .where('stream', '=', name),
  );
}

export async function insertStream(
  scope: WriteScope,
  connectionId: string,
  name: string,
): Promise<void> {
  await scope.rows(
    scope
      .insert('streams', [{ connection_id: connectionId, stream: name }])
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'connection_id', 'stream']).doNothing(),
      ),
  );
}

interface StreamValues {
  readonly watermark?: string | null;
  readonly position?: string | null;
  readonly window_from?: string | null;
  readonly window_to?: string | null;
  readonly largest_seen?: string | null;
  readonly pass_pages?: number;
  readonly pass_items?: number;
  readonly pass_total?: number | null;
  readonly page_limit?: number | null;
  readonly first_import_done_at?: string | null;
  readonly last_sync_at?: string;
  readonly last_error?: string | null;
  readonly last_error_at?: string | null;
}

export async function updateStream(
  scope: WriteScope,
  connectionId: string,
  name: string,
  values: StreamValues,
  items: number,
): Promise<void> {
  await scope.rows(
    scope
      .update('streams')
      .set(values)
      .set({
        items: sql`items + ${items}`,
        pages: sql`pages + 1`,
        pass_pages: sql`pass_pages + 1`,
        pass_items: sql`pass_items + ${items}`,
      })
      .where('connection_id', '=', connectionId)
      .where('stream', '=', name),
  );
}

export async function patchStream(
  scope: WriteScope,
  connectionId: string,
  name: string,
  values: StreamValues,
): Promise<void> {
  await scope.rows(
    scope
      .update('streams')
      .set(values)
      .where('connection_id', '=', connectionId)
      .where('stream', '=', name),
  );
}

/** How far a stream was when it was read. */
export interface Standing {
  readonly watermark: Instant | null;
  /** The end of the sync run under way; null = there is none. */
  readonly to: Instant | null;
}

/** @returns false when the stream was begun anew since `as` was read */
export async function patchStreamAsRead(
  scope: WriteScope,
  connectionId: string,
  name: string,
  values: StreamValues,
  as: Standing,
): Promise<boolean> {
  const { watermark, to } = as;
  const rows = await scope.rows(
    scope
      .update('streams')
      .set(values)
      .where('connection_id', '=', connectionId)
      .where('stream', '=', name)
      .where('watermark', 'is not distinct from', watermark && timestamp(watermark))
      .where('window_to', 'is not distinct from', to && timestamp(to))
      .returning('stream'),
  );
  return rows.length === 1;
}

export async function restartStreams(scope: WriteScope, connectionId: string): Promise<void> {
  const values: StreamValues = {
    watermark: null,
    position: null,
    window_from: null,
    window_to: null,
    largest_seen: null,
    first_import_done_at: null,
  };
  await scope.rows(scope.update('streams').set(values).where('connection_id', '=', connectionId));
}
