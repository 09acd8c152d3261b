/** Consent, tokens, and the signature of every call. */
import { createHmac } from 'node:crypto';
import type { Call, Reply, Routes } from '../http.ts';
import { done, refusal, refuse, type ShopCard, type Switches, seconds } from './shop.ts';

export interface Application {
  readonly appKey: string;
  readonly appSecret: string;
  /** Its name on the page of consent. */
  readonly serviceId: string;
  redirectUri: string;
}

export interface Credentials {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly app_key: string;
  readonly app_secret: string;
}

interface OAuth {
  readonly routes: Routes;
  caller(call: Call): void;
  /** A pair that works now. */
  credentials(): Credentials;
  /** Every access token given out so far is too old from now on; refreshing still works. */
  expire(): void;
  /** The seller took the permission back: nothing works until there are new credentials. */
  revoke(): void;
}

interface Options {
  now: () => number;
  application: Application;
  shops: readonly ShopCard[];
  switches: Switches;
  tokenSeconds: number;
}

export const EXPIRED = refusal(105002, 'Expired credentials');

const REFRESH_SECONDS = 365 * 86_400;
const CODE_SECONDS = 1_800;
/** Of clocks that go wrong. */
const TOLERANCE_SECONDS = 300;

export function createOAuth(options: Options): OAuth {
  const { now, application, shops, tokenSeconds } = options;
  const { appKey, appSecret } = application;
  const ends = new Map<string, number>();
  let refreshToken: string | null = null;
  let count = 0;

  const unguessable = (kind: string) => {
    count += 1;
    return createHmac('sha256', appSecret).update(`${kind}/${count}/${now()}`).digest('base64url');
  };

  const consent = openConsent(options, () => `TTP_${unguessable('code')}`);

  function issue() {
    const access_token = `ROW_${unguessable('access')}`;
    // The former refresh token ends here.
    refreshToken = unguessable('refresh');
    ends.set(access_token, now() + tokenSeconds * 1_000);
    return { access_token, refresh_token: refreshToken };
  }

  function caller(call: Call): void {
    const { query, headers } = call;
    assertSigned(call, application, now());
    const until = ends.get(headers['x-tts-access-token'] ?? '');
    if (until === undefined) throw refuse(105001, 'Access token is invalid', 401);
    if (until <= now()) throw refuse(105002, 'Expired credentials');
    const isOfShop = !call.path.startsWith('/authorization/');
    if (isOfShop && !shops.some(({ cipher }) => cipher === query.get('shop_cipher')))
      throw refuse(106013, 'Invalid shop_cipher');
  }

  function token(call: Call, isGranted: (query: URLSearchParams) => boolean): Reply {
    const { query } = call;
    if (query.get('app_key') !== appKey || query.get('app_secret') !== appSecret)
      return refusal(36004005, 'Invalid app_key or app_secret');
    if (!isGranted(query)) return refusal(36004004, 'The authorization is invalid or was used');
    return done({
      ...issue(),
      access_token_expire_in: seconds(now()) + tokenSeconds,
      refresh_token_expire_in: seconds(now()) + REFRESH_SECONDS,
      open_id: '7010736057180300001',
      seller_name: shops[0]?.name,
      seller_base_region: shops[0]?.region,
      user_type: 0,
    });
  }

  function isNewest(query: URLSearchParams): boolean {
    const given = query.get('refresh_token');
    return query.get('grant_type') === 'refresh_token' && given !== null && given === refreshToken;
  }

  return {
    routes: {
      'GET /open/authorize': consent.page,
      'GET /api/v2/token/get': (call) => token(call, consent.takes),
      'GET /api/v2/token/refresh': (call) => token(call, isNewest),
      'GET /authorization/202309/shops': (call) => {
        caller(call);
        return done({ shops });
      },
    },
    caller,
    credentials: () => ({ ...issue(), app_key: appKey, app_secret: appSecret }),
    expire: () => {
      for (const known of ends.keys()) ends.set(known, now());
    },
    revoke: () => {
      ends.clear();
      refreshToken = null;
    },
  };
}

/** The page of consent, and the codes that it gave out. */
function openConsent({ now, application, switches }: Options, newCode: () => string) {
  const codes = new Map<string, number>();

  function page({ query }: Call): Reply {
    if (query.get('service_id') !== application.serviceId)
      return { status: 404, body: 'service_id' };
    const back = new URL(application.redirectUri);
    back.searchParams.set('state', query.get('state') ?? '');
    if (switches.consent === 'grant') {
      const code = newCode();
      codes.set(code, now() + CODE_SECONDS * 1_000);
      back.searchParams.set('app_key', application.appKey);
      back.searchParams.set('code', code);
    }
    return { status: 302, headers: { location: back.href } };
  }

  function takes(query: URLSearchParams): boolean {
    const until = codes.get(query.get('auth_code') ?? '') ?? 0;
    codes.delete(query.get('auth_code') ?? '');
    return query.get('grant_type') === 'authorized_code' && until > now();
  }

  return { page, takes };
}

/** Throws the documented refusal of a call that the application did not sign just now. */
function assertSigned(call: Call, application: Application, now: number): void {
  const { query } = call;
  if (query.get('app_key') !== application.appKey)
    throw refuse(106001, 'Invalid credentials. app_key', 401);
  const age = Math.abs(seconds(now) - Number(query.get('timestamp')));
  if (!(age <= TOLERANCE_SECONDS)) throw refuse(36009004, 'Invalid timestamp');
  if (query.get('sign') !== signatureOf(call, application.appSecret))
    throw refuse(106001, "Invalid credentials. The 'sign' query parameter is invalid", 401);
}

/** Over what arrived: a body that was written anew after it was signed is another body. */
function signatureOf({ path, query, text }: Call, secret: string): string {
  const names = [...query.keys()]
    .filter((name) => name !== 'sign' && name !== 'access_token')
    .sort();
  const joined = names.map((name) => `${name}${query.get(name)}`).join('');
  return createHmac('sha256', secret)
    .update(`${secret}${path}${joined}${text}${secret}`)
    .digest('hex');
}
