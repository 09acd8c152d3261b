/** Consent, tokens, and who they belong to. */
import { createHash, createHmac } from 'node:crypto';
import { type Call, Refusal, type Reply, type Routes } from '../http.ts';
import { refusalReply, type Seller, type Switches } from './shop.ts';

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

interface OAuth {
  readonly routes: Routes;
  caller(call: Call): Seller;
  /** A pair that works now. */
  credentials(userId: number): Credentials;
  /** Every access token given out so far is too old from now on; refreshing still works. */
  expire(userId: number): void;
  /** The seller took the permission back: nothing works until they consent again. */
  revoke(userId: number): void;
}

interface Options {
  seed: string;
  now: () => number;
  application: Application;
  sellers: readonly Seller[];
  switches: Switches;
  tokenSeconds: number;
}

interface Code {
  readonly user: number;
  readonly challenge: string | null;
  readonly until: number;
}

export const INVALID_TOKEN = refusalReply(401, 'not_found', 'invalid_token');

const CODE_LIFE = 600_000;

export function createOAuth({
  seed,
  now,
  application,
  sellers,
  switches,
  tokenSeconds,
}: Options): OAuth {
  const codes = new Map<string, Code>();
  const tokens = openTokens({ seed, now, application, sellers, tokenSeconds });

  function consent({ query }: Call): Reply {
    const back = (answer: Record<string, string>) =>
      redirect(application.redirectUri, answer, query.get('state'));
    const refusal = refusalOf(query, application);
    if (refusal) return page(refusal);
    const challenge = query.get('code_challenge');
    const error = errorOf(query, challenge, switches);
    if (error) return back(error);
    const user = Number(query.get('simulate_user') ?? switches.consentAs);
    const code = tokens.code(user);
    codes.set(code, { user, challenge, until: now() + CODE_LIFE });
    return back({ code });
  }

  const grants: Record<string, (form: URLSearchParams) => Reply> = {
    authorization_code: (form) => {
      const code = codes.get(form.get('code') ?? '');
      // Single use, also when the rest is wrong.
      codes.delete(form.get('code') ?? '');
      if (!code || code.until <= now() || form.get('redirect_uri') !== application.redirectUri)
        return invalidGrant();
      if (code.challenge && !form.get('code_verifier'))
        return tokenError('invalid_request', 'code_verifier is required');
      if (code.challenge && s256(form.get('code_verifier') ?? '') !== code.challenge)
        return invalidGrant();
      tokens.revive(code.user);
      return tokens.pair(code.user);
    },
    refresh_token: (form) => tokens.refresh(form.get('refresh_token') ?? ''),
  };

  function token(call: Call): Reply {
    // Parameters go in the body, as a form.
    if (!call.headers['content-type']?.includes('application/x-www-form-urlencoded')) {
      return tokenError('invalid_request', 'The parameters must be sent in the body as a form');
    }
    const form = call.form();
    const known =
      form.get('client_id') === application.clientId &&
      form.get('client_secret') === application.clientSecret;
    if (!known) return tokenError('invalid_client', 'Invalid client_id or client_secret');
    const grant = grants[form.get('grant_type') ?? ''];
    return grant ? grant(form) : tokenError('unsupported_grant_type', 'Unsupported grant_type');
  }

  return {
    routes: { 'GET /authorization': consent, 'POST /oauth/token': token },
    caller: tokens.caller,
    credentials: tokens.credentials,
    expire: tokens.expire,
    revoke: tokens.revoke,
  };
}

/** What the page says where the request is none of the application's, or null. */
function refusalOf(query: URLSearchParams, application: Application): string | null {
  if (query.get('response_type') !== 'code') return 'response_type debe ser "code"';
  if (query.get('client_id') !== application.clientId) return 'La aplicación no existe';
  if (query.get('redirect_uri') === application.redirectUri) return null;
  return 'La redirect_uri no coincide con la registrada en la aplicación';
}

/** With what the browser comes back instead of a code. */
function errorOf(
  query: URLSearchParams,
  challenge: string | null,
  { consent, requirePkce }: Switches,
): Record<string, string> | null {
  const what = query.get('simulate_consent') ?? consent;
  if (what === 'refuse')
    return { error: 'access_denied', error_description: 'The user denied access' };
  if (what === 'operator') return { error: 'invalid_operator_user_id' };
  const isMissing = challenge ? query.get('code_challenge_method') !== 'S256' : requirePkce;
  return isMissing
    ? { error: 'invalid_request', error_description: 'code_challenge with S256 is required' }
    : null;
}

/**
 * Tokens carry what they mean and a signature, so that credentials stored by a demo outlive a
 * restart of the simulator. Only the newest generation of a seller's refresh tokens is taken.
 */
function openTokens({ seed, now, application, sellers, tokenSeconds }: Omit<Options, 'switches'>) {
  const generations = new Map<number, number>();
  const revoked = new Set<number>();
  const expiredThrough = new Map<number, number>();
  let count = 0;

  const sign = (...parts: (string | number)[]) =>
    createHmac('sha256', `${seed}/${application.clientSecret}`)
      .update(parts.join('-'))
      .digest('hex')
      .slice(0, 24);

  function accessToken(user: number): string {
    count += 1;
    const body = `${now() + tokenSeconds * 1_000}.${count}`;
    return `APP_USR-${application.clientId}-${body}-${sign('access', body, user)}-${user}`;
  }

  function refreshToken(user: number): string {
    const generation = generations.get(user) ?? 0;
    return `TG-${sign('refresh', generation, user)}${generation.toString(16).padStart(6, '0')}-${user}`;
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
      refresh_token: refreshToken(user),
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

  function refresh(token: string): Reply {
    const [, signature, generation = '', id] =
      /^TG-([0-9a-f]{24})([0-9a-f]{6})-(\d+)$/.exec(token) ?? [];
    const user = Number(id);
    const number = Number.parseInt(generation, 16);
    const newest =
      number >= (generations.get(user) ?? 0) && signature === sign('refresh', number, user);
    if (!newest || revoked.has(user)) return invalidGrant();
    generations.set(user, number);
    return pair(user);
  }

  function pair(user: number): Reply {
    generations.set(user, (generations.get(user) ?? 0) + 1);
    return {
      body: {
        access_token: accessToken(user),
        token_type: 'bearer',
        expires_in: tokenSeconds,
        scope: 'offline_access read write',
        user_id: user,
        refresh_token: refreshToken(user),
      },
    };
  }

  return {
    code,
    credentials,
    caller,
    refresh,
    pair,
    expire: (user: number) => void expiredThrough.set(user, count),
    revoke: (user: number) => void revoked.add(user),
    revive: (user: number) => void revoked.delete(user),
  };
}

function invalidGrant(): Reply {
  return tokenError(
    'invalid_grant',
    'Error validating grant. Your authorization code or refresh token may be expired or it was already used',
  );
}

function tokenError(error: string, description: string): Reply {
  return { status: 400, body: { error_description: description, error, status: 400, cause: [] } };
}

function s256(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

function redirect(to: string, answer: Record<string, string>, state: string | null): Reply {
  const url = new URL(to);
  for (const [name, value] of Object.entries({ ...answer, ...(state !== null && { state }) })) {
    url.searchParams.set(name, value);
  }
  return { status: 302, headers: { location: url.href } };
}

function page(text: string): Reply {
  return {
    status: 400,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<h1>${text}</h1>`,
  };
}
