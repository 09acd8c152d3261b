import { rm } from 'node:fs/promises';
import { JOBS } from '../../src/exchange/jobs/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Address, openDatabase } from '../../src/platform/db/database.ts';
import { openEmbedded } from '../../src/platform/db/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { installQueue } from '../../src/platform/queue.ts';
import { scratchFolder } from './scratch.ts';
import { addressAt, connectedTo, type ServerAddress, TEMPLATE } from './server.ts';

/**
 * No test cuts the power, and a process that is killed loses nothing without fsync. Of a small
 * buffer, less is searched whenever a database is made or dropped.
 */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  io_method: 'sync',
};

export interface TestServer {
  readonly address: ServerAddress;
  /** Without the databases of tests. */
  close(): Promise<void>;
}

/**
 * A database server with the migrated template that test files clone.
 * @param url of a served one, on which databases of former runs are dropped; absent = an embedded
 *   one in a folder of its own
 */
export async function openTestServer(url: string | undefined): Promise<TestServer> {
  const { address, close } = url ? servedAt(url) : await embedded();
  try {
    await dropDatabases(address);
    await connectedTo(addressAt(address, 'postgres'), (client) =>
      client.query(`create database ${TEMPLATE}`),
    );
    await prepare(addressAt(address, TEMPLATE));
  } catch (error) {
    await close();
    throw error;
  }
  return { address, close };
}

/** Drops what runs left that were killed. */
export async function dropDatabases(
  address: ServerAddress,
  { but = '' }: { readonly but?: string } = {},
): Promise<void> {
  await connectedTo(addressAt(address, 'postgres'), async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where datname like 'tianguis\\_test\\_%' and datname <> $1",
      [but],
    );
    for (const { datname } of rows)
      await client.query(`drop database if exists "${datname}" with (force)`);
  });
}

function servedAt(url: string): TestServer {
  const address = { url };
  return { address, close: () => dropDatabases(address) };
}

async function embedded(): Promise<TestServer> {
  const dataDir = await scratchFolder();
  const server = await openEmbedded({ dataDir, settings: SETTINGS });
  return {
    address: { host: server.host, port: server.port, user: server.user },
    async close() {
      await server.close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function prepare(address: Address): Promise<void> {
  const database = openDatabase({
    address,
    clock: systemClock,
    readerTimeoutSeconds: 15,
    onIdleError: console.error,
  });
  await migrate(database);
  await installQueue(database, JOBS);
  await database.close();
}
