import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { build, statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { Instant } from '../../platform/time.ts';

export interface ConnectionRow {
  readonly organization_id: string;
  readonly id: string;
  readonly service: string;
  readonly account_id: string;
  readonly name: string;
  readonly is_name_given: boolean;
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
  readonly paused_at: Instant | null;
}

export interface ConnectionValues {
  readonly id: string;
  readonly service: string;
  readonly account_id: string;
  readonly name: string;
  readonly is_name_given: boolean;
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
  readonly paused_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly disconnected_at: string | null;
}

const COLUMNS = [
  'organization_id',
  'id',
  'service',
  'account_id',
  'name',
  'is_name_given',
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
  'paused_at',
] as const;

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
 * Not where the access itself is refused, which takes precedence.
 * @param from only where it is in one of these states
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
 * Marks a connection well; a refused renewal stays until it is accepted, though the access lasts a
 * little longer.
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

/** Those that are not disconnected, of all organisations. */
export function everywhere(handle: Handle): Promise<ConnectionRow[]> {
  return handle.rows(
    build.selectFrom('connections').select(COLUMNS).where('disconnected_at', 'is', null),
  );
}

/** Organisations with accounts that were disconnected. */
export function withFormer(handle: Handle): Promise<{ readonly organization_id: string }[]> {
  return handle.rows(
    build
      .selectFrom('connections')
      .select('organization_id')
      .distinct()
      .where('disconnected_at', 'is not', null),
  );
}

export type AccountRow = Pick<
  ConnectionRow,
  'id' | 'service' | 'account_id' | 'name' | 'state' | 'state_message' | 'paused_at'
>;

const ACCOUNTS = statement<AccountRow>(
  'connections.accounts',
  `select id, service, account_id, name, state, state_message, paused_at from connections
    where organization_id = $1 order by service, account_id`,
);

/** All of the organisation, disconnected ones too, by service and account. */
export function accounts(scope: ReadScope): Promise<AccountRow[]> {
  return scope.prepared(ACCOUNTS, []);
}

const STATES = statement<{ service: string; state: string; count: number }>(
  'connections.states',
  `select service, case when paused_at is null then state else 'paused' end as state,
          count(*) as count
     from connections where disconnected_at is null group by 1, 2`,
);

export function states(
  handle: Handle,
): Promise<{ service: string; state: string; count: number }[]> {
  return handle.raw(STATES, []);
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

/** Locks them against changes until the transaction ends. */
export function heldStates(
  scope: WriteScope,
  ids: readonly string[],
): Promise<{ id: string; state: string }[]> {
  return scope.prepared(HELD_STATES, [ids]);
}

/** Locks it until the transaction ends. */
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
