import { sql } from 'kysely';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { build, statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { Instant } from '../../platform/time.ts';

export interface ConnectionRow {
  readonly organization_id: string;
  readonly id: string;
  readonly service: string;
  readonly account_id: string;
  readonly name: string;
  readonly base_url: string | null;
  readonly credentials: string | null;
  readonly push_secret: string | null;
  readonly credentials_expire_at: Instant | null;
  readonly renewing_since: Instant | null;
  readonly state: string;
  readonly state_message: string | null;
  readonly refused_what: Rows['connections']['refused_what'];
  readonly refused_at: Instant | null;
  readonly refusals: number;
}

export interface ConnectionValues {
  readonly id: string;
  readonly service: string;
  readonly account_id: string;
  readonly name: string;
  readonly base_url: string | null;
  readonly credentials: string | null;
  readonly push_secret: string | null;
  readonly credentials_expire_at: string | null;
  readonly renewing_since: string | null;
  readonly state: string;
  readonly state_message: string | null;
  readonly refused_what: Rows['connections']['refused_what'];
  readonly refused_at: string | null;
  readonly refusals: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly disconnected_at: string | null;
}

export interface StreamRow {
  readonly watermark: Instant | null;
  readonly position: string | null;
  readonly window_from: Instant | null;
  readonly window_to: Instant | null;
  readonly largest_seen: Instant | null;
  readonly pass_pages: number;
  readonly page_limit: number | null;
  readonly first_import_done_at: Instant | null;
}

const COLUMNS = [
  'organization_id',
  'id',
  'service',
  'account_id',
  'name',
  'base_url',
  'credentials',
  'push_secret',
  'credentials_expire_at',
  'renewing_since',
  'state',
  'state_message',
  'refused_what',
  'refused_at',
  'refusals',
] as const;

const SET_ASIDE = statement<object>(
  'connections.set-aside',
  `insert into unreadable_items (organization_id, connection_id, stream, first_seen_at, last_seen_at, digest, external_id, reason, box)
   select $1, $2::uuid, $3::text, $4::timestamptz, $4::timestamptz, * from unnest($5::text[], $6::text[], $7::text[], $8::text[])
   on conflict (organization_id, connection_id, stream, digest) do update
     set last_seen_at = excluded.last_seen_at, reason = excluded.reason, box = excluded.box,
         times = unreadable_items.times + 1`,
);

// By chance, so that those that stay unreadable do not stand before the others.
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

const KEEP_UNREADABLE_DAYS = 90;

export const RETENTIONS = [
  retention(
    'connect_attempts',
    0,
    removeBefore('connections.remove-attempts', 'connect_attempts', 'expires_at'),
  ),
  retention(
    'unreadable_items',
    KEEP_UNREADABLE_DAYS,
    removeBefore('connections.remove-unreadable', 'unreadable_items', 'last_seen_at'),
  ),
];

export interface FreshnessRow {
  readonly service: string;
  readonly account_id: string;
  readonly name: string;
  readonly state: string;
  readonly state_message: string | null;
  readonly last_sync_at: Instant | null;
}

const FRESHNESS = statement<FreshnessRow>(
  'connections.freshness',
  `select c.service, c.account_id, c.name, c.state, c.state_message, synced.last_sync_at
     from connections c cross join lateral (
       select max(s.last_sync_at) as last_sync_at from streams s
        where s.organization_id = $1 and s.connection_id = c.id and ($2::text is null or s.stream = $2)
     ) as synced
    where c.organization_id = $1 order by c.service, c.account_id`,
);

/** @param stream null = whichever of its streams was synchronised last */
export function freshness(scope: ReadScope, stream: string | null): Promise<FreshnessRow[]> {
  return scope.prepared(FRESHNESS, [stream]);
}

export async function upsert(scope: WriteScope, values: ConnectionValues): Promise<void> {
  const { id, created_at, service, account_id, ...changing } = values;
  await scope.rows(
    scope
      .insert('connections', [values])
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'service', 'account_id']).doUpdateSet(changing),
      ),
  );
}

export async function update(
  scope: WriteScope,
  id: string,
  values: Partial<ConnectionValues>,
): Promise<void> {
  await scope.rows(scope.update('connections').set(values).where('id', '=', id));
}

/** @returns whether it is still connected. */
export async function updateConnected(
  scope: WriteScope,
  id: string,
  values: Partial<ConnectionValues>,
): Promise<boolean> {
  const query = scope.update('connections').set(values).where('id', '=', id);
  return (
    (await scope.rows(query.where('disconnected_at', 'is', null).returning('id'))).length === 1
  );
}

