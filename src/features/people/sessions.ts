import type { Clock } from '../../platform/clock.ts';
import type { Database, Handle, WriteHandle } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import type { AuthLibrary } from './auth-library.ts';
import { headersOf } from './auth-requests.ts';
import { cookiePrefix, type GivenHeaders, isSecure } from './auth-terms.ts';
import type { Proofs } from './confirmation.ts';
import { IDLE_HOURS, SESSION_DAYS } from './lifetimes.ts';
import * as sessionStore from './store-sessions.ts';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

export interface SignedIn extends Person, Proofs {
  readonly sessionId: string;
  readonly signedInAt: Instant;
  /** Whether sign-in requires a one-time code. */
  readonly asksForCode: boolean;
}

/** One of a person's own sessions, as their account lists it. */
export interface OwnSession {
  readonly id: string;
  readonly signedInAt: Instant;
  readonly lastSeenAt: Instant;
  /** As the browser named itself; null = it did not. */
  readonly userAgent: string | null;
}

/** Whether a request was made by the person or by an open page. */
export type SessionUse = 'attended' | 'unattended';

interface SessionParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly publicUrl: () => string;
}

const NOTE_USE_EVERY_SECONDS = 60;

/**
 * The person of the session cookie; null = none, or idle for twelve hours.
 * @param use `unattended`: a page asked by itself, so the session stays idle
 */
export async function currentSession(
  { database, clock, keyring, publicUrl }: SessionParts,
  library: AuthLibrary,
  headers: GivenHeaders,
  use: SessionUse,
): Promise<SignedIn | null> {
  if (!headers.cookie?.includes(`${cookiePrefix(isSecure(publicUrl()))}.`)) return null;
  const found = await library.session(headersOf(keyring, headers));
  if (!found) return null;
  const { session, user } = found;
  const facts = await database.read((handle) => sessionStore.sessionFacts(handle, session.id));
  if (!facts) return null;
  const signedInAt = session.createdAt.toTemporalInstant();
  const now = clock.now();
  if (isOver({ signedInAt, lastSeenAt: facts.last_seen_at }, now)) {
    await database.write((handle) => sessionStore.endSession(handle, session.id));
    return null;
  }
  if (use === 'attended' && isStale(facts.last_seen_at, now))
    await database.write((handle) => sessionStore.touchSession(handle, session.id, now));
  const asksForCode = user.twoFactorEnabled === true;
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    hasSecondFactor: asksForCode || facts.passkeys > 0,
    factorUsedAt: facts.factor_used_at,
    passwordGivenAt: facts.password_given_at,
    asksForCode,
    sessionId: session.id,
    signedInAt,
  };
}

/** Those that still open the account, newest first. */
export async function sessionsOf(
  handle: Handle,
  personId: string,
  now: Instant,
): Promise<OwnSession[]> {
  return (await sessionStore.sessionsOf(handle, personId))
    .map((row) => ({
      id: row.id,
      signedInAt: row.created_at,
      lastSeenAt: row.last_seen_at ?? row.created_at,
      userAgent: row.user_agent,
    }))
    .filter((session) => !isOver(session, now));
}

/** @returns false when the person has no such session */
export function endSessionOf(handle: WriteHandle, personId: string, id: string): Promise<boolean> {
  return sessionStore.endSessionOf(handle, personId, id);
}

function isOver(
  session: { signedInAt: Instant; lastSeenAt: Instant | null },
  now: Instant,
): boolean {
  const idleSince = session.lastSeenAt ?? session.signedInAt;
  return (
    Temporal.Instant.compare(idleSince.add({ hours: IDLE_HOURS }), now) <= 0 ||
    Temporal.Instant.compare(session.signedInAt.add({ hours: 24 * SESSION_DAYS }), now) <= 0
  );
}

function isStale(lastSeenAt: Instant | null, now: Instant): boolean {
  return (
    lastSeenAt === null ||
    Temporal.Instant.compare(lastSeenAt.add({ seconds: NOTE_USE_EVERY_SECONDS }), now) <= 0
  );
}
