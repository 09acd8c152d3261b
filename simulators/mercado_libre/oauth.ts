/** The page of consent, and the exchange of codes and refresh tokens for new tokens. */
import { createHash } from 'node:crypto';
import type { Call, Reply, Routes } from '../http.ts';
import type { Seller, Switches } from './shop.ts';
import { type Application, type Credentials, openTokens, type TokenOptions } from './tokens.ts';

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

interface Options extends TokenOptions {
  switches: Switches;
}

interface Code {
  readonly user: number;
  readonly challenge: string | null;
  readonly until: number;
}

const CODE_LIFE = 600_000;

export function createOAuth({ switches, ...options }: Options): OAuth {
  const { now, application } = options;
  const codes = new Map<string, Code>();
  const tokens = openTokens(options);

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
      return { body: tokens.pair(code.user) };
    },
    refresh_token: (form) => {
      const pair = tokens.refresh(form.get('refresh_token') ?? '');
      return pair ? { body: pair } : invalidGrant();
    },
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
