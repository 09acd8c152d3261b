import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import { openPlainPool } from '../../platform/db/plain-pool.ts';
import { sha256 } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { Mail, Postbox } from '../../platform/mail.ts';
import type { Queue } from '../../platform/queue.ts';
import type { Keyring } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import type * as authModule from './auth.ts';
import type { Auth } from './auth.ts';
import {
  ADDRESS_HEADER,
  type Addressee,
  AUTH_PATH,
  cookiePrefix,
  hashBackupCode,
  isSecure,
  originsOf,
} from './auth-terms.ts';
import { type FactorLack, factorLack, type Proofs, refuseLack } from './confirmation.ts';
import { cookiesOf, deviceCookieName, withCurrentSignatures } from './cookies.ts';
import { type Asked, eventOf, isAct, noteEvent, noteOwnAct, whoTries } from './events.ts';
import { IDLE_HOURS, SESSION_DAYS } from './lifetimes.ts';
import { passwordChangedMail, passwordResetMail, securityMail } from './mails.ts';
import { inLineOfKnown } from './passwords.ts';
import { askToRecover } from './recover.ts';
import { openSignInAttempts, type SignInAttempts } from './sign-in-attempts.ts';
import * as personStore from './store-people.ts';
import * as factorStore from './store-second-factors.ts';
import * as sessionStore from './store-sessions.ts';
import * as verificationStore from './store-verifications.ts';

interface Person {
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

/** A request to one of better-auth's routes, with the caller's own headers. */
export interface AuthCall {
  /** Below `/api/auth`, such as `/sign-in/email`. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: IncomingHttpHeaders;
  /** The client's address, as the front determined it. */
  readonly address: string;
  readonly body?: object | string;
}

export interface AuthAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each route has another answer
  readonly body: any;
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[];
  readonly retryAfter: string | null;
}

/** The typed code or backup code; the other one is ''. */
interface TypedFactor {
  readonly code: string;
  readonly backupCode: string;
}

/** Whether a request was made by the person or by an open page. */
type SessionUse = 'attended' | 'unattended';

export interface People {
  readonly attempts: SignInAttempts;
  /** Whether the address of a request is one of ours. */
  isOwnOrigin(origin: string): boolean;
  /**
   * The person of the session cookie; null = none, or idle for twelve hours.
   * @param use `unattended`: a page asked by itself, so the session stays idle
   */
  signedIn(headers: IncomingHttpHeaders, use?: SessionUse): Promise<SignedIn | null>;
  /** The proof that this session lacks for keys and credentials; null = none. */
  factorLack(session: Proofs): FactorLack | null;
  /** @throws Failure second_factor_required, confirmation_required */
  requireSecondFactor(session: Proofs): void;
  /**
   * Records that this session used a second factor.
   * @returns false for a wrong or used code.
   * @throws Failure too_many_requests
   */
  useSecondFactor(headers: IncomingHttpHeaders, typed: TypedFactor): Promise<boolean>;
  ask(call: AuthCall): Promise<AuthAnswer>;
  /** Whether it is the signed-in person's password. @throws Failure too_many_requests */
  isOwnPassword(headers: IncomingHttpHeaders, password: string): Promise<boolean>;
  /**
   * Mails a link, if the address has an account and got few mails; the work and the answer are the
   * same if not.
   */
  recover(email: string): Promise<void>;
  tellSecurityChange(person: { email: string; name: string }, what: string): Promise<void>;
  /**
   * Ends the links that were sent, and second steps that were begun, under the former password, and
   * notifies the person.
   */
  passwordWasChanged(person: Person): Promise<void>;
  /** The name and value of the cookie that marks a known browser, as Set-Cookie. */
  deviceCookie(email: string): string;
  deviceOf(headers: IncomingHttpHeaders): string | null;
  close(): Promise<void>;
}

interface PeopleParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Keyring;
  readonly postbox: Postbox;
  readonly queue: Queue;
  readonly secondFactor: 'required' | 'deferred';
  /** Evaluated at the first request: the system may choose the port. */
  readonly publicUrl: () => string;
}

/** The parts of better-auth in use, loaded at the first request. */
interface OpenAuth extends Pick<typeof authModule, 'isRefusal'> {
  readonly auth: Auth;
}

const NOTE_USE_EVERY_SECONDS = 60;
const DEVICE_SECONDS = 365 * 24 * 3_600;
/** A code is valid for its own half minute and those beside it. */
const CODE_LIFE_SECONDS = 120;
/**
 * The library requires whole addresses; for IPv6 the front gives the half that identifies one
 * client.
 */
