import { z } from 'zod';
import { invalid } from '../../platform/failure.ts';
import type { Application, Auth, Call, Connector, Consent } from '../contract.ts';
import { lifetime } from '../wire-fields.ts';
import { ask } from './ask.ts';
import { balances } from './balances.ts';
import { applicationFor, applicationOf, TiktokShopCredentials } from './credentials.ts';
import { inventory } from './inventory.ts';
import { notifications } from './notifications.ts';
import { orders, readStored } from './orders.ts';
import { settlements } from './settlements.ts';
import { askShops, chooseShop } from './shops.ts';
import { signatureOf } from './signature.ts';
import { versions } from './versions.ts';
import { Token, verdictOf } from './wire.ts';

const Granted = z.object({ code: z.string().min(1) });

const consent: Consent<TiktokShopCredentials> = {
  address({ application, state }) {
    if (!application.appId)
      throw invalid(
        'marketplace',
        'A esta instalación le falta el service_id de su aplicación de TikTok Shop (TIKTOK_SHOP_APP_ID).',
      );
    const url = new URL('https://services.tiktokshop.com/open/authorize');
    url.search = new URLSearchParams({ service_id: application.appId, state }).toString();
    return url.href;
  },

  async exchange(call, { application, answer }) {
    const { code } = Granted.parse(answer);
    const { access_token, refresh_token, secondsToLive } = await askToken(
      call,
      application,
      'get',
      {
        auth_code: code,
        grant_type: 'authorized_code',
      },
    );
    return {
      credentials: { access_token, ...(refresh_token && { refresh_token }) },
      secondsToLive,
    };
  },
};

const auth: Auth<TiktokShopCredentials> = {
  kind: 'oauth2',
  credentials: TiktokShopCredentials,
  hosts: () => ({
    default: 'https://open-api.tiktokglobalshop.com',
    auth: 'https://auth.tiktok-shops.com',
  }),

  sign(request, credentials, { application, now }) {
    const { clientId, clientSecret } = applicationFor(credentials, application);
    const url = new URL(request.url);
    url.searchParams.set('app_key', clientId);
    url.searchParams.set('timestamp', String(Math.floor(now.epochMilliseconds / 1000)));
    // Every call names one shop, except the list of shops.
    if (credentials.shop_cipher && !url.pathname.startsWith('/authorization/'))
      url.searchParams.set('shop_cipher', credentials.shop_cipher);
    const headers = {
      ...request.headers,
      'content-type': 'application/json',
      'x-tts-access-token': credentials.access_token,
    };
    url.searchParams.set('sign', signatureOf({ ...request, url, headers }, clientSecret));
    return { ...request, url, headers };
  },

  async check(call) {
    const { id, cipher, name } = chooseShop(await askShops(call), call.credentials.shop_id);
    return {
      accountId: id,
      name: name ?? id,
      credentials: { ...call.credentials, shop_id: id, shop_cipher: cipher },
    };
  },

  hasSingleUseToken: true,
  async renew(call, ours) {
    const { refresh_token } = call.credentials;
    const application = applicationOf(call.credentials, ours);
    if (!refresh_token || !application) return null;
    const fresh = await askToken(call, application, 'refresh', {
      refresh_token,
      grant_type: 'refresh_token',
    });
    const credentials = {
      ...call.credentials,
      access_token: fresh.access_token,
      refresh_token: fresh.refresh_token ?? refresh_token,
    };
    return { credentials, secondsToLive: fresh.secondsToLive };
  },

  consent,
};

/** The secret is in the query, so this address must not be logged or shown. */
async function askToken(
  call: Call<unknown>,
  { clientId, clientSecret }: Pick<Application, 'clientId' | 'clientSecret'>,
  verb: 'get' | 'refresh',
  grant: Readonly<Record<string, string>>,
) {
  const { access_token_expire_in: until, ...token } = await ask(
    call,
    {
      method: 'GET',
      host: 'auth',
      path: `/api/v2/token/${verb}`,
      query: { app_key: clientId, app_secret: clientSecret, ...grant },
      anonymous: true,
    },
    Token,
  );
  const left = until && String(until - Math.floor(call.now().epochMilliseconds / 1000));
  return { ...token, secondsToLive: lifetime.parse(left) };
}

/** TikTok Shop, API 202309. Limits are not published; this pace has not met one. */
export const tiktokShop: Connector<TiktokShopCredentials> = {
  slug: 'tiktok_shop',
  name: 'TikTok Shop',
  facts: { packsTravelTogether: true, reservedIn: 'seller', copiedFrom: {} },
  auth,
  versions,
  rates: {
    default: { perMinute: 600, burst: 20, concurrency: 4, window: 'bucket', shared: 'connection' },
  },
  verdict: verdictOf,
  orders,
  readStored,
  inventory,
  balances,
  settlements,
  notifications,
};
