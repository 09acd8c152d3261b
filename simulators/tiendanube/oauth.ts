/** Consent, and the one token that a store's consent is good for. */
import { createHash } from 'node:crypto';
import type { Call, Reply, Routes } from '../http.ts';
import { refuse } from './shop.ts';

export interface Application {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Registered with the application; it is not sent. */
  redirectUri: string;
}

export interface OAuth {
  readonly routes: Routes;
  /** The one that works now. */
  token(): string;
  isAlive(token: string): boolean;
  /** The store uninstalled the application: nothing works until a new token is had. */
  revoke(): void;
}

const CODE_LIFE = 30_000;

export function createOAuth(given: {
  seed: string;
  now: () => number;
  application: Application;
  storeId: number;
}): OAuth {
  const { seed, now, application, storeId } = given;
  const codes = new Map<string, number>();
  let generation = 1;
  let isRevoked = false;
  const nameOf = (...parts: (string | number)[]) =>
    createHash('sha1')
      .update([seed, storeId, ...parts].join('/'))
      .digest('hex');

  function consent({ params, query }: Call): Reply {
    if (params.app !== application.clientId)
      return { status: 404, body: '<h1>La aplicación no existe</h1>' };
    const code = nameOf('code', codes.size);
    codes.set(code, now() + CODE_LIFE);
    const back = new URL(application.redirectUri);
    back.searchParams.set('code', code);
    const state = query.get('state');
    if (state !== null) back.searchParams.set('state', state);
    return { status: 302, headers: { location: back.href } };
  }

  function exchange(call: Call): Reply {
    if (!call.headers['content-type']?.includes('application/json'))
      throw refuse(415, { error: 'Content-Type must be application/json' });
    const asked = call.json() as Record<string, string>;
    const until = codes.get(asked.code ?? '') ?? 0;
    codes.delete(asked.code ?? '');
    const isKnown =
      asked.client_id === application.clientId && asked.client_secret === application.clientSecret;
    if (!isKnown) throw refuse(401, { error: 'invalid_client' });
    if (asked.grant_type !== 'authorization_code' || until <= now())
      throw refuse(400, {
        error: 'invalid_grant',
        error_description: 'The authorization code has expired',
      });
    generation += 1;
    isRevoked = false;
    return {
      body: {
        access_token: nameOf('token', generation),
        token_type: 'bearer',
        scope: 'read_orders,read_products,read_customers',
        user_id: String(storeId),
      },
    };
  }

  return {
    routes: { 'GET /apps/:app/authorize': consent, 'POST /apps/authorize/token': exchange },
    token() {
      if (isRevoked) generation += 1;
      isRevoked = false;
      return nameOf('token', generation);
    },
    isAlive: (token) => !isRevoked && token === nameOf('token', generation),
    revoke: () => {
      isRevoked = true;
    },
  };
}
