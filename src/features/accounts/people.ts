import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import { openPlainPool } from '../../platform/db/plain-pool.ts';
import { fail } from '../../platform/failure.ts';
import { sha256 } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { Mail, Postbox } from '../../platform/mail.ts';
import type { Keyring } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import { type Attempts, openAttempts } from './attempts.ts';
import type * as authModule from './auth.ts';
import type { Auth } from './auth.ts';
import {
  ADDRESS_HEADER,
  type Addressee,
  AUTH_PATH,
  COOKIE_PREFIX,
  isSecure,
  originsOf,
} from './auth-terms.ts';
import { cookiesOf, deviceCookieName, withCurrentSignatures } from './cookies.ts';
import { type Asked, eventOf, isAct, noteEvent, noteOwnAct, whoTries } from './events.ts';
import { newPasswordMail, resetMail, securityMail, verificationMail } from './mails.ts';
import { type SignUp, signUp } from './sign-up.ts';
import * as store from './store.ts';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** An app with one-time codes, or a passkey. */
  readonly hasSecondFactor: boolean;
}

export interface SignedIn extends Person {
  readonly sessionId: string;
  readonly signedInAt: Instant;
  /** One-time codes are asked for at sign-in. */
  readonly asksForCode: boolean;
}

/** A request to one of better-auth's routes, with the caller's own headers. */
export interface AuthCall {
  /** Below `/api/auth`, such as `/sign-in/email`. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: IncomingHttpHeaders;
  /** Where it came from, as the front tells it. */
  readonly address: string;
  readonly body?: object | string;
}

export interface AuthAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each route answers something else
  readonly body: any;
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[];
  readonly retryAfter: string | null;
}

export interface People {
  readonly attempts: Attempts;
  /** Whether the address of a request is one of ours. */
  isOwnOrigin(origin: string): boolean;
  /** Who is signed in by the session cookie; null = nobody, or not for twelve hours. */
  signedIn(headers: IncomingHttpHeaders): Promise<SignedIn | null>;
  /** Whether the house asks the person for a second factor that they do not have. */
  lacksSecondFactor(person: Person): boolean;
  /** @throws Failure second_factor_required where the person has none and the house asks for one */
  requireSecondFactor(person: Person): void;
  ask(call: AuthCall): Promise<AuthAnswer>;
  /** Whether it is the password of whoever is signed in. @throws Failure too_many_requests */
  isOwnPassword(headers: IncomingHttpHeaders, password: string): Promise<boolean>;
  signUp(given: SignUp): Promise<void>;
  tellSecurityChange(person: { email: string; name: string }, what: string): Promise<void>;
  /** Ends the links that were sent, and second steps that were begun, under the former one, and tells the person. */
  passwordWasChanged(person: Person): Promise<void>;
  /** The name and value of the cookie by which a browser is known again, as Set-Cookie. */
  deviceCookie(email: string): string;
  deviceOf(headers: IncomingHttpHeaders): string | null;
  close(): Promise<void>;
}

export interface PeopleParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Keyring;
  readonly postbox: Postbox;
  readonly secondFactor: 'required' | 'deferred';
  /** Asked at the first request: the system may choose the port. */
  readonly publicUrl: () => string;
}

/** What is had of better-auth, once somebody came. */
interface OpenAuth extends Pick<typeof authModule, 'verificationTokenOf' | 'isRefusal'> {
  readonly auth: Auth;
}

