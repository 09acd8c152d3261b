import type { App } from '../app/app.ts';
import { StartError } from '../app/runtime.ts';
import { findService } from '../carriers/registry.ts';
import { connect } from '../exchange/connect/connect.ts';
import { runStream } from '../exchange/sync/run-stream.ts';
import { connectionById, type SealedConnection } from '../features/connections/index.ts';
import { createKey, listKeys, revokeKey } from '../features/keys/index.ts';
import {
  createOrganization,
  findOrganization,
  type Organization,
} from '../features/organizations/index.ts';
import type { SimulatedShop } from './simulators.ts';

const NAME = 'Tienda de demostración';
const KEY_NAME = 'Demostración';

/** The organisation of an earlier run, or a new one. */
export async function openShop(
  { database, exchange }: App,
  rememberedId: string | null,
): Promise<Organization> {
  const known =
    rememberedId && (await database.read((handle) => findOrganization(handle, rememberedId)));
  return (
    known ||
    database.write((handle) =>
      createOrganization(handle, exchange.clock, { name: NAME, plan: 'intermedio' }),
    )
  );
}

/** A new key; those of earlier runs end. */
export function renewKey({ database }: App, organization: Organization): Promise<string> {
  return database.write(async (handle) => {
    const scope = handle.within(organization.id);
    for (const { id, name } of await listKeys(scope))
      if (name === KEY_NAME) await revokeKey(handle, 'operator', id);
    return (await createKey(scope, 'operator', { name: KEY_NAME })).key;
  });
}

/**
 * Connects the simulated account, or sets its connection's address to the simulator's current one.
 */
export async function connectShop(
  { database, exchange }: App,
  { id: organizationId }: Organization,
  { service, url, credentials }: SimulatedShop,
): Promise<SealedConnection> {
  const { connectionId } = await connect(exchange, {
    organizationId,
    service,
    credentials,
    baseUrl: url,
  });
  const connection = await database
    .within(organizationId)
    .read((scope) => connectionById(scope, connectionId));
  return connection as SealedConnection;
}

/** Synchronises all orders, or all shipments of a carrier, up to now. */
export async function fillShop(
  { exchange }: App,
  connection: SealedConnection,
  onProgress: (items: number) => void,
): Promise<void> {
  const stream = findService(connection.service)?.orders ? 'orders' : 'shipments';
  await runStream(exchange, connection, stream, {
    reconcile: true,
    ifRunning: 'wait',
    onPage: ({ items }) => onProgress(items),
  });
}

export interface FirstLook {
  readonly orders: number;
  readonly hasMore: boolean;
  /** From here on changes can be followed. */
  readonly asOf: string;
}

/**
 * The first page of `GET /v1/orders`, requested over HTTP as a customer does.
 * @throws StartError when the API refuses, for instance because the plan was changed to one without
 * it
 */
export async function lookAtOrders({ url, exchange }: App, apiKey: string): Promise<FirstLook> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const { body } = await exchange.network.send(
    { method: 'GET', url: `${url}/v1/orders?limit=100`, headers },
    { addresses: 'any', timeoutMilliseconds: 10_000, maximumBytes: 4 * 1024 * 1024 },
  );
  const { data, pagination, meta, error } = JSON.parse(body);
  if (error) throw new StartError(`La API no entrega las órdenes: ${error.message}`);
  return { orders: data.length, hasMore: pagination.has_more, asOf: meta.as_of };
}
