import { isDeepStrictEqual } from 'node:util';
import type { Connector } from '../connectors/contract.ts';
import {
  connectionById,
  openCredentials,
  type SealedConnection,
  saveCredentials,
} from '../features/connections/index.ts';
import { schedule } from '../features/schedules/index.ts';
import type { WriteScope } from '../platform/db/database.ts';
import { openCall } from './call.ts';
import { UpstreamError } from './errors.ts';
import { applicationOf, type ExchangeParts, reachOf } from './parts.ts';

/** Renewed when this part of their life is over. */
const RENEW_AT = 0.8;
const LOCK_CLASS = 7_406_002;

/**
 * Renews a connection's credentials, one renewal at a time over all processes, and stores the new ones before
 * anybody uses them: a single-use refresh token that is lost cannot be had again. Who waited for another's
 * renewal gets its result.
 * @throws UpstreamError unauthorized when the seller must connect again
 */
export async function renewCredentials<Credentials>(
  parts: ExchangeParts,
  connection: SealedConnection,
  connector: Connector<Credentials>,
  stale: Credentials,
): Promise<Credentials> {
  const { auth } = connector;
  if (!auth.renew)
    throw new UpstreamError('unauthorized', connector.slug, 'these credentials cannot be renewed');
  const organization = parts.database.within(connection.organizationId);
  const lock = await parts.database.connect();
  try {
    await lock.query('select pg_advisory_lock($1, hashtext($2))', [LOCK_CLASS, connection.id]);
    const stored = await organization.read((scope) => connectionById(scope, connection.id));
    const current = stored && (openCredentials(parts.keyring, stored) as Credentials | null);
    if (!current)
      throw new UpstreamError('unauthorized', connector.slug, 'the connection has no credentials');
    if (!isDeepStrictEqual(current, stale)) return current;

    const call = openCall(parts, {
      connector,
      credentials: current,
      application: applicationOf(parts, connector.slug),
      lane: connection.id,
      ...reachOf(parts, connection),
      renew: null,
    });
    const fresh = await auth.renew(call, applicationOf(parts, connector.slug));
    if (!fresh)
      throw new UpstreamError('unauthorized', connector.slug, 'these credentials cannot be renewed');
    const expiry =
      fresh.secondsToLive === null ? null : parts.clock.now().add({ seconds: fresh.secondsToLive });
    await organization.write(async (scope) => {
      await saveCredentials(scope, parts.keyring, connection.id, fresh.credentials, expiry);
      if (fresh.secondsToLive !== null) await scheduleRenewal(scope, connection.id, fresh.secondsToLive);
    });
    return fresh.credentials;
  } catch (error) {
    throw isRejected(error)
      ? new UpstreamError('unauthorized', connector.slug, 'the refresh token was rejected', { cause: error })
      : error;
  } finally {
    await lock.end();
  }
}

/** Puts the renewal of a connection's credentials on the calendar. */
export async function scheduleRenewal(
  scope: WriteScope,
  connectionId: string,
  secondsToLive: number,
): Promise<void> {
  const seconds = Math.max(60, Math.floor(secondsToLive * RENEW_AT));
  await schedule(scope, 'renew', connectionId, seconds, scope.clock.now().add({ seconds }));
}

/** A 4xx from a token endpoint means that the token is dead; anything else may pass. */
function isRejected(error: unknown): boolean {
  return error instanceof UpstreamError && (error.kind === 'refused' || error.kind === 'forbidden');
}
