import type { Call, Connector, Hint, Read, Refetch } from '../connectors/contract.ts';
import { connectionById, type SealedConnection, setAside } from '../features/connections/index.ts';
import type { WriteScope } from '../platform/db/database.ts';
import { asUpstream } from './errors.ts';
import { openConnection } from './open-connection.ts';
import type { ExchangeParts } from './parts.ts';
import { honourPrivacy } from './privacy.ts';
import { askToReconnect } from './refresh.ts';
import { keepOrders, keepStock } from './run-stream.ts';

export interface HintedThing {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly hint: Hint;
}

export interface Taken {
  /** How many orders or stock levels were new or different. */
  readonly changed: number;
  /** `unauthorized`: nobody can be asked, and the walk after the seller connects again brings what is missing. */
  readonly outcome: 'recorded' | 'ignored' | 'unauthorized';
}

const IGNORED: Taken = { changed: 0, outcome: 'ignored' };
const UNAUTHORIZED: Taken = { changed: 0, outcome: 'unauthorized' };

/**
 * A notification said that something changed: fetch that one thing and record it. Or it asked for privacy.
 * @throws UpstreamError when it may work another time
 */
export async function takeHint(
  parts: ExchangeParts,
  { organizationId, connectionId, hint }: HintedThing,
): Promise<Taken> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  if (!connection) return IGNORED;
  if (!('stream' in hint)) return { ...(await honourPrivacy(parts, connection, hint)), outcome: 'recorded' };
  if (connection.state === 'disconnected') return IGNORED;
  if (connection.state === 'reauth_required') return UNAUTHORIZED;
  try {
    const { connector, call } = openConnection(parts, connection);
    const keep = await fetchHinted(parts, connection, connector, call, hint);
    return { changed: await organization.write(keep), outcome: 'recorded' };
  } catch (thrown) {
    const error = asUpstream(thrown, connection.marketplace);
    if (error?.kind !== 'unauthorized') throw error ?? thrown;
    await askToReconnect(organization, connectionId);
    return UNAUTHORIZED;
  }
}

async function fetchHinted(
  parts: ExchangeParts,
  connection: SealedConnection,
  connector: Connector<unknown>,
  call: Call<unknown>,
  hint: Refetch,
) {
  const aside = (scope: WriteScope, reads: readonly Read<unknown>[]) =>
    setAside(
      scope,
      connection.id,
      hint.stream,
      reads.filter((read) => !read.ok),
    );
  if (hint.stream === 'inventory') {
    const levels = (await connector.inventory?.one?.(call, hint.id)) ?? [];
    return async (scope: WriteScope) => {
      await aside(scope, levels);
      return keepStock(connection)(scope, understood(levels), false);
    };
  }
  const orders = (await connector.orders.one?.(call, hint.id)) ?? [];
  return async (scope: WriteScope) => {
    await aside(scope, orders);
    return keepOrders(parts, connection)(scope, understood(orders), false);
  };
}

function understood<Item>(reads: readonly Read<Item>[]): Item[] {
  return reads.filter((read) => read.ok).map((read) => read.item);
}
