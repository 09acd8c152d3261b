import type { AuthLibrary, LibraryParts } from './auth-library.ts';
import { headersOf } from './auth-requests.ts';
import { type GivenHeaders, isSecure } from './auth-terms.ts';
import { badLink, confirm, registrationBy } from './confirm-address.ts';
import { registrationIn } from './cookies.ts';
import { noteEvent } from './events.ts';
import { isMarked } from './registration-mark.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';
import * as sessionStore from './store-sessions.ts';
import type { Unconfirmed } from './store-verifications.ts';

interface Context extends LibraryParts {
  readonly library: AuthLibrary;
  readonly attempts: SignInAttempts;
}

/** The registration that the link of a mail confirms. */
export interface Registration {
  readonly email: string;
  /** This browser made it, so it confirms without the password. */
  readonly isOwn: boolean;
}

/** null = the link no longer works. */
export async function registrationOf(
  context: Context,
  token: string,
  headers: GivenHeaders,
): Promise<Registration | null> {
  const found = await registrationBy(context, token);
  return found ? { email: found.email, isOwn: isOwn(context, found, headers) } : null;
}

/**
 * Confirms an address in the browser that registered it, where the password was typed.
 * @returns null in another browser: nothing is confirmed
 * @throws Failure invalid_request
 */
export async function confirmHere(
  context: Context,
  token: string,
  headers: GivenHeaders,
): Promise<Unconfirmed | null> {
  const found = await registrationBy(context, token);
  if (!found) throw badLink();
  if (!isOwn(context, found, headers)) return null;
  await context.database.write((handle) => confirm(context, handle, token, found));
  return found;
}

/**
 * Opens a session in the browser whose registration was confirmed just now.
 * @returns its cookies as Set-Cookie
 */
export async function enterConfirmed(
  { database, keyring, library, log }: Context,
  person: Unconfirmed,
  { headers, address }: { headers: GivenHeaders; address: string },
): Promise<readonly string[]> {
  const opened = await library.openSession(person.id, headersOf(keyring, headers, address));
  await database.write((handle) =>
    sessionStore.notePasswordGiven(handle, opened.sessionId, person.password_given_at),
  );
  noteEvent(log, 'signed_in', { person: person.id, way: '/verificar-correo' });
  return opened.cookies;
}

function isOwn(
  { keyring, publicUrl }: Context,
  registration: Unconfirmed,
  headers: GivenHeaders,
): boolean {
  return isMarked(keyring, registration, registrationIn(headers, isSecure(publicUrl())));
}
