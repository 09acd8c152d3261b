import { z } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import type { Auth, Call, Connector, WireAnswer } from '../contract.ts';
import { balances } from './balances.ts';
import { AMAZON_FORM, AmazonCredentials } from './credentials.ts';
import { inventory } from './inventory.ts';
import { orders, readStored } from './orders.ts';
import { settlements } from './settlements.ts';
import { versions } from './versions.ts';
import { isAboutToken, MEXICO, Participations, Token } from './wire.ts';

const auth: Auth<AmazonCredentials> = {
  kind: 'oauth2',
  credentials: AmazonCredentials,
  form: AMAZON_FORM,
  hosts: () => ({
    default: 'https://sellingpartnerapi-na.amazon.com',
    login: 'https://api.amazon.com',
  }),
  sign: (request, { access_token }) => ({
    ...request,
    headers: {
      ...request.headers,
      'user-agent': 'Tianguis/1 (Language=TypeScript)',
      ...(access_token && { 'x-amz-access-token': access_token }),
    },
  }),

  async check(call) {
    const { payload } = await call.get('/sellers/v1/marketplaceParticipations', Participations, {
      rate: 'sellers',
    });
    const accountId = call.credentials.selling_partner_id;
    const store = payload.find(({ marketplace }) => marketplace.id === MEXICO) ?? payload[0];
    return { accountId, name: store?.storeName ?? accountId };
  },

  async renew(call, application) {
    const { refresh_token, client_id, client_secret } = call.credentials;
    const clientId = client_id ?? application?.clientId;
    const clientSecret = client_secret ?? application?.clientSecret;
    if (!clientId || !clientSecret) return null;
    const form = { grant_type: 'refresh_token', refresh_token };
    const token = await askToken(call, {
      ...form,
      client_id: clientId,
      client_secret: clientSecret,
    });
    // The refresh token does not rotate; if it ever does, the new one counts.
    const credentials = {
      ...call.credentials,
      access_token: token.access_token,
      refresh_token: token.refresh_token ?? refresh_token,
    };
    return { credentials, secondsToLive: token.expires_in };
  },

  consent: {
    address: ({ application, redirectUri, state }) => {
      const url = new URL('https://sellercentral.amazon.com.mx/apps/authorize/consent');
      url.search = new URLSearchParams({
        application_id: application.appId ?? application.clientId,
        redirect_uri: redirectUri,
        state,
      }).toString();
      return url.href;
    },
    async exchange(call, { application, redirectUri, answer }) {
      const { spapi_oauth_code, selling_partner_id } = Granted.parse(answer);
      const { access_token, refresh_token, expires_in } = Granting.parse(
        await askToken(call, {
          grant_type: 'authorization_code',
          code: spapi_oauth_code,
          redirect_uri: redirectUri,
          client_id: application.clientId,
          client_secret: application.clientSecret,
        }),
      );
      return {
        credentials: { selling_partner_id, refresh_token, access_token },
        secondsToLive: expires_in,
      };
    },
  },
};

const Granted = z.object({
  spapi_oauth_code: z.string().min(1),
  selling_partner_id: AmazonCredentials.shape.selling_partner_id,
});
const Granting = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number().nullable(),
});

async function askToken(
  call: Call<unknown>,
  form: Record<string, string>,
): Promise<z.infer<typeof Token>> {
  const answer = await call.request({
    method: 'POST',
    host: 'login',
    path: '/auth/o2/token',
    body: { form },
    anonymous: true,
    rate: 'login',
  });
  return Token.parse(parseLossless(answer.body));
}

function verdict({ status, body }: WireAnswer) {
  return status === 403 && isAboutToken(body) ? 'renew' : null;
}

/**
 * An emptied bucket allows one call after 1 / rate seconds; the header has this account's own rate.
 */
function pace({ status, headers }: WireAnswer): number {
  const perSecond = Number(headers['x-amzn-ratelimit-limit']);
  return status === 429 && perSecond > 0 ? Math.ceil(1_000 / perSecond) : 0;
}

/**
 * Amazon Mexico by the Selling Partner API. It notifies AWS queues only, so everything is polled.
 */
export const amazon: Connector<AmazonCredentials> = {
  slug: 'amazon',
  name: 'Amazon',
  facts: { packsTravelTogether: false, reservedIn: 'marketplace', copiedFrom: {} },
  auth,
  versions,
  rates: {
    default: rate(0.5, 10),
    orderSearch: rate(0.0056, 20),
    order: rate(0.5, 30),
    transactions: rate(0.5, 10),
    balances: rate(0.5, 10),
    payouts: rate(0.5, 10),
    expectedPayouts: rate(0.5, 10),
    fbaInventory: rate(2, 2),
    listings: rate(5, 5),
    sellers: rate(0.016, 15),
    login: rate(1, 5),
  },
  verdict,
  pace,
  orders,
  readStored,
  inventory,
  balances,
  settlements,
};

/** Documented rates: calls a second, and the burst. */
function rate(perSecond: number, burst: number) {
  return { perMinute: perSecond * 60, burst, window: 'bucket', shared: 'connection' } as const;
}
