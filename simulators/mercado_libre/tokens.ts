/** Tokens, and the sellers that they belong to. */
import { type Call, Refusal } from '../http.ts';
import { createSigner, type Sign } from '../signer.ts';
import { refusalReply, type Seller } from './shop.ts';

export interface Application {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Must come back exactly so. */
  redirectUri: string;
}

export interface Credentials {
  readonly user_id: number;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly client_id: string;
  readonly client_secret: string;
}

export interface TokenOptions {
  readonly seed: string;
  readonly now: () => number;
  readonly application: Application;
  readonly sellers: readonly Seller[];
  readonly tokenSeconds: number;
}

export const INVALID_TOKEN = refusalReply(401, 'not_found', 'invalid_token');

export function openTokens({ seed, now, application, sellers, tokenSeconds }: TokenOptions) {
  const revoked = new Set<number>();
  const expiredThrough = new Map<number, number>();
  let count = 0;
  const sign = createSigner(seed, application.clientSecret, 24);
  const refreshTokens = openRefreshTokens(sign, revoked);

  function accessToken(user: number): string {
    count += 1;
    const body = `${now() + tokenSeconds * 1_000}.${count}`;
    return `APP_USR-${application.clientId}-${body}-${sign('access', body, user)}-${user}`;
  }

  function code(user: number): string {
    count += 1;
    return `TG-${sign('code', count, now())}-${user}`;
  }

  function credentials(user: number): Credentials {
    revoked.delete(user);
    return {
      user_id: user,
      access_token: accessToken(user),
      refresh_token: refreshTokens.newest(user),
      client_id: application.clientId,
      client_secret: application.clientSecret,
    };
  }

  function caller({ headers }: Call): Seller {
    // The token in the query string is no longer accepted.
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const [, body = '', signature, user] =
      /^APP_USR-\d+-([\d.]+)-([0-9a-f]+)-(\d+)$/.exec(token) ?? [];
    const seller = sellers.find(({ id }) => id === Number(user));
    const [until, serial] = body.split('.').map(Number);
    const alive =
      seller &&
      signature === sign('access', body, seller.id) &&
      Number(until) > now() &&
      Number(serial) > (expiredThrough.get(seller.id) ?? 0) &&
      !revoked.has(seller.id);
    if (!alive) throw new Refusal(INVALID_TOKEN);
    return seller;
  }

  function pair(user: number) {
    return {
      access_token: accessToken(user),
      token_type: 'bearer',
      expires_in: tokenSeconds,
      scope: 'offline_access read write',
      user_id: user,
      refresh_token: refreshTokens.next(user),
    };
  }

  return {
    code,
    credentials,
    caller,
    pair,
    /** A new pair for a refresh token; null where it is not taken. */
    refresh(token: string) {
      const user = refreshTokens.take(token);
      return user === null ? null : pair(user);
    },
    expire: (user: number) => void expiredThrough.set(user, count),
    revoke: (user: number) => void revoked.add(user),
    revive: (user: number) => void revoked.delete(user),
  };
}

/** Only the newest generation of a seller's refresh tokens is taken. */
function openRefreshTokens(sign: Sign, revoked: ReadonlySet<number>) {
  const generations = new Map<number, number>();

  function newest(user: number): string {
    const generation = generations.get(user) ?? 0;
    return `TG-${sign('refresh', generation, user)}${generation.toString(16).padStart(6, '0')}-${user}`;
  }

  return {
    newest,
    next(user: number): string {
      generations.set(user, (generations.get(user) ?? 0) + 1);
      return newest(user);
    },
    /** @returns the seller whose token it is; null where it is not taken */
    take(token: string): number | null {
      const [, signature, generation = '', id] =
        /^TG-([0-9a-f]{24})([0-9a-f]{6})-(\d+)$/.exec(token) ?? [];
      const user = Number(id);
      const number = Number.parseInt(generation, 16);
      const isNewest =
        number >= (generations.get(user) ?? 0) && signature === sign('refresh', number, user);
      if (!isNewest || revoked.has(user)) return null;
      generations.set(user, number);
      return user;
    },
  };
}
