import type { App } from '../app/app.ts';
import { findService } from '../carriers/registry.ts';
import { connect } from '../exchange/connect/connect.ts';
import { runStream } from '../exchange/sync/run-stream.ts';
import { connectionById, type SealedConnection } from '../features/connections/index.ts';
import {
  createOrganization,
  findOrganization,
  type Organization,
} from '../features/organizations/index.ts';
import type { SimulatedShop } from './simulators.ts';

const NAME = 'Tienda de demostración';

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