const REST = '::';
const PASSED_ON = [
  'cookie',
  'origin',
  'referer',
  'user-agent',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
];

/** People who sign in, and their sessions. */
export async function openPeople(parts: PeopleParts): Promise<People> {
  const { database, clock, keyring, log, postbox } = parts;
  const pool = openPlainPool(database.address, (err) =>
    log.warn({ err }, 'people lost a connection'),
  );
  const attempts = openSignInAttempts(database, clock, keyring, log);
  let opened: Promise<OpenAuth> | null = null;
  const library = () => {
    opened ??= import('./auth.ts').then(({ openAuth, isRefusal }) => {
      return { auth: openAuth(authParts()), isRefusal };
    });
    return opened;
  };

  const post = (mail: Mail) => database.write((handle) => postbox.put(handle, mail));
  const authParts = () => ({
    pool,
    keyring,
    publicUrl: parts.publicUrl(),
    log,
    onPasswordReset: (person: Addressee, request: Request | undefined) =>
      database.write((handle) =>
        passwordWasReset(parts, attempts, handle, { ...person, address: addressIn(request) }),
      ),
    useCode,
    now: () => clock.now(),
    isPasskeySuspended: (credentialId: string) =>
      database.read((handle) => factorStore.isPasskeySuspended(handle, credentialId)),
  });

  function useCode(personId: string, code: string): Promise<boolean> {
    const at = clock.now();
    const goodFor = at.subtract({ seconds: CODE_LIFE_SECONDS });
    const hash = sha256(`${personId} ${code}`);
    return database.write((handle) => factorStore.useCode(handle, { personId, hash, at, goodFor }));
  }

  async function signedIn(
    headers: IncomingHttpHeaders,
    use: SessionUse = 'attended',
  ): Promise<SignedIn | null> {
    if (!headers.cookie?.includes(`${cookiePrefix(isSecure(parts.publicUrl()))}.`)) return null;
    const { auth } = await library();
    const found = await auth.api.getSession({ headers: headersOf(headers, null) });
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

  /** Refusals of the library are false; failures are thrown on. */
  async function isRight(check: (auth: Auth) => Promise<unknown>): Promise<boolean> {
    const { auth, isRefusal } = await library();
    try {
      await check(auth);
      return true;
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  }

  async function isTheirs(person: SignedIn, passed: Headers, { code, backupCode }: TypedFactor) {
    if (code === '')
      return isRight((auth) =>
        auth.api.verifyBackupCode({ headers: passed, body: { code: hashBackupCode(backupCode) } }),
      );
    const isGood = await isRight((auth) =>
      auth.api.verifyTOTP({ headers: passed, body: { code } }),
    );
    return isGood && useCode(person.id, code);
  }

  /** Applies the result of a passkey's ceremony to the session that requested it. */
  async function follow(path: string, { sessionId }: SignedIn): Promise<void> {
    // The library opened another session, which replaces this one.
    if (path === '/passkey/verify-authentication')
      await database.write((handle) => sessionStore.endSession(handle, sessionId));
    if (path === '/passkey/verify-registration')
      await database.write((handle) => sessionStore.noteFactorUsed(handle, sessionId, clock.now()));
  }

  function deviceOf(headers: IncomingHttpHeaders): string | null {
    const name = deviceCookieName(isSecure(parts.publicUrl()));
    return cookiesOf(headers.cookie ?? '').find(([key]) => key === name)?.[1] ?? null;
  }

  async function note(asked: Asked, address: string, answer: AuthAnswer, before: SignedIn | null) {
    const event = eventOf(asked, answer, before !== null);
    if (event === null) return;
    const known = answer.body?.user?.id ?? before?.id;
    const person = known ?? (await database.read((handle) => whoTries(handle, asked)));
    if (person && isAct(event))
      await database.write((handle) => noteOwnAct(handle, { personId: person, address }, event));
    noteEvent(log, event, { person, way: asked.path });
  }

  function headersOf(given: IncomingHttpHeaders, address: string | null): Headers {
    const headers = new Headers();
    for (const name of PASSED_ON) {
      const value = given[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    if (address !== null)
      headers.set(ADDRESS_HEADER, address.includes(':') ? `${address}${REST}` : address);
    const cookie = headers.get('cookie');
    if (cookie && keyring.previous) headers.set('cookie', withCurrentSignatures(keyring, cookie));
    return headers;
  }

  return {
    attempts,
    isOwnOrigin: (origin) => originsOf(parts.publicUrl()).includes(origin),
    signedIn,
    factorLack: (session) => factorLack(session, parts.secondFactor),
    requireSecondFactor: (session) => refuseLack(factorLack(session, parts.secondFactor)),
    async useSecondFactor(headers, typed) {
      const person = await signedIn(headers);
      // Without an app in use, the library would take a code as the confirmation of a new one.
      if (!person?.asksForCode) return false;
      await attempts.count('code', person.id);
      const isUsed = await isTheirs(person, headersOf(headers, null), typed);
      if (isUsed)
        await database.write((handle) =>
          sessionStore.noteFactorUsed(handle, person.sessionId, clock.now()),
        );
      noteEvent(log, isUsed ? 'second_factor_used' : 'second_factor_failed', { person: person.id });
      return isUsed;
    },
    async ask({ path, method, headers, address, body }) {
      // A session that was idle for too long is deleted here, before the library looks it up.
      const before = await signedIn(headers);
      const passed = headersOf(headers, address);
      if (body !== undefined) passed.set('content-type', 'application/json');
      const url = `${new URL(parts.publicUrl()).origin}${AUTH_PATH}${path}`;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const { auth } = await library();
      const request = new Request(url, {
        method,
        headers: passed,
        ...(body !== undefined && { body: text }),
      });
      const isKnown = attempts.isKnown(emailIn(body), deviceOf(headers));
      const response = await (isKnown
        ? inLineOfKnown(() => auth.handler(request))
        : auth.handler(request));
      const answer = await readAnswer(response);
      const asked = { path, ...(body !== undefined && { body }), cookie: headers.cookie ?? '' };
      await note(asked, address, answer, before);
      if (before && answer.status < 400) await follow(path, before);
      return answer;
    },
    async isOwnPassword(headers, password) {
      const person = await signedIn(headers);
      if (!person) return false;
      await attempts.count('password', person.id);
      const asked = { body: { password }, headers: headersOf(headers, null) };
      const isOwn = await isRight((auth) => auth.api.verifyPassword(asked));
      if (isOwn)
        await database.write((handle) =>
          sessionStore.notePasswordGiven(handle, person.sessionId, clock.now()),
        );
      return isOwn;
    },
    async recover(email) {
      if (await attempts.mayMail(email))
        await database.write((handle) =>
          askToRecover(handle, { queue: parts.queue, keyring }, email),
        );
    },
    tellSecurityChange: (person, what) => post(securityMail(parts.publicUrl(), person, what)),
    passwordWasChanged: (person) =>
      database.write(async (handle) => {
        await verificationStore.endVerificationsOf(handle, person.id);
        await postbox.put(handle, passwordChangedMail(parts.publicUrl(), person));
      }),
    deviceCookie(email) {
      const secure = isSecure(parts.publicUrl());
      const name = deviceCookieName(secure);
      return `${name}=${attempts.deviceOf(email)}; Path=/; Max-Age=${DEVICE_SECONDS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    },
    deviceOf,
    close: () => pool.end(),
  };
}

/**
 * The link was mailed, so it proves the address. A thief may have added passkeys: they are
 * suspended until the owner confirms each with the new password.
 */
async function passwordWasReset(
  { clock, log, postbox, publicUrl }: PeopleParts,
  attempts: SignInAttempts,
  handle: WriteHandle,
  person: Addressee & { readonly address: string | null },
): Promise<void> {
  await noteOwnAct(handle, { personId: person.id, address: person.address }, 'password_reset');
  await personStore.markVerified(handle, person.id, clock.now());
  await verificationStore.endVerificationsOf(handle, person.id);
  await attempts.forgive(handle, person.email);
  const suspended = await factorStore.suspendPasskeys(handle, person.id, clock.now());
  handle.afterCommit(() => noteEvent(log, 'password_reset', { person: person.id }));
  await postbox.put(handle, passwordResetMail(publicUrl(), person, suspended > 0));
}

/** The address of a sign-in; '' elsewhere. */
function emailIn(body: AuthCall['body']): string {
  return typeof body === 'object' && 'email' in body ? String(body.email) : '';
}

/** As the front set it. */
function addressIn(request: Request | undefined): string | null {
  return request?.headers.get(ADDRESS_HEADER)?.replace(new RegExp(`${REST}$`), '') ?? null;
}

async function readAnswer(response: Response): Promise<AuthAnswer> {
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? null : parseOrNull(text),
    cookies: response.headers.getSetCookie(),
    retryAfter: response.headers.get('x-retry-after'),
  };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
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