/**
 * Unless the access itself is refused, which says more. @param from only where it is in one of
 * these states
 */
export async function updateState(
  scope: WriteScope,
  id: string,
  from: readonly string[],
  values: Pick<ConnectionValues, 'state' | 'state_message' | 'updated_at'>,
): Promise<boolean> {
  const query = scope
    .update('connections')
    .set(values)
    .where('id', '=', id)
    .where('state', 'in', from)
    .where('refused_what', 'is', null);
  return (await scope.rows(query.returning('id'))).length === 1;
}

/**
 * All is well; a refused renewal stands until it is accepted, though the access lasts a little
 * longer.
 */
export async function updateWell(scope: WriteScope, id: string, at: Instant): Promise<void> {
  const query = scope
    .update('connections')
    .set({ state: 'ok', state_message: null, updated_at: at.toString(), ...NOT_REFUSED })
    .where('id', '=', id)
    .where('disconnected_at', 'is', null)
    .where((row) =>
      row.or([row('refused_what', 'is', null), row('refused_what', '!=', 'renewal')]),
    );
  await scope.rows(query);
}

export const NOT_REFUSED = { refused_what: null, refused_at: null, refusals: 0 } as const;

export function all(scope: ReadScope): Promise<ConnectionRow[]> {
  return scope.rows(scope.select('connections').select(COLUMNS).orderBy('created_at'));
}

/** Of all organisations, those that are not disconnected. */
export function everywhere(handle: Handle): Promise<ConnectionRow[]> {
  return handle.rows(
    build.selectFrom('connections').select(COLUMNS).where('disconnected_at', 'is', null),
  );
}

const SERVICES = statement<{ id: string; service: string }>(
  'connections.services',
  'select id, service from connections where id = any($1::uuid[])',
);

export async function services(
  handle: Handle,
  ids: readonly string[],
): Promise<{ id: string; service: string }[]> {
  return ids.length === 0 ? [] : handle.raw(SERVICES, [ids]);
}

export function byId(scope: ReadScope, id: string): Promise<ConnectionRow | undefined> {
  return scope.first(scope.select('connections').select(COLUMNS).where('id', '=', id));
}

const HELD_STATES = statement<{ id: string; state: string }>(
  'connections.held-states',
  'select id, state from connections where organization_id = $1 and id = any($2::uuid[]) order by id for share',
);

/** Nobody changes them until the transaction ends. */
export function heldStates(
  scope: WriteScope,
  ids: readonly string[],
): Promise<{ id: string; state: string }[]> {
  return scope.prepared(HELD_STATES, [ids]);
}

/** Nobody else changes it until the transaction ends. */
export function lockedById(scope: WriteScope, id: string): Promise<ConnectionRow | undefined> {
  return scope.first(scope.select('connections').select(COLUMNS).where('id', '=', id).forUpdate());
}

export function byAccountHere(
  scope: ReadScope,
  service: string,
  accountId: string,
): Promise<ConnectionRow | undefined> {
  return scope.first(
    scope
      .select('connections')
      .select(COLUMNS)
      .where('service', '=', service)
      .where('account_id', '=', accountId),
  );
}

export function byAccount(
  handle: Handle,
  service: string,
  accountId: string,
): Promise<ConnectionRow[]> {
  return handle.rows(
    build
      .selectFrom('connections')
      .select(COLUMNS)
      .where('service', '=', service)
      .where('account_id', '=', accountId),
  );
}

export function anywhere(handle: Handle, id: string): Promise<ConnectionRow | undefined> {
  return handle.first(build.selectFrom('connections').select(COLUMNS).where('id', '=', id));
}

/** The columns that hold a sealed box. */
export const SEALED_FIELDS = ['credentials', 'push_secret'] as const;
export type SealedField = (typeof SEALED_FIELDS)[number];

/** All sealed boxes after one id, for rotation. */
export function sealedAfter(
  handle: Handle,
  after: string | null,
  limit: number,
): Promise<ConnectionRow[]> {
  const rows = build
    .selectFrom('connections')
    .select(COLUMNS)
    .where((row) =>
      row.or([row('credentials', 'is not', null), row('push_secret', 'is not', null)]),
    )
    .orderBy('id')
    .limit(limit);
  return handle.rows(after ? rows.where('id', '>', after) : rows);
}

