import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import { Failure, fail } from '../../platform/failure.ts';
import { sha256 } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { derive, type Keyring, sameSecret } from '../../platform/seal.ts';
import { normalEmail } from './email.ts';
import * as failureStore from './store-sign-in-failures.ts';

// Wrong passwords are counted by account. A browser that has signed in there
// before has a count of its own: strangers can close the account to other strangers, never to its
// owner.

export interface SignInAttempts {
  /** Counts an attempt before it is made. @throws Failure too_many_requests */
  begin(email: string, device: string | null): Promise<void>;
  /** Records that the attempt succeeded. */
  succeeded(email: string, device: string | null): Promise<void>;
  /** Resets the account's count, once its owner is proved. */
  forgive(handle: WriteHandle, email: string): Promise<void>;
  /** Counts an event that is limited per sender or recipient. @throws Failure too_many_requests */
  count(
    what: 'sign-up' | 'recovery' | 'password' | 'code' | 'invitation',
    subject: string,
  ): Promise<void>;
  /**
   * Counts a requested mail to an address; any stranger may request it.
   * @returns false when the address got enough of them
   */
  mayMail(email: string): Promise<boolean>;
  /** Whether the browser has signed in at this account before. */
  isKnown(email: string, device: string | null): boolean;
  /** The value of the cookie of a browser that signed in. */
  deviceOf(email: string): string;
}

const WINDOW_MINUTES = 15;
const MOST_FAILURES = 10;
/**
 * Limits: sign-ups and forgotten passwords of an address, mails to one, passwords and codes
 * required inside a session, invitations by a person.
 */
const MOST = {
  'sign-up': 20,
  recovery: 20,
  mail: 5,
  password: 10,
  code: 10,
  invitation: 20,
} as const;
const FORGOT =
  'Demasiados intentos. Espera unos minutos, o elige otra contraseña con «Olvidé mi contraseña».';
const WAIT = 'Demasiadas veces en poco tiempo. Espera unos minutos.';

export function openSignInAttempts(
  database: Database,
  clock: Clock,
  keyring: Keyring,
  log: Log,
): SignInAttempts {
  const keyOf = (email: string, device: string | null) => {
    const account = normalEmail(email);
    return isDevice(keyring, account, device)
      ? `device:${sha256(`${account} ${device}`)}`
      : `account:${sha256(account)}`;
  };
  const count = async (key: string, most: number, message: string) => {
    const at = clock.now();
    const notBefore = at.subtract({ minutes: WINDOW_MINUTES });
    const { count: made, since } = await database.write((handle) =>
      failureStore.countFailure(handle, { key, at, notBefore }),
    );
    if (made <= most) return;
    log.warn({ counted: key.split(':', 1)[0], count: made }, 'attempts refused');
    const left = since.add({ minutes: WINDOW_MINUTES }).since(at).total('seconds');
    throw fail('too_many_requests', {
      message,
      headers: { 'retry-after': String(Math.max(1, Math.ceil(left))) },
    });
  };
  return {
    begin: (email, device) => count(keyOf(email, device), MOST_FAILURES, FORGOT),
    async succeeded(email, device) {
      await database.write((handle) => failureStore.forgetFailures(handle, keyOf(email, device)));
    },
    forgive: (handle, email) => failureStore.forgetFailures(handle, keyOf(email, null)),
    count: (what, subject) =>
      count(`${what}:${sha256(subject)}`, MOST[what], what === 'password' ? FORGOT : WAIT),
    mayMail: (email) =>
      count(`mail:${sha256(normalEmail(email))}`, MOST.mail, WAIT).then(
        () => true,
        (error) => {
          if (error instanceof Failure && error.code === 'too_many_requests') return false;
          throw error;
        },
      ),
    isKnown: (email, device) => isDevice(keyring, normalEmail(email), device),
    deviceOf(email) {
      const nonce = randomBytes(16).toString('base64url');
      return `${nonce}.${signature(keyring.current, normalEmail(email), nonce)}`;
    },
  };
}

function isDevice({ current, previous }: Keyring, account: string, device: string | null): boolean {
  const [nonce = '', given = ''] = (device ?? '').split('.');
  return [current, previous].some(
    (master) =>
      master !== null && given !== '' && sameSecret(signature(master, account, nonce), given),
  );
}

function signature(master: Buffer, account: string, nonce: string): string {
  return createHmac('sha256', derive(master, 'device'))
    .update(`${account} ${nonce}`)
    .digest('base64url');
}
