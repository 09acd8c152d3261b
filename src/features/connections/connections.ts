import type { ServiceSlug } from '../../carriers/contract.ts';
import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Keyring } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import { lockOrganization } from '../organizations/index.ts';
import { announcingState } from './announce-state.ts';
import { type Connection, fromRow, type SealedConnection } from './connection.ts';
import { sealCredentials, storedFields } from './connection-credentials.ts';
import { forgetRenewals } from './consent-attempts.ts';
import { pushBoxOf } from './push-secret.ts';
import * as store from './store.ts';

interface NewConnection {
  readonly service: ServiceSlug;
  readonly accountId: string;
  readonly name: string;
  readonly baseUrl: string | null;
  readonly credentials: unknown;
  readonly credentialsExpireAt: Instant | null;
  /** Fields of the credentials that stay as stored; absent = none. */
  readonly settings?: readonly string[];
}

/**
 * Stores a proved connection; connecting the same account again keeps its id and its data. Boxes
 * open only for the stored id, so of two processes that connect one account at the same moment the
 * second finds the first's row.
 */
export async function saveConnection(
  scope: WriteScope,
  keyring: Keyring,
  given: NewConnection,
): Promise<string> {
  await lockOrganization(scope);
  const known = await store.byAccountHere(scope, given.service, given.accountId);
  const id = known?.id ?? newId();
  const now = scope.clock.now().toString();
  const kept = known ? storedFields(scope, keyring, known, given.settings ?? []) : {};
  const credentials = { ...(given.credentials as object), ...kept };
  const values = {
    id,
    service: given.service,
    account_id: given.accountId,
    name: known?.is_name_given ? known.name : given.name,
    is_name_given: known?.is_name_given ?? false,
    base_url: given.baseUrl,
    credentials: sealCredentials(scope, keyring, id, credentials),
    push_secret: pushBoxOf(scope, keyring, id, known?.push_secret ?? null),
    credentials_expire_at: given.credentialsExpireAt?.toString() ?? null,
    renewing_since: null,
    state: 'ok',
    state_message: null,
    ...store.NOT_REFUSED,
    paused_at: null,
    created_at: now,
    updated_at: now,
    disconnected_at: null,
  };
  await announcingState(scope, id, () => store.upsert(scope, values));
  return id;
}

/** Whether an account is connected; it stays so until the transaction ends. */
export async function isStillConnected(scope: WriteScope, id: string): Promise<boolean> {
  const row = await store.lockedById(scope, id);
  return row !== undefined && row.state !== 'disconnected';
}

/**
 * Which of these accounts were disconnected; the others cannot be disconnected until the
 * transaction ends.
 */
export async function leftAmong(
  scope: WriteScope,
  ids: readonly string[],
): Promise<readonly string[]> {
  const rows = await store.heldStates(scope, ids);
  return rows.filter(({ state }) => state === 'disconnected').map(({ id }) => id);
}

/** Deletes the credentials, those of attempts at the same service too; synchronised data stay. */
export async function disconnect(scope: WriteScope, id: string): Promise<void> {
  const now = scope.clock.now().toString();
  const row = await store.byId(scope, id);
  if (row) await forgetRenewals(scope, row.service as ServiceSlug);
  const values = {
    credentials: null,
    credentials_expire_at: null,
    state: 'disconnected',
    state_message: null,
    ...store.NOT_REFUSED,
    paused_at: null,
    updated_at: now,
    disconnected_at: now,
  };
  await announcingState(scope, id, () => store.update(scope, id, values));
}

export async function listConnections(scope: ReadScope): Promise<Connection[]> {
  return (await store.all(scope)).map((row) => fromRow(scope.organizationId, row));
}

/** The connected accounts of a service. */
export async function connectedAccounts(
  scope: ReadScope,
  service: Connection['service'],
): Promise<Connection[]> {
  return (await listConnections(scope)).filter(
    (one) => one.service === service && one.state !== 'disconnected',
  );
}

/** The connections of every organisation, for tasks of the whole installation. */
export async function everyConnection(handle: Handle): Promise<Connection[]> {
  return (await store.everywhere(handle)).map((row) => fromRow(row.organization_id, row));
}

/** Organisations with accounts that were disconnected. */
export async function organizationsWithFormer(handle: Handle): Promise<string[]> {
  return (await store.withFormer(handle)).map((row) => row.organization_id);
}

interface StateCount {
  readonly service: string;
  readonly state: string;
  readonly count: number;
}

/** How many connected accounts of all organisations are in each state, by service. */
export function countStates(handle: Handle): Promise<readonly StateCount[]> {
  return store.states(handle);
}

/** The service of each of these connections, of any organisation. */
export async function servicesOf(
  handle: Handle,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return new Map((await store.services(handle, ids)).map(({ id, service }) => [id, service]));
}

export async function connectionById(
  scope: ReadScope,
  id: string,
): Promise<SealedConnection | null> {
  const row = await store.byId(scope, id);
  return row ? fromRow(scope.organizationId, row) : null;
}

/**
 * Every organisation's connection to one account, former ones too: a webhook names the account
 * alone.
 */
export async function connectionsByAccount(
  handle: Handle,
  service: ServiceSlug,
  accountId: string,
): Promise<SealedConnection[]> {
  return (await store.byAccount(handle, service, accountId)).map((row) =>
    fromRow(row.organization_id, row),
  );
}

/** The connection that a webhook's address names, of any organisation, former ones too. */
export async function connectionByAddress(
  handle: Handle,
  id: string,
): Promise<SealedConnection | null> {
  const row = await store.anywhere(handle, id);
  return row ? fromRow(row.organization_id, row) : null;
}
