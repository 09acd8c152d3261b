import type { Notification, Refetch } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import {
  connectionById,
  isParked,
  type SealedConnection,
} from '../../features/connections/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { streamOf } from '../streams.ts';
import { originOfOne } from '../sync/origin.ts';
import { storeReads } from '../sync/store-reads.ts';
import { DisconnectedDuringSync } from '../wire/errors.ts';
import { type ConnectionJob, recordingOutcome } from '../wire/job-outcome.ts';
import { openConnection } from '../wire/open-connection.ts';
import { openOneTry } from '../wire/patience.ts';
import { honourPrivacy } from './privacy.ts';

export interface NotifiedThing {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly hint: Notification;
}

interface Taken {
  /** How many things were new or different. */
  readonly changed: number;
  /**
   * `unauthorized`: the access is refused; the sync run after it is accepted again brings what is
   * missing. `deferred`: the account is paused; the sync run after it is resumed reads it.
   */
  readonly outcome: 'recorded' | 'ignored' | 'unauthorized' | 'deferred';
}

/** All requests of one attempt together. */
const LONGEST_MS = 10_000;

const IGNORED: Taken = { changed: 0, outcome: 'ignored' };
const UNAUTHORIZED: Taken = { changed: 0, outcome: 'unauthorized' };
const DEFERRED: Taken = { changed: 0, outcome: 'deferred' };

/**
 * Fetches the one thing that a notification names, each request sent once, and stores it; or serves
 * a privacy request.
 * @throws UpstreamError when another attempt may succeed
 */
export async function applyNotification(
  parts: ExchangeParts,
  { organizationId, connectionId, hint }: NotifiedThing,
): Promise<Taken> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  if (!connection) return IGNORED;
  if (!('stream' in hint))
    return { ...(await honourPrivacy(parts, connection, hint)), outcome: 'recorded' };
  if (connection.state === 'disconnected') return IGNORED;
  if (connection.state === 'paused') return DEFERRED;
  if (isParked(connection)) return UNAUTHORIZED;
  const job: ConnectionJob = { alert: 'push', stream: hint.stream };
  try {
    const changed = await recordingOutcome(parts, connection, job, () =>
      refetch(parts, connection, hint),
    );
    return { changed, outcome: 'recorded' };
  } catch (error) {
    if (error instanceof DisconnectedDuringSync) return IGNORED;
    if (error instanceof UpstreamError && error.kind === 'unauthorized') return UNAUTHORIZED;
    throw error;
  }
}

async function refetch(
  parts: ExchangeParts,
  connection: SealedConnection,
  { stream, id }: Refetch,
): Promise<number> {
  const patience = openOneTry(parts.clock, LONGEST_MS);
  const { connector, call } = openConnection(parts, connection, { patience });
  const origin = originOfOne(connection, parts.clock);
  const reads = (await streamOf(connector, stream)?.one?.(call, id)) ?? [];
  return (await storeReads(parts, stream, origin, reads)).changed;
}