/** @returns whether the box was still the one that was read. */
export async function replaceBox(
  handle: WriteHandle,
  id: string,
  field: SealedField,
  former: string,
  box: string,
): Promise<boolean> {
  const query = build
    .updateTable('connections')
    .set({ [field]: box })
    .where('id', '=', id)
    .where(field, '=', former);
  return (await handle.rows(query.returning('id'))).length === 1;
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
      ])
      .where('connection_id', '=', connectionId)
      .where('stream', '=', name),
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

export interface StreamValues {
  readonly watermark?: string | null;
  readonly position?: string | null;
  readonly window_from?: string | null;
  readonly window_to?: string | null;
  readonly largest_seen?: string | null;
  readonly pass_pages?: number;
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
      .set({ items: sql`items + ${items}`, pages: sql`pages + 1`, pass_pages: sql`pass_pages + 1` })
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
  at: Instant,
): Promise<void> {
  await scope.prepared(SET_ASIDE, [
    connectionId,
    name,
    at.toString(),
    rows.map((row) => row.digest),
    rows.map((row) => row.externalId),
    rows.map((row) => row.reason),
    rows.map((row) => row.box),
  ]);
}

interface UnreadableRow {
  readonly connection_id: string;
  readonly digest: string;
  readonly box: string;
  readonly service: string;
  readonly account_id: string;
  readonly stream: string;
  readonly external_id: string | null;
  readonly reason: string;
  readonly last_seen_at: Instant;
}

const LIST_UNREADABLE = statement<UnreadableRow>(
  'connections.list-unreadable',
  `select u.connection_id, c.service, c.account_id, u.stream, u.digest, u.external_id, u.reason, u.last_seen_at, u.box
     from unreadable_items u
     join connections c on c.organization_id = u.organization_id and c.id = u.connection_id
    where u.organization_id = $1 order by u.last_seen_at desc, u.external_id`,
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
      .where('last_seen_at', '>=', sql<Instant>`${since.toString()}::timestamptz`),
  );
  return row?.count ?? 0;
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
  // Of a row without an id nobody knows whose it is.
  await scope.rows(
    externalIds === null
      ? rows
      : rows.where((row) =>
          row.or([row('external_id', 'in', externalIds), row('external_id', 'is', null)]),
        ),
  );
}

export interface AttemptValues {
  readonly state_hash: string;
  readonly service: string;
  readonly verifier: string;
  readonly store: string | null;
  readonly expires_at: string;
}

export async function insertAttempt(scope: WriteScope, row: AttemptValues): Promise<void> {
  await scope.rows(scope.insert('connect_attempts', [row]));
}

export async function replaceAttempt(scope: WriteScope, row: AttemptValues): Promise<void> {
  const { verifier, expires_at } = row;
  await scope.rows(
    scope
      .insert('connect_attempts', [row])
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'state_hash']).doUpdateSet({ verifier, expires_at }),
      ),
  );
}

export function attempt(
  scope: ReadScope,
  stateHash: string,
): Promise<{ verifier: string } | undefined> {
  return scope.first(
    scope.select('connect_attempts').select(['verifier']).where('state_hash', '=', stateHash),
  );
}

export async function removeAttempt(scope: WriteScope, stateHash: string): Promise<void> {
  await scope.rows(scope.remove('connect_attempts').where('state_hash', '=', stateHash));
}

export async function removeAttempts(
  scope: WriteScope,
  service: string,
  prefix: string,
): Promise<void> {
  const query = scope.remove('connect_attempts').where('state_hash', 'like', `${prefix}%`);
  await scope.rows(query.where('service', '=', service));
}

export function deleteAttempt(handle: WriteHandle, stateHash: string) {
  return handle.first(
    build
      .deleteFrom('connect_attempts')
      .where('state_hash', '=', stateHash)
      .returning(['organization_id', 'service', 'verifier', 'store', 'expires_at']),
  );
}

export function attempts(handle: Handle) {
  return handle.rows(
    build.selectFrom('connect_attempts').select(['organization_id', 'state_hash', 'verifier']),
  );
}

/** @returns whether the verifier was still the one that was read. */
export async function replaceVerifier(
  handle: WriteHandle,
  stateHash: string,
  former: string,
  verifier: string,
): Promise<boolean> {
  const query = build
    .updateTable('connect_attempts')
    .set({ verifier })
    .where('state_hash', '=', stateHash)
    .where('verifier', '=', former);
  return (await handle.rows(query.returning('state_hash'))).length === 1;
}