const IDLE_HOURS = 12;
const SESSION_DAYS = 14;
const NOTE_USE_EVERY_SECONDS = 60;
const DEVICE_SECONDS = 365 * 24 * 3_600;
/** A code is good for its own half minute and those beside it. */
const CODE_LIFE_SECONDS = 120;
/** The library wants whole addresses; of those of IPv6 the front tells the half that is one person's. */
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
  const pool = openPlainPool(database.address, (err) => log.warn({ err }, 'people lost a connection'));
  const attempts = openAttempts(database, clock, keyring, log);
  let opened: Promise<OpenAuth> | null = null;
  const library = () => {
    opened ??= import('./auth.ts').then(({ openAuth, verificationTokenOf, isRefusal }) => {
      return { auth: openAuth(authParts()), verificationTokenOf, isRefusal };
    });
    return opened;
  };

  const post = (mail: Mail) => database.write((handle) => postbox.put(handle, mail));
  const authParts = () => ({
    pool,
    keyring,
    publicUrl: parts.publicUrl(),
    log,
    sendVerification: async (person: Addressee, token: string) => {
      if (await attempts.mayMail(person.email))
        await post(verificationMail(parts.publicUrl(), person, token));
    },
    sendReset: (person: Addressee, token: string) => post(resetMail(parts.publicUrl(), person, token)),
    onPasswordReset: (person: Addressee, request: Request | undefined) =>
      database.write((handle) =>
        passwordWasReset(parts, attempts, handle, { ...person, address: addressIn(request) }),
      ),
    useCode: (personId: string, code: string) =>
      database.write((handle) =>
        store.useCode(handle, {
          personId,
          hash: sha256(`${personId} ${code}`),
          at: clock.now(),
          goodFor: clock.now().subtract({ seconds: CODE_LIFE_SECONDS }),
        }),
      ),
  });

  async function signedIn(headers: IncomingHttpHeaders): Promise<SignedIn | null> {
    if (!headers.cookie?.includes(`${COOKIE_PREFIX}.`)) return null;
    const { auth } = await library();
    const found = await auth.api.getSession({ headers: headersOf(headers, null) });
    if (!found) return null;
    const { session, user } = found;
    const facts = await database.read((handle) => store.sessionFacts(handle, session.id));
    if (!facts) return null;
    const signedInAt = session.createdAt.toTemporalInstant();
    const now = clock.now();
    if (isOver({ signedInAt, lastSeenAt: facts.last_seen_at }, now)) {
      await database.write((handle) => store.endSession(handle, session.id));
      return null;
    }
    if (isStale(facts.last_seen_at, now))
      await database.write((handle) => store.touchSession(handle, session.id, now));
    const asksForCode = user.twoFactorEnabled === true;
    return {
      id: user.id,
      email: user.email,
      name: user.name,
      hasSecondFactor: asksForCode || facts.passkeys > 0,
      asksForCode,
      sessionId: session.id,
      signedInAt,
    };
  }

  function lacksSecondFactor(person: Person): boolean {
    return parts.secondFactor === 'required' && !person.hasSecondFactor;
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
    if (address !== null) headers.set(ADDRESS_HEADER, address.includes(':') ? `${address}${REST}` : address);
    const cookie = headers.get('cookie');
    if (cookie && keyring.previous) headers.set('cookie', withCurrentSignatures(keyring, cookie));
    return headers;
  }

  return {
    attempts,
    isOwnOrigin: (origin) => originsOf(parts.publicUrl()).includes(origin),
    signedIn,
    lacksSecondFactor,
    requireSecondFactor(person) {
      if (lacksSecondFactor(person)) throw fail('second_factor_required');
    },
    async ask({ path, method, headers, address, body }) {
      // Whoever was idle for too long is out also where the library looks by itself.
      const before = await signedIn(headers);
      const passed = headersOf(headers, address);
      if (body !== undefined) passed.set('content-type', 'application/json');
      const url = `${new URL(parts.publicUrl()).origin}${AUTH_PATH}${path}`;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const { auth } = await library();
      const response = await auth.handler(
        new Request(url, { method, headers: passed, ...(body !== undefined && { body: text }) }),
      );
      const answer = await readAnswer(response);
      const asked = { path, ...(body !== undefined && { body }), cookie: headers.cookie ?? '' };
      await note(asked, address, answer, before);
      return answer;
    },
    async isOwnPassword(headers, password) {
      const person = await signedIn(headers);
      if (!person) return false;
      await attempts.count('password', person.id);
      const { auth, isRefusal } = await library();
      return auth.api.verifyPassword({ body: { password }, headers: headersOf(headers, null) }).then(
        () => true,
        (error) => {
          if (isRefusal(error)) return false;
          throw error;
        },
      );
    },
    signUp: (given) =>
      signUp(
        {
          database,
          clock,
          postbox,
          publicUrl: parts.publicUrl(),
          mayMail: attempts.mayMail,
          verificationToken: async (email) => {
            const { auth, verificationTokenOf } = await library();
            return verificationTokenOf(auth, email);
          },
        },
        given,
      ),
    tellSecurityChange: (person, what) => post(securityMail(parts.publicUrl(), person, what)),
    passwordWasChanged: (person) =>
      database.write(async (handle) => {
        await store.endVerificationsOf(handle, person.id);
        const mail = newPasswordMail(parts.publicUrl(), person, 'Cambió la contraseña de tu cuenta.');
        await postbox.put(handle, mail);
      }),
    deviceCookie(email) {
      const secure = isSecure(parts.publicUrl());
      const name = deviceCookieName(secure);
      return `${name}=${attempts.deviceOf(email)}; Path=/; Max-Age=${DEVICE_SECONDS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    },
    deviceOf(headers) {
      const name = deviceCookieName(isSecure(parts.publicUrl()));
      return cookiesOf(headers.cookie ?? '').find(([key]) => key === name)?.[1] ?? null;
    },
    close: () => pool.end(),
  };
}

/** What a mail of ours let somebody do proves the address, and opens the account to its owner again. */
async function passwordWasReset(
  { clock, log, postbox, publicUrl }: PeopleParts,
  attempts: Attempts,
  handle: WriteHandle,
  person: Addressee & { readonly address: string | null },
): Promise<void> {
  await noteOwnAct(handle, { personId: person.id, address: person.address }, 'password_reset');
  await store.markVerified(handle, person.id, clock.now());
  await store.endVerificationsOf(handle, person.id);
  await attempts.forgive(handle, person.email);
  handle.afterCommit(() => noteEvent(log, 'password_reset', { person: person.id }));
  await postbox.put(
    handle,
    newPasswordMail(publicUrl(), person, 'Se eligió una contraseña nueva para tu cuenta.'),
  );
}

/** As the front told it. */
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

function isOver(session: { signedInAt: Instant; lastSeenAt: Instant | null }, now: Instant): boolean {
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
