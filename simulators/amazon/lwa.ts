/** Login with Amazon: consent, tokens, and who they belong to. */
import { type Call, Refusal, type Reply, type Routes } from '../http.ts';
import { createSigner } from '../signer.ts';
import { refusalReply, type Switches } from './shop.ts';

export interface Application {
  /** For the page of consent; not the client id. */
  readonly appId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  redirectUri: string;
}

export interface Credentials {
  readonly selling_partner_id: string;
  readonly refresh_token: string;
  readonly client_id: string;
  readonly client_secret: string;
}

interface Lwa {
  readonly routes: Routes;
  /** Throws the documented refusal unless the token is alive. */
  identify(call: Call): void;
  credentials(): Credentials;
  expire(): void;
  revoke(): void;
}

interface Options {
  seed: string;
  now: () => number;
  application: Application;
  sellerId: string;
  switches: Switches;
  tokenSeconds: number;
}

const CODE_LIFE = 300_000;

export const EXPIRED = denied('The access token you provided has expired.');

export function createLwa(options: Options): Lwa {
  const { application, sellerId, tokenSeconds } = options;
  const tokens = openTokens(options);
  const consent = openConsent(options, tokens.code);

  const grants: Record<string, (form: URLSearchParams) => Reply> = {
    authorization_code: (form) => {
      if (!consent.takes(form))
        return lwaError('invalid_grant', 'The request has an invalid grant parameter : code');
      tokens.revive();
      return tokens.pair();
    },
    refresh_token: (form) => {
      if (!tokens.takesRefresh(form.get('refresh_token')))
        return lwaError(
          'invalid_grant',
          'The request has an invalid grant parameter : refresh_token',
        );
      return tokens.pair();
    },
    client_credentials: (form) =>
      form.get('scope') === 'sellingpartnerapi::notifications'
        ? {
            body: { access_token: tokens.access(), token_type: 'bearer', expires_in: tokenSeconds },
          }
        : lwaError('invalid_scope', 'The request has an invalid scope parameter'),
  };

  function token(call: Call): Reply {
    if (!call.headers['content-type']?.includes('application/x-www-form-urlencoded'))
      return lwaError('invalid_request', 'The Content-Type is not a form');
    const form = call.form();
    const isKnown =
      form.get('client_id') === application.clientId &&
      form.get('client_secret') === application.clientSecret;
    if (!isKnown) return lwaError('invalid_client', 'Client authentication failed', 401);
    const grant = grants[form.get('grant_type') ?? ''];
    return grant
      ? grant(form)
      : lwaError('unsupported_grant_type', 'The grant type is not supported');
  }

  return {
    routes: { 'GET /apps/authorize/consent': consent.page, 'POST /auth/o2/token': token },
    identify: tokens.identify,
    credentials: () => {
      tokens.revive();
      return {
        selling_partner_id: sellerId,
        refresh_token: tokens.refresh(),
        client_id: application.clientId,
        client_secret: application.clientSecret,
      };
    },
    expire: tokens.expire,
    revoke: tokens.revoke,
  };
}

/** The page of consent, and the codes that it gave out. */
function openConsent({ now, application, sellerId, switches }: Options, newCode: () => string) {
  const codes = new Map<string, number>();

  function page({ query }: Call): Reply {
    if (query.get('application_id') !== application.appId)
      return { status: 400, headers: { 'content-type': 'text/html' }, body: '<h1>MD1000</h1>' };
    const back = new URL(application.redirectUri);
    back.searchParams.set('state', query.get('state') ?? '');
    if (switches.consent === 'refuse') back.searchParams.set('error', 'access_denied');
    else {
      const code = newCode();
      codes.set(code, now() + CODE_LIFE);
      back.searchParams.set('spapi_oauth_code', code);
      back.searchParams.set('selling_partner_id', sellerId);
    }
    return { status: 302, headers: { location: back.href } };
  }

  function takes(form: URLSearchParams): boolean {
    const code = form.get('code') ?? '';
    const until = codes.get(code) ?? 0;
    // Single use, also when the rest is wrong.
    codes.delete(code);
    return until > now() && form.get('redirect_uri') === application.redirectUri;
  }

  return { page, takes };
}

function openTokens({ seed, now, application, sellerId, tokenSeconds }: Options) {
  let isRevoked = false;
  let expiredThrough = 0;
  let count = 0;

  const sign = createSigner(seed, application.clientSecret, 32);

  /** It does not rotate. */
  const refreshToken = () => `Atzr|${sign('refresh', sellerId)}`;

  function accessToken(): string {
    count += 1;
    const body = `${now() + tokenSeconds * 1_000}.${count}`;
    return `Atza|${body}.${sign('access', body, sellerId)}`;
  }

  function identify({ headers }: Call): void {
    const token = headers['x-amz-access-token'];
    if (!token) throw new Refusal(denied('Access token is missing in the request header.'));
    const [, body = '', signature] = /^Atza\|(\d+\.\d+)\.([0-9a-f]+)$/.exec(token) ?? [];
    const [until, serial] = body.split('.').map(Number);
    if (isRevoked || signature !== sign('access', body, sellerId))
      throw new Refusal(denied('The access token you provided is revoked, malformed or invalid.'));
    if (Number(until) <= now() || Number(serial) <= expiredThrough) throw new Refusal(EXPIRED);
  }

  function code(): string {
    count += 1;
    return `AN${sign('code', count, now()).slice(0, 18)}`;
  }

  function pair(): Reply {
    return {
      body: {
        access_token: accessToken(),
        refresh_token: refreshToken(),
        token_type: 'bearer',
        expires_in: tokenSeconds,
      },
    };
  }

  return {
    code,
    access: accessToken,
    refresh: refreshToken,
    takesRefresh: (given: string | null) => !isRevoked && given === refreshToken(),
    identify,
    pair,
    expire: () => {
      expiredThrough = count;
    },
    revoke: () => {
      isRevoked = true;
    },
    revive: () => {
      isRevoked = false;
    },
  };
}

/** A dead token is 403 here, as a missing role is. */
function denied(details: string): Reply {
  return refusalReply(403, 'Unauthorized', 'Access to requested resource is denied.', details);
}

function lwaError(error: string, error_description: string, status = 400): Reply {
  return { status, body: { error, error_description } };
}
