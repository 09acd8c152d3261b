import type { App } from '../../src/app/app.ts';
import type { Marketplace } from '../../src/connectors/contract.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { runStream } from '../../src/exchange/sync/run-stream.ts';
import { connectionById, type SealedConnection } from '../../src/features/connections/index.ts';
import { createOrganization } from '../../src/features/organizations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { at } from '../data.ts';
import { openShops, type Shop, UNLIMITED } from '../rows/sync.ts';
import type { Crowd } from './crowd.ts';

const ORGANIZATIONS = 8;
const ORDERS_EACH = 50;
const MEASURED_MS = 15_000;
/** A sync run that meets no change reads one page; those of stock and money count as one of orders. */
const STREAM = 'orders';

/**
 * Sync runs that find nothing new, as fast as one process does them, beside the simulators that
 * answer and the database.
 * @returns how many in a second
 */
export async function measureQuietRuns(
  { database, exchange }: App,
  crowd: Crowd,
  services: readonly Marketplace[],
): Promise<number> {
  await using own = new AsyncDisposableStack();
  const shops = await openShops(own, ORDERS_EACH);
  const parts = { ...exchange, throttle: UNLIMITED };
  const connections: SealedConnection[] = [];
  const options = { reconcile: false, ifRunning: 'wait' } as const;
  for (let number = 0; number < ORGANIZATIONS; number++) {
    const { id: organizationId } = await database.write((handle) =>
      createOrganization(handle, systemClock, { name: 'Tranquila', plan: 'experto' }),
    );
    own.defer(() => forget(crowd.url, organizationId));
    for (const service of services) {
      const { url: baseUrl, credentials } = shops[service] as Shop;
      const { connectionId } = await connect(parts, {
        ...{ organizationId, service, credentials, baseUrl },
      });
      const connection = await database
        .within(organizationId)
        .read((scope) => connectionById(scope, connectionId));
      connections.push(connection as SealedConnection);
    }
  }
  await Promise.all(connections.map((connection) => runStream(parts, connection, STREAM, options)));
  const began = performance.now();
  let runs = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (; performance.now() - began < MEASURED_MS; runs++)
        await runStream(parts, connection, STREAM, options);
    }),
  );
  return (runs * 1_000) / (performance.now() - began);
}

async function forget(url: string, organizationId: string): Promise<void> {
  await at(url, async (client) => {
    for (const table of ['schedules', 'streams', 'connections'])
      await client.query(`delete from ${table} where organization_id = $1`, [organizationId]);
  });
}
