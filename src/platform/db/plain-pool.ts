import pg from 'pg';
import type { Address } from './database.ts';

const CONNECTIONS = 3;
const INT8 = 20;

/**
 * Connections for a library that brings its own queries and expects the driver's own types: `Date`
 * for instants. The caller ends it.
 */
export function openPlainPool(address: Address, onIdleError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    ...('url' in address ? { connectionString: address.url } : address),
    options: '-c TimeZone=UTC -c application_name=tianguis-people',
    max: CONNECTIONS,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    types: {
      // Ours are counters and epoch milliseconds, never past 2^53; as text they would be joined
      // instead of added.
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === INT8
          ? Number
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  pool.on('error', onIdleError);
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
