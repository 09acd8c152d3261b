/** Tokens that end within the hour, and those of old that do not. */
import { type Call, Refusal, type Reply } from '../http.ts';
import { createSigner, type Sign } from '../signer.ts';
import type { Store } from './store.ts';

export interface Application {
  readonly clientId: string;
  readonly clientSecret: string;
  redirectUri: string;
}

export interface Credentials {
  readonly shop: string;
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
}

export const INVALID_TOKEN: Reply = {
  status: 401,
  body: { errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' },
};

const REFRESH_TOKEN_SECONDS = 90 * 86_400;

export function openTokens(
  { now, shop, switches }: Store,
  seed: string,
  application: Application,
  tokenSeconds: number,
) {
  let count = 0;
  let expiredThrough = 0;
  let deadThrough = -1;
  const sign = createSigner(seed, application.clientSecret, 16);
  const refreshTokens = openRefreshTokens(sign);

  function accessToken(lifeSeconds: number | null): string {
    count += 1;
    const until = lifeSeconds === null ? 0 : now() + lifeSeconds * 1_000;
    return `shpat_${until}_${count}_${sign('access', until, count)}`;
  }

  function caller({ headers }: Call): void {
    const [, until, serial, signature] =
      /^shpat_(\d+)_(\d+)_([0-9a-f]+)$/.exec(headers['x-shopify-access-token'] ?? '') ?? [];
    const isAlive =
      signature === sign('access', until ?? '', serial ?? '') &&
      (until === '0' || Number(until) > now()) &&
      Number(serial) > (until === '0' ? deadThrough : Math.max(expiredThrough, deadThrough));
    if (!isAlive) throw new Refusal(INVALID_TOKEN);
  }

  function credentials({
    kind = 'expiring',
  }: {
    kind?: 'expiring' | 'old' | 'own';
  } = {}): Credentials {
    const client = { client_id: application.clientId, client_secret: application.clientSecret };
    if (kind === 'old') return { shop, access_token: accessToken(null) };
    if (kind === 'own') return { shop, access_token: accessToken(tokenSeconds), ...client };
    const refresh_token = refreshTokens.only();
    return { shop, access_token: accessToken(tokenSeconds), refresh_token, ...client };
  }

  function pair() {
    return {
      access_token: accessToken(tokenSeconds),
      expires_in: tokenSeconds,
      refresh_token: refreshTokens.next(),
      refresh_token_expires_in: REFRESH_TOKEN_SECONDS,
      scope: [...switches.scopes].join(','),
    };
  }

  function code(): string {
    count += 1;
    return sign('code', count, now());
  }

  return {
    access: accessToken,
    code,
    caller,
    credentials,
    /** A new pair for a refresh token; null where it is not taken. */
    refresh: (token: string) => (refreshTokens.takes(token) ? pair() : null),
    pair,
    expire: () => {
      expiredThrough = count;
    },
    /** The application was uninstalled. */
    revoke: () => {
      deadThrough = count;
      refreshTokens.revoke();
    },
  };
}

/** A refresh token works until the one that it brought was used. */
function openRefreshTokens(sign: Sign) {
  let usedThrough = 0;
  let generation = 0;

  function next(): string {
    generation += 1;
    return `shprt_${generation}_${sign('refresh', generation)}`;
  }

  return {
    next,
    /** The former ones end here. */
    only(): string {
      const token = next();
      usedThrough = generation;
      return token;
    },
    takes(token: string): boolean {
      const [, number, signature] = /^shprt_(\d+)_([0-9a-f]+)$/.exec(token) ?? [];
      if (signature !== sign('refresh', number ?? '') || Number(number) < usedThrough) return false;
      usedThrough = Number(number);
      generation = Math.max(generation, usedThrough);
      return true;
    },
    revoke(): void {
      usedThrough = generation + 1;
    },
  };
}
