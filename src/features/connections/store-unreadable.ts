import { sql } from 'kysely';
import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement, timestamp } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

const ITEMS = bulk('unreadable_items', ['digest', 'external_id', 'reason', 'box']);

const SET_ASIDE = ITEMS.statement(
  'connections.set-aside',
  (given) => `insert into unreadable_items
     (organization_id, connection_id, stream, first_seen_at, last_seen_at, window_from,
      ${ITEMS.names})
   select $1, $2::uuid, $3::text, $4::timestamptz, $4::timestamptz, $5::timestamptz, *
     from ${given}
   on conflict (organization_id, connection_id, stream, digest) do update
     set last_seen_at = excluded.last_seen_at, reason = excluded.reason, box = excluded.box,
         times = unreadable_items.times + 1,
         window_from = case when excluded.window_from < unreadable_items.window_from
           or excluded.window_from is null then excluded.window_from
           else unreadable_items.window_from end`,
);

// In random order, so that rows that stay unreadable do not block the others.
const SET_ASIDE_IDS = statement<{ external_id: string }>(
  'connections.set-aside-ids',
  `select external_id from unreadable_items
    where organization_id = $1 and connection_id = $2 and stream = $3 and external_id is not null
    group by external_id order by random() limit $4`,
);

const TAKE_BACK = statement<object>(
  'connections.take-back',
  `delete from unreadable_items
    where organization_id = $1 and connection_id = $2 and stream = $3 and external_id = $4`,
);

export const KEEP_UNREADABLE_DAYS = 90;

export interface UnreadableValues {
  readonly digest: string;
  readonly externalId: string | null;
  readonly reason: string;
  readonly box: string;
}

export async function insertUnreadable(
  scope: WriteScope,
  connectionId: string,
  name: string,
  rows: readonly UnreadableValues[],
  from: Instant | null,
): Promise<void> {
  const items = rows.map(({ externalId, ...row }) => ({ ...row, external_id: externalId }));
  const now = scope.clock.now().toString();
  const values = SET_ASIDE.values([connectionId, name, now, from?.toString() ?? null], items);
  await scope.prepared(SET_ASIDE, values);
}

// Of a window without a beginning, only another one such shows all.
const FORGET_NAMELESS = statement<object>(
  'connections.forget-nameless',
  `delete from unreadable_items
    where organization_id = $1 and connection_id = $2 and stream = $3
      and external_id is null and reason = $4 and last_seen_at < $5::timestamptz
      and ($6::timestamptz is null or window_from >= $6)`,
);

/** Removes rows without an id that were last seen before then, in a window since `from`. */
export async function removeNameless(
  scope: WriteScope,
  { connectionId, stream, reason }: Nameless,
  { from, to }: { readonly from: Instant | null; readonly to: Instant },
): Promise<void> {
  const times = [to.toString(), from?.toString() ?? null];
  await scope.prepared(FORGET_NAMELESS, [connectionId, stream, reason, ...times]);
}

/** Rows of a stream that were set aside without an id, for one reason. */
export interface Nameless {
  readonly connectionId: string;
  readonly stream: string;
  readonly reason: string;
}

const NAMELESS = statement<{ window_from: Instant | null; last_seen_at: Instant }>(
  'connections.nameless',
  `select window_from, last_seen_at from unreadable_items
    where organization_id = $1 and connection_id = $2 and stream = $3
      and external_id is null and reason = $4`,
);

export function nameless(scope: ReadScope, { connectionId, stream, reason }: Nameless) {
  return scope.prepared(NAMELESS, [connectionId, stream, reason]);
}

interface UnreadableRow {
  readonly connection_id: string;
  readonly digest: string;
  readonly box: string;
  readonly stream: string;
  readonly external_id: string | null;
  readonly reason: string;
  readonly last_seen_at: Instant;
}

const LIST_UNREADABLE = statement<UnreadableRow>(
  'connections.list-unreadable',
  `select connection_id, stream, digest, external_id, reason, last_seen_at, box
     from unreadable_items where organization_id = $1 order by last_seen_at desc, external_id`,
);

export function listUnreadable(scope: ReadScope): Promise<UnreadableRow[]> {
  return scope.prepared(LIST_UNREADABLE, []);
}

export async function countUnreadable(
  scope: ReadScope,
  connectionId: string,
  name: string,
  since: Instant,
): Promise<number> {
  const row = await scope.first(
    scope
      .select('unreadable_items')
      .select(sql<number>`count(*)`.as('count'))
      .where('connection_id', '=', connectionId)
      .where('stream', '=', name)
      .where('last_seen_at', '>=', timestamp(since)),
  );
  return row?.count ?? 0;
}

export function countAllUnreadable(scope: ReadScope) {
  return scope.rows(
    scope
      .select('unreadable_items')
      .select(['connection_id', 'stream', sql<number>`count(*)`.as('count')])
      .groupBy(['connection_id', 'stream']),
  );
}

export async function setAsideIds(
  scope: ReadScope,
  connectionId: string,
  name: string,
  limit: number,
): Promise<string[]> {
  const rows = await scope.prepared(SET_ASIDE_IDS, [connectionId, name, limit]);
  return rows.map((row) => row.external_id);
}

export async function removeUnreadable(
  scope: WriteScope,
  connectionId: string,
  name: string,
  externalId: string,
): Promise<void> {
  await scope.prepared(TAKE_BACK, [connectionId, name, externalId]);
}

export async function removeUnreadableOf(
  scope: WriteScope,
  connectionId: string,
  externalIds: readonly string[] | null,
): Promise<void> {
  const rows = scope.remove('unreadable_items').where('connection_id', '=', connectionId);
  // A row without an id may belong to any buyer.
  await scope.rows(
    externalIds === null
      ? rows
      : rows.where((row) =>
          row.or([row('external_id', 'in', externalIds), row('external_id', 'is', null)]),
        ),
  );
}
