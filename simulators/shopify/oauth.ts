/** The store's page of consent, tokens that end within the hour, and those of old that do not. */
import { createHmac } from 'node:crypto';
import { type Call, Refusal, type Reply, type Routes } from '../http.ts';
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

export function createOAuth(
  store: Store,
  seed: string,
  application: Application,
  tokenSeconds: number,
) {
  const { now, shop } = store;
  const codes = new Set<string>();
  const tokens = openTokens(store, seed, application, tokenSeconds);

  const grants: Record<string, (form: URLSearchParams) => Reply> = {
    authorization_code: (form) => {
      const code = form.get('code') ?? '';
      if (!codes.delete(code))
        return refused(
          'invalid_request',
          'The authorization code was not found or was already used',
        );
      if (form.get('expiring') === '1') return tokens.pair();
      return {
        body: { access_token: tokens.access(null), scope: [...store.switches.scopes].join(',') },
      };
    },
    refresh_token: (form) => tokens.refresh(form.get('refresh_token') ?? ''),
    client_credentials: () => ({
      body: {
        access_token: tokens.access(86_399),
        scope: [...store.switches.scopes].join(','),
        expires_in: 86_399,
      },
    }),
  };

  function token(call: Call): Reply {
    const form = call.form();
    const isOurs =
      form.get('client_id') === application.clientId &&
      form.get('client_secret') === application.clientSecret;
    if (!isOurs) return refused('invalid_client', 'Client authentication failed');
    return (
      grants[form.get('grant_type') ?? 'authorization_code'] ??
      (() => refused('unsupported_grant_type', ''))
    )(form);
  }

  /** The browser comes back with a code and a signature over everything else. */
  function authorize({ query }: Call): Reply {
    if (
      query.get('client_id') !== application.clientId ||
      query.get('redirect_uri') !== application.redirectUri
    )
      return {
        status: 400,
        headers: { 'content-type': 'text/html' },
        body: '<h1>Oauth error invalid_request</h1>',
      };
    const back = new URL(application.redirectUri);
    if (store.switches.refusesConsent) {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('state', query.get('state') ?? '');
      return { status: 302, headers: { location: back.href } };
    }
    const code = tokens.code();
    codes.add(code);
    const answer = signed(
      { code, shop, state: query.get('state') ?? '', at: now() },
      application.clientSecret,
    );
    for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value);
    return { status: 302, headers: { location: back.href } };
  }

  return {
    routes: {
      'GET /admin/oauth/authorize': authorize,
      'POST /admin/oauth/access_token': token,
    } satisfies Routes,
    caller: tokens.caller,
    credentials: tokens.credentials,
    expire: tokens.expire,
    revoke: tokens.revoke,
  };
}

interface Consent {
  readonly code: string;
  readonly shop: string;
  readonly state: string;
  readonly at: number;
}

/** What the browser brings back, with a signature over all of it. */
function signed({ code, shop, state, at }: Consent, secret: string): Record<string, string> {
  const answer = {
    code,
    host: Buffer.from(`admin.shopify.com/store/${shop.split('.')[0]}`).toString('base64'),
    shop,
    state,
    timestamp: String(Math.floor(at / 1_000)),
  };
  const text = Object.entries(answer)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return { ...answer, hmac: createHmac('sha256', secret).update(text).digest('hex') };
}

/**
 * Tokens carry what they mean and a signature, so that credentials outlive a restart of the
 * simulator.
 */
function openTokens(
  { now, shop, switches }: Store,
  seed: string,
  application: Application,
  tokenSeconds: number,
) {
  let count = 0;
  let expiredThrough = 0;
  let deadThrough = -1;
  /** A refresh token works until the one that it brought was used. */
  let usedThrough = 0;
  let generation = 0;
  const sign = (...parts: (string | number)[]) =>
    createHmac('sha256', `${seed}/${application.clientSecret}`)
      .update(parts.join('-'))
      .digest('hex')
      .slice(0, 16);

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

  function refreshToken(): string {
    generation += 1;
    return `shprt_${generation}_${sign('refresh', generation)}`;
  }

  function credentials({
    kind = 'expiring',
  }: {
    kind?: 'expiring' | 'old' | 'own';
  } = {}): Credentials {
    const client = { client_id: application.clientId, client_secret: application.clientSecret };
    if (kind === 'old') return { shop, access_token: accessToken(null) };
    if (kind === 'own') return { shop, access_token: accessToken(tokenSeconds), ...client };
    const refresh_token = refreshToken();
    usedThrough = generation;
    return { shop, access_token: accessToken(tokenSeconds), refresh_token, ...client };
  }

  function refresh(token: string): Reply {
    const [, number, signature] = /^shprt_(\d+)_([0-9a-f]+)$/.exec(token) ?? [];
    const isGood = signature === sign('refresh', number ?? '') && Number(number) >= usedThrough;
    if (!isGood)
      return refused('invalid_grant', 'The refresh token is invalid or was already used');
    usedThrough = Number(number);
    generation = Math.max(generation, usedThrough);
    return pair();
  }

  function pair(): Reply {
    return {
      body: {
        access_token: accessToken(tokenSeconds),
        expires_in: tokenSeconds,
        refresh_token: refreshToken(),
        refresh_token_expires_in: REFRESH_TOKEN_SECONDS,
        scope: [...switches.scopes].join(','),
      },
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
    refresh,
    pair,
    expire: () => {
      expiredThrough = count;
    },
    /** The application was uninstalled. */
    revoke: () => {
      deadThrough = count;
      usedThrough = generation + 1;
    },
  };
}

function refused(error: string, error_description: string): Reply {
  return { status: 400, body: { error, error_description } };
}
