import type { AuthLibrary, LibraryParts } from './auth-library.ts';
import { headersOf } from './auth-requests.ts';
import { type GivenHeaders, hashBackupCode } from './auth-terms.ts';
import { noteEvent } from './events.ts';
import { withKnownAccountPriority } from './passwords.ts';
import type { SignedIn } from './sessions.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';
import * as sessionStore from './store-sessions.ts';
import { useCode } from './used-codes.ts';

/** The typed code or backup code; the other one is ''. */
export interface TypedFactor {
  readonly code: string;
  readonly backupCode: string;
}

interface Context extends Pick<LibraryParts, 'database' | 'clock' | 'keyring' | 'log'> {
  readonly library: AuthLibrary;
  readonly attempts: SignInAttempts;
  signedIn(headers: GivenHeaders): Promise<SignedIn | null>;
}

/**
 * Records that this session used a second factor.
 * @returns false for a wrong or used code.
 * @throws Failure too_many_requests
 */
export async function useSecondFactor(
  context: Context,
  headers: GivenHeaders,
  typed: TypedFactor,
): Promise<boolean> {
  const { database, clock, log, attempts, signedIn } = context;
  const person = await signedIn(headers);
  // Without an app in use, the library would take a code as the confirmation of a new one.
  if (!person?.asksForCode) return false;
  await attempts.count('code', person.id);
  const isUsed = await isTheirs(context, person, headers, typed);
  if (isUsed)
    await database.write((handle) =>
      sessionStore.noteFactorUsed(handle, person.sessionId, clock.now()),
    );
  noteEvent(log, isUsed ? 'second_factor_used' : 'second_factor_failed', { person: person.id });
  return isUsed;
}

/** Whether it is the signed-in person's password. @throws Failure too_many_requests */
export async function isOwnPassword(
  { database, clock, keyring, library, attempts, signedIn }: Context,
  headers: GivenHeaders,
  password: string,
): Promise<boolean> {
  const person = await signedIn(headers);
  if (!person) return false;
  await attempts.count('password', person.id);
  const asked = { body: { password }, headers: headersOf(keyring, headers) };
  const isOwn = await withKnownAccountPriority(person.email, () =>
    library.isRight((auth) => auth.api.verifyPassword(asked)),
  );
  if (isOwn)
    await database.write((handle) =>
      sessionStore.notePasswordGiven(handle, person.sessionId, clock.now()),
    );
  return isOwn;
}

async function isTheirs(
  context: Context,
  person: SignedIn,
  given: GivenHeaders,
  { code, backupCode }: TypedFactor,
): Promise<boolean> {
  const { keyring, library } = context;
  const headers = headersOf(keyring, given);
  if (code === '')
    return library.isRight((auth) =>
      auth.api.verifyBackupCode({ headers, body: { code: hashBackupCode(backupCode) } }),
    );
  const isGood = await library.isRight((auth) => auth.api.verifyTOTP({ headers, body: { code } }));
  return isGood && useCode(context, person.id, code);
}
