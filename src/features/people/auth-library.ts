import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { openPlainPool } from '../../platform/db/plain-pool.ts';
import { translate } from '../../platform/db/unavailable.ts';
import type { Log } from '../../platform/log.ts';
import type { Keyring } from '../../platform/seal.ts';
import type * as authModule from './auth.ts';
import type { Auth } from './auth.ts';
import { addressIn } from './auth-requests.ts';
import { acceptPasskey } from './passkeys.ts';
import type { HashPassword } from './passwords.ts';
import * as factorStore from './store-second-factors.ts';
import { useCode } from './used-codes.ts';

export interface LibraryParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyring: Keyring;
  /** Evaluated at the first request: the system may choose the port. */
  readonly publicUrl: () => string;
  readonly hashPassword: HashPassword;
}

/** The parts of better-auth in use, loaded at the first request. */
interface OpenAuth extends Pick<typeof authModule, 'isRefusal'> {
  readonly auth: Auth;
}

export interface AuthLibrary {
  auth(): Promise<Auth>;
  /** @throws Failure service_unavailable */
  session(headers: Headers): ReturnType<Auth['api']['getSession']>;
  /** Opens a session without a further proof. @returns its cookies as Set-Cookie */
  openSession(
    personId: string,
    headers: Headers,
  ): Promise<{ sessionId: string; cookies: readonly string[] }>;
  /** Refusals of the library are false; failures are thrown on. */
  isRight(check: (auth: Auth) => Promise<unknown>): Promise<boolean>;
  close(): Promise<void>;
}

export function openAuthLibrary(parts: LibraryParts): AuthLibrary {
  const { database, clock, keyring, log } = parts;
  const pool = openPlainPool(database.address, (err) =>
    log.warn({ err }, 'people lost a connection'),
  );
  let opened: Promise<OpenAuth> | null = null;
  const library = () => {
    opened ??= import('./auth.ts').then(({ openAuth, isRefusal }) => {
      return { auth: openAuth(authParts()), isRefusal };
    });
    return opened;
  };
  const authParts = () => ({
    pool,
    keyring,
    publicUrl: parts.publicUrl(),
    log,
    hashPassword: parts.hashPassword,
    onFailure: (error: Error) => void failing.getStore()?.push(error),
    useCode: (personId: string, code: string) => useCode(parts, personId, code),
    now: () => clock.now(),
    isPasskeyKnown: (credentialId: string) =>
      database.read((handle) => factorStore.isPasskeyKnown(handle, credentialId)),
    acceptPasskey: (credentialId: string, personId: string | null, request: Request | undefined) =>
      database.write((handle) =>
        acceptPasskey(
          handle,
          credentialId,
          personId === null ? null : { personId, address: addressIn(request) },
        ),
      ),
  });

  return {
    auth: async () => (await library()).auth,
    session: async (headers) => {
      const { auth } = await library();
      return asking(() => auth.api.getSession({ headers }));
    },
    async openSession(personId, headers) {
      const { auth } = await library();
      const asked = { body: { personId }, headers, returnHeaders: true } as const;
      const opened = await asking(() => auth.api.openConfirmedSession(asked));
      return { ...opened.response, cookies: opened.headers.getSetCookie() };
    },
    async isRight(check) {
      const { auth, isRefusal } = await library();
      try {
        await asking(() => check(auth));
        return true;
      } catch (error) {
        if (isRefusal(error)) return false;
        throw error;
      }
    },
    close: () => pool.end(),
  };
}

/** What the library met while it was asked. */
const failing = new AsyncLocalStorage<Error[]>();

/** With the library's own error where it met none. @throws Failure service_unavailable */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  const met: Error[] = [];
  try {
    return await failing.run(met, ask);
  } catch (error) {
    throw translate(met.at(-1) ?? error);
  }
}
