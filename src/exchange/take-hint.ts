import type { Hint, Refetch } from '../connectors/contract.ts';
import { connectionById, type SealedConnection, setAside } from '../features/connections/index.ts';
import type { WriteScope } from '../platform/db/database.ts';
import { asUpstream, LeftMeanwhile } from './errors.ts';
import { assertNoneLeft, keepingOf, streamOf } from './keep.ts';
import { openConnection } from './open-connection.ts';
import type { ExchangeParts } from './parts.ts';
import { honourPrivacy } from './privacy.ts';
import { askToReconnect } from './refresh.ts';

export interface HintedThing {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly hint: Hint;
}

interface Taken {
  /** How many things were new or different. */
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
    const keep = await fetchHinted(parts, connection, hint);
    return { changed: await organization.write(keep), outcome: 'recorded' };
  } catch (thrown) {
    const error = asUpstream(thrown, connection.service);
    if (error instanceof LeftMeanwhile) return IGNORED;
    if (error?.kind !== 'unauthorized') throw error ?? thrown;
    await askToReconnect(organization, connection);
    return UNAUTHORIZED;
  }
}

async function fetchHinted(parts: ExchangeParts, connection: SealedConnection, { stream, id }: Refetch) {
  const { connector, call } = openConnection(parts, connection);
  const origin = { connection, isFirstImport: false, startedAt: parts.clock.now() };
  const reads = (await streamOf(connector, stream)?.one?.(call, id)) ?? [];
  const things = reads.filter((read) => read.ok).map((read) => read.item);
  const unreadable = reads.filter((read) => !read.ok);
  return async (scope: WriteScope) => {
    await assertNoneLeft(scope, [connection]);
    const changed = await keepingOf(stream).keep(parts, scope, things, origin);
    await setAside(scope, connection.id, stream, unreadable);
    return changed;
  };
}
