/** Users, and sessions that end after half a minute of the world's clock. */
import { createHmac } from 'node:crypto';
import type { Call } from '../http.ts';
import { done, refused } from './envelope.ts';

export interface Sessions {
  logIn(call: Call): ReturnType<typeof done>;
  /** Throws the carrier's refusal unless the session is alive. */
  admit(session: string | undefined): void;
  credentials(): { username: string; token: string };
  /** Every session opened so far is over. */
  expire(): void;
  /** The carrier gave the customer another token: the former one opens nothing more. */
  revoke(): void;
}

interface SessionOptions {
  readonly seed: string;
  readonly username: string;
  readonly seconds: number;
  now(): number;
}

interface Security {
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
}

export function openSessions({ seed, username, seconds, now }: SessionOptions): Sessions {
  let serial = 0;
  let expiredThrough = 0;
  let generation = 0;
  const sign = (text: string) => createHmac('sha256', seed).update(text).digest('base64url');
  const token = () => `PX${sign(`token ${generation}`).slice(0, 30)}`;

  function logIn(call: Call) {
    const { user, password = '' } = securityOf(call);
    if (user !== username || Buffer.from(password, 'base64').toString() !== token())
      throw refused('401', 'Error: Combinacion de usuario y contraseña incorrecta');
    serial += 1;
    const head = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
    // Recent accounts get none that reports when it ends.
    const claims = Buffer.from(JSON.stringify({ sub: user, iat: now(), jti: serial })).toString(
      'base64url',
    );
    return done({ token: `${head}.${claims}.${sign(`${head}.${claims}`)}` });
  }

  function admit(session = ''): void {
    const [head = '', claims = '', signature] = session.split('.');
    if (signature !== sign(`${head}.${claims}`)) throw refused('500', 'Token invalido');
    const { iat, jti } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const end = iat + seconds * 1_000;
    if (end <= now() || jti <= expiredThrough)
      throw refused('500', `The Token has expired on ${new Date(end).toUTCString()}.`);
  }

  return {
    logIn,
    admit,
    credentials: () => ({ username, token: token() }),
    expire: () => {
      expiredThrough = serial;
    },
    revoke: () => {
      generation += 1;
      expiredThrough = serial;
    },
  };
}

export function securityOf(call: Call): Security {
  const { header } = call.json() as { header?: { security?: Security } };
  return header?.security ?? {};
}

/** The request, inside the envelope. */
export function dataOf<T>(call: Call): T {
  const { body } = call.json() as { body?: { request?: { data?: T } } };
  return body?.request?.data as T;
}
