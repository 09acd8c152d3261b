import pg from 'pg';
import { type Session, startOptions } from './sessions.ts';

/** Where PostgreSQL is: a URL, or the folder of a unix socket. */
export type Address =
  | { readonly url: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly database: string;
    };

/** Of the database; empty where a URL leaves it to the server. */
export function nameOf(address: Address): string {
  return 'url' in address
    ? decodeURIComponent(new URL(address.url).pathname.slice(1))
    : address.database;
}

export const WAIT_FOR_CONNECTION_MS = 5_000;

/** @param session settings of each connection; null = through a pooler, which takes none */
export function openPool(
  address: Address,
  max: number,
  session: Session | null,
  more: pg.PoolConfig = {},
): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(address, session),
    max,
    connectionTimeoutMillis: WAIT_FOR_CONNECTION_MS,
    idleTimeoutMillis: 60_000,
    ...more,
  });
  // The pool listens to idle connections only; one lost while lent would end the process. Its query
  // fails anyway.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * A connection that lasts as long as the session. The caller ends it, and listens to `error`:
 * without a listener a lost connection would end the process.
 */
export async function connectTo(
  address: Address,
  onError: (error: Error) => void,
  more: Pick<pg.ClientConfig, 'pipeline' | 'query_timeout'>,
): Promise<pg.Client> {
  // One that ended without a FIN is detected by keep-alive.
  const lasting = { connectionTimeoutMillis: WAIT_FOR_CONNECTION_MS, keepAlive: true };
  const client = new pg.Client({ ...clientConfig(address, {}), ...lasting, ...more });
  client.on('error', onError);
  await client.connect();
  return client;
}

function clientConfig(address: Address, session: Session | null): pg.ClientConfig {
  const place = 'url' in address ? { connectionString: address.url } : address;
  return {
    ...place,
    ...(session ? { options: startOptions(session) } : { application_name: 'tianguis' }),
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
  };
}

const TIMESTAMPTZ = 1184;
const INT8 = 20;

/** Instants as Temporal.Instant, int8 as number (none of ours passes 2^53), numeric as text. */
function parserOf(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === TIMESTAMPTZ) return (text) => Temporal.Instant.from(text);
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown;
}

export interface PoolConnections {
  readonly pool: string;
  readonly busy: number;
  readonly idle: number;
}

export function connectionsOf(pools: Readonly<Record<string, pg.Pool>>): PoolConnections[] {
  return Object.entries(pools).map(([pool, { totalCount, idleCount }]) => ({
    pool,
    busy: totalCount - idleCount,
    idle: idleCount,
  }));
}
