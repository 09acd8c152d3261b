/** The store's page of consent, and the exchange of codes and refresh tokens for new tokens. */
import { createHmac } from 'node:crypto';
import type { Call, Reply, Routes } from '../http.ts';
import type { Store } from './store.ts';
import { type Application, openTokens } from './tokens.ts';

export function createOAuth(
  store: Store,
  seed: string,
  application: Application,
  tokenSeconds: number,
) {
  const tokens = openTokens(store, seed, application, tokenSeconds);
  const consent = openConsent(store, application, tokens.code);

  const grants: Record<string, (form: URLSearchParams) => Reply> = {
    authorization_code: (form) => {
      if (!consent.takes(form.get('code') ?? ''))
        return refused(
          'invalid_request',
          'The authorization code was not found or was already used',
        );
      if (form.get('expiring') === '1') return { body: tokens.pair() };
      return {
        body: { access_token: tokens.access(null), scope: [...store.switches.scopes].join(',') },
      };
    },
    refresh_token: (form) => {
      const pair = tokens.refresh(form.get('refresh_token') ?? '');
      if (pair) return { body: pair };
      return refused('invalid_grant', 'The refresh token is invalid or was already used');
    },
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

  return {
    routes: {
      'GET /admin/oauth/authorize': consent.page,
      'POST /admin/oauth/access_token': token,
    } satisfies Routes,
    caller: tokens.caller,
    credentials: tokens.credentials,
    expire: tokens.expire,
    revoke: tokens.revoke,
  };
}

/** The page of consent, and the codes that it gave out. */
function openConsent(
  { now, shop, switches }: Store,
  application: Application,
  newCode: () => string,
) {
  const codes = new Set<string>();

  /** The browser comes back with a code and a signature over everything else. */
  function page({ query }: Call): Reply {
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
    if (switches.refusesConsent) {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('state', query.get('state') ?? '');
      return { status: 302, headers: { location: back.href } };
    }
    const code = newCode();
    codes.add(code);
    const answer = signed(
      { code, shop, state: query.get('state') ?? '', at: now() },
      application.clientSecret,
    );
    for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value);
    return { status: 302, headers: { location: back.href } };
  }

  return { page, takes: (code: string) => codes.delete(code) };
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

function refused(error: string, error_description: string): Reply {
  return { status: 400, body: { error, error_description } };
}
