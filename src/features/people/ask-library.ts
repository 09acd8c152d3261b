import type { AuthLibrary, LibraryParts } from './auth-library.ts';
import { type AuthAnswer, type AuthCall, emailIn, readAnswer, requestOf } from './auth-requests.ts';
import { type GivenHeaders, isSecure } from './auth-terms.ts';
import { deviceIn } from './cookies.ts';
import { normalEmail } from './email.ts';
import { type Asked, eventOf, isAct, noteEvent, noteOwnAct, whoTries } from './events.ts';
import { withKnownAccountPriority } from './passwords.ts';
import type { SignedIn } from './sessions.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';
import * as sessionStore from './store-sessions.ts';
import { isCodeUsed } from './used-codes.ts';

interface Context extends LibraryParts {
  readonly library: AuthLibrary;
  readonly attempts: SignInAttempts;
  signedIn(headers: GivenHeaders): Promise<SignedIn | null>;
}

/** What the library says of a wrong code. */
const WRONG_CODE: AuthAnswer = {
  status: 401,
  body: { code: 'INVALID_CODE' },
  cookies: [],
  retryAfter: null,
};

/** Passes a request on to one of the library's routes, and records what it changed. */
export async function askLibrary(context: Context, call: AuthCall): Promise<AuthAnswer> {
  const { path, headers, address, body } = call;
  // A session that was idle for too long is deleted here, before the library looks it up.
  const before = await context.signedIn(headers);
  const asked = { path, ...(body !== undefined && { body }), cookie: headers.cookie ?? '' };
  const isUsed = before === null && (await isUsedCode(context, asked));
  const answer = isUsed ? WRONG_CODE : await answerOf(context, call, before);
  await note(context, asked, address, answer, before);
  if (before && answer.status < 400) await follow(context, path, before);
  return answer;
}

/**
 * Whether a second step gets a code that was used before. The library would end the step over it,
 * and refuse the next code, too.
 */
async function isUsedCode(context: Context, asked: Asked): Promise<boolean> {
  const { path, body } = asked;
  if (path !== '/two-factor/verify-totp' || typeof body !== 'object' || !('code' in body))
    return false;
  const person = await context.database.read((handle) => whoTries(handle, asked));
  return person !== null && isCodeUsed(context, person, String(body.code));
}

async function answerOf(
  { keyring, publicUrl, library, attempts }: Context,
  call: AuthCall,
  before: SignedIn | null,
): Promise<AuthAnswer> {
  const { headers, body } = call;
  const auth = await library.auth();
  const request = requestOf(call, keyring, publicUrl());
  const email = emailIn(body);
  const isKnown = attempts.isKnown(email, deviceIn(headers, isSecure(publicUrl())));
  const account = before?.email ?? (isKnown ? normalEmail(email) : null);
  const response = await (account === null
    ? auth.handler(request)
    : withKnownAccountPriority(account, () => auth.handler(request)));
  return readAnswer(response);
}

async function note(
  { database, log }: Context,
  asked: Asked,
  address: string,
  answer: AuthAnswer,
  before: SignedIn | null,
): Promise<void> {
  const event = eventOf(asked, answer, before !== null);
  if (event === null) return;
  const known = answer.body?.user?.id ?? before?.id;
  const person = known ?? (await database.read((handle) => whoTries(handle, asked)));
  if (person && isAct(event))
    await database.write((handle) => noteOwnAct(handle, { personId: person, address }, event));
  noteEvent(log, event, { person, way: asked.path });
}

/** Applies the result of a passkey's ceremony to the session that requested it. */
async function follow(
  { database, clock }: Context,
  path: string,
  { sessionId }: SignedIn,
): Promise<void> {
  // The library opened another session, which replaces this one.
  if (path === '/passkey/verify-authentication')
    await database.write((handle) => sessionStore.endSession(handle, sessionId));
  if (path === '/passkey/verify-registration')
    await database.write((handle) => sessionStore.noteFactorUsed(handle, sessionId, clock.now()));
}
