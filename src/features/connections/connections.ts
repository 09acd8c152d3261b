import type { Marketplace } from '../../connectors/contract.ts';
import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { type Keyring, seal, unseal } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

/** `ok`: syncs. `delayed`: tries again by itself. `reauth_required`: the seller must connect again. `error`: we must look. */
export type ConnectionState = 'ok' | 'delayed' | 'reauth_required' | 'error' | 'disconnected';

export interface Connection {
  readonly organizationId: string;
  readonly id: string;
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly name: string;
  /** A test stand in place of the marketplace's own hosts. */
  readonly baseUrl: string | null;
  readonly state: ConnectionState;
  /** In Spanish: what is wrong and what to do. */
  readonly stateMessage: string | null;
  readonly credentialsExpireAt: Instant | null;
}

/** A connection with its credentials still sealed. */
export interface SealedConnection extends Connection {
  readonly box: string | null;
}

export interface NewConnection {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly name: string;
  readonly baseUrl: string | null;
  readonly credentials: unknown;
  readonly credentialsExpireAt: Instant | null;
}

const FIELD = 'credentials';

/** Stores a proved connection; connecting the same account again keeps its id and its data. */
export async function saveConnection(
  scope: WriteScope,
  keyring: Keyring,
  given: NewConnection,
): Promise<string> {
  const known = await store.byAccountHere(scope, given.marketplace, given.accountId);
  const id = known?.id ?? newId();
  const now = scope.clock.now().toString();
  await store.upsert(scope, {
    id,
    marketplace: given.marketplace,
    account_id: given.accountId,
    name: given.name,
    base_url: given.baseUrl,
    credentials: seal(keyring, placeOf(scope.organizationId, id), JSON.stringify(given.credentials)),
    credentials_expire_at: given.credentialsExpireAt?.toString() ?? null,
    state: 'ok',
    state_message: null,
    created_at: now,
    updated_at: now,
    disconnected_at: null,
  });
  return id;
}

/** Replaces credentials after a renewal. */
export async function saveCredentials(
  scope: WriteScope,
  keyring: Keyring,
  id: string,
  credentials: unknown,
  expireAt: Instant | null,
): Promise<void> {
  await store.update(scope, id, {
    credentials: seal(keyring, placeOf(scope.organizationId, id), JSON.stringify(credentials)),
    credentials_expire_at: expireAt?.toString() ?? null,
    updated_at: scope.clock.now().toString(),
  });
}

/** @throws SealError when the box was altered or moved; @returns null when the connection was disconnected. */
export function openCredentials(keyring: Keyring, connection: SealedConnection): unknown {
  if (connection.box === null) return null;
  return JSON.parse(unseal(keyring, placeOf(connection.organizationId, connection.id), connection.box));
}

export async function setState(
  scope: WriteScope,
  id: string,
  state: ConnectionState,
  message: string | null,
): Promise<void> {
  await store.update(scope, id, { state, state_message: message, updated_at: scope.clock.now().toString() });
}

/** Forgets the credentials; what was synchronised stays. */
export async function disconnect(scope: WriteScope, id: string): Promise<void> {
  const now = scope.clock.now().toString();
  await store.update(scope, id, {
    credentials: null,
    credentials_expire_at: null,
    state: 'disconnected',
    state_message: null,
    updated_at: now,
    disconnected_at: now,
  });
}

export async function listConnections(scope: ReadScope): Promise<Connection[]> {
  return (await store.all(scope)).map((row) => fromRow(scope.organizationId, row));
}

export async function connectionById(scope: ReadScope, id: string): Promise<SealedConnection | null> {
  const row = await store.byId(scope, id);
  return row ? fromRow(scope.organizationId, row) : null;
}

/** Every organisation's connection to one account: a push names the account alone. */
export async function connectionsByAccount(
  handle: Handle,
  marketplace: Marketplace,
  accountId: string,
): Promise<SealedConnection[]> {
  return (await store.byAccount(handle, marketplace, accountId)).map((row) =>
    fromRow(row.organization_id, row),
  );
}

export function placeOf(organizationId: string, connectionId: string) {
  return { organizationId, subjectId: connectionId, field: FIELD };
}

function fromRow(organizationId: string, row: store.ConnectionRow): SealedConnection {
  return {
    organizationId,
    id: row.id,
    marketplace: row.marketplace as Marketplace,
    accountId: row.account_id,
    name: row.name,
    baseUrl: row.base_url,
    state: row.state as ConnectionState,
    stateMessage: row.state_message,
    credentialsExpireAt: row.credentials_expire_at,
    box: row.credentials,
  };
}
