import { isDeepStrictEqual } from 'node:util';
import type { Renewed, Service } from '../../connectors/contract.ts';
import { UpstreamError, type UpstreamKind } from '../../connectors/upstream-error.ts';
import {
  beginRenewal,
  connectionById,
  endRenewal,
  openCredentials,
  type SealedConnection,
  saveCredentials,
} from '../../features/connections/index.ts';
import { schedule } from '../../features/schedules/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { AssertHeld, Lock } from '../../platform/db/locks.ts';
import { retry } from '../../platform/retry.ts';
import { applicationOf, type ExchangeParts, reachOf } from '../parts.ts';
import { openCall } from './call.ts';

/** Credentials are renewed after this part of their life. */
const RENEW_AT = 0.8;
// Gives up half a minute after the first failure.
const STORE_ATTEMPTS = 10;
const FIRST_STORE_WAIT_MS = 50;
const CONTESTED_SECONDS = 60;

/**
 * Renews a connection's credentials, one renewal at a time over all processes, and stores the new
 * ones before they are used: a single-use refresh token that is lost cannot be had again. A call
 * that waited for another renewal gets its result, and one that began before the seller connected
 * the account anew gets the new credentials, also of a service without renewals.
 * @throws UpstreamError unauthorized when the seller must connect again, paced when another renewal
 * may be under way
 *   although this one has the lock; Failure service_unavailable when the lock was lost
 */
export async function renewCredentials<Credentials>(
  parts: ExchangeParts,
  connection: SealedConnection,
  connector: Service<Credentials>,
  stale: Credentials,
): Promise<Credentials> {
  const lock: Lock = { kind: 'renewal', subject: connection.id };
  return parts.database.locks.holding(lock, async (assertHeld) => {
    const current = await keptNow<Credentials>(parts, connection);
    if (!current) throw dead(connector.slug, 'the connection has no credentials');
    if (!isDeepStrictEqual(current, stale)) return current;
    if (!connector.auth.renew) throw dead(connector.slug, 'these credentials cannot be renewed');
    const kept = await renewOnce(parts, connection, connector, current, assertHeld);
    if (!kept) throw dead(connector.slug, 'the connection has no credentials');
    return kept;
  });
}

/** @returns the stored credentials; null = the account was disconnected */
async function renewOnce<Credentials>(
  parts: ExchangeParts,
  connection: SealedConnection,
  connector: Service<Credentials>,
  current: Credentials,
  assertHeld: AssertHeld,
): Promise<Credentials | null> {
  const organization = parts.database.within(connection.organizationId);
  const { isContested } = await organization.write((scope) => beginRenewal(scope, connection.id));
  const fresh = await askFresh(parts, connection, connector, current);
  // Stored even without the lock: only this process has the new pair, and a newer one is never
  // replaced.
  if (fresh) return storeRenewed(parts, connection, current, fresh);
  if (!isContested) await organization.write((scope) => endRenewal(scope, connection.id));
  const kept = await keptNow<Credentials>(parts, connection);
  // Another renewal was stored first, or the seller connected again: either ends the former token.
  if (!isDeepStrictEqual(kept, current)) return kept;
  assertHeld();
  if (isContested) throw contested(connector.slug);
  throw dead(connector.slug, 'the refresh token was rejected');
}

async function keptNow<Credentials>(
  { database, keyring }: ExchangeParts,
  { organizationId, id }: SealedConnection,
): Promise<Credentials | null> {
  const stored = await database.within(organizationId).read((scope) => connectionById(scope, id));
  return stored && (openCredentials(keyring, stored) as Credentials | null);
}

/** Schedules the renewal of a connection's credentials. */
export async function scheduleRenewal(
  scope: WriteScope,
  connectionId: string,
  secondsToLive: number,
): Promise<void> {
  const seconds = Math.max(60, Math.floor(secondsToLive * RENEW_AT));
  await schedule(scope, 'renew', connectionId, seconds, scope.clock.now().add({ seconds }));
}

/**
 * Stores renewed credentials, with retries while the database is away: the former token is dead by
 * now.
 */
export async function writeWithRetries<T>(
  { database, clock, log }: ExchangeParts,
  organizationId: string,
  store: (scope: WriteScope) => Promise<T>,
): Promise<T> {
  return retry(
    () => database.within(organizationId).write(store),
    (error, attempt) => {
      if (attempt === STORE_ATTEMPTS) return null;
      log
        .of('wire')
        .warn(
          { organization: organizationId, attempt, err: error },
          'renewed credentials not stored yet',
        );
      return FIRST_STORE_WAIT_MS * 2 ** attempt;
    },
    (milliseconds) => clock.sleep(milliseconds),
  );
}

/** @returns null when the service refused, or there is nothing to renew with */
async function askFresh<Credentials>(
  parts: ExchangeParts,
  connection: SealedConnection,
  connector: Service<Credentials>,
  current: Credentials,
): Promise<Renewed<Credentials> | null> {
  const application = applicationOf(parts, connector.slug);
  const call = openCall(parts, {
    connector,
    credentials: current,
    application,
    lane: connection.id,
    ...reachOf(parts, connection),
    renew: null,
  });
  try {
    return (await connector.auth.renew?.(call, application)) ?? null;
  } catch (error) {
    if (!isRejected(error)) throw error;
    parts.log.of('wire').warn({ connection: connection.id, err: error }, 'renewal refused');
    return null;
  }
}

/** @returns the stored credentials; null = the account was disconnected */
async function storeRenewed<Credentials>(
  parts: ExchangeParts,
  { organizationId, id }: SealedConnection,
  stale: Credentials,
  { credentials: fresh, secondsToLive: life }: Renewed<Credentials>,
): Promise<Credentials | null> {
  const expireAt = life === null ? null : parts.clock.now().add({ seconds: life });
  return writeWithRetries(parts, organizationId, async (scope) => {
    const kept = await saveCredentials(scope, parts.keyring, id, { stale, fresh, expireAt });
    if (kept === fresh && life !== null) await scheduleRenewal(scope, id, life);
    return kept as Credentials | null;
  });
}

function dead(slug: string, why: string): UpstreamError {
  return new UpstreamError('unauthorized', slug, why);
}

/**
 * The other renewal used the token and has not stored its answer; the next attempt shows whether it
 * will.
 */
function contested(slug: string): UpstreamError {
  return new UpstreamError('paced', slug, 'another renewal of these credentials may be under way', {
    retryAfter: CONTESTED_SECONDS,
  });
}

/** A 4xx from a token endpoint means that the token is dead; other failures may be temporary. */
function isRejected(error: unknown): boolean {
  return error instanceof UpstreamError && REJECTIONS.includes(error.kind);
}

const REJECTIONS: readonly UpstreamKind[] = ['refused', 'forbidden', 'unauthorized'];
