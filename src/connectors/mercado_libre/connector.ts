import { z } from 'zod';
import { invalid } from '../../platform/failure.ts';
import { parseLossless } from '../../platform/json.ts';
import type {
  Application,
  Auth,
  Call,
  Connector,
  Notification,
  Notifications,
} from '../contract.ts';
import { id, optional } from '../wire-fields.ts';
import { balances } from './balances.ts';
import { MercadoLibreCredentials } from './credentials.ts';
import { inventory } from './inventory.ts';
import { invoices } from './invoices.ts';
import { orders, readStored } from './orders.ts';
import { settlements } from './settlements.ts';
import { versions } from './versions.ts';
import { Me, Token } from './wire.ts';

const auth: Auth<MercadoLibreCredentials> = {
  kind: 'oauth2',
  credentials: MercadoLibreCredentials,
  hosts: () => ({
    default: 'https://api.mercadolibre.com',
    consent: 'https://auth.mercadolibre.com.mx',
    payments: 'https://api.mercadopago.com',
  }),
  sign: (request, credentials) => ({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${credentials.access_token}` },
  }),

  async check(call) {
    const me = await call.get('/users/me', Me);
    // A search names the seller, and would be refused for another.
    if (me.id !== call.credentials.user_id)
      throw invalid(
        'user_id',
        `Las credenciales son de la cuenta ${me.id}, pero su user_id dice otra.`,
      );
    return { accountId: me.id, name: me.nickname ?? me.id };
  },

  hasSingleUseToken: true,

  async renew(call, application) {
    const { refresh_token, client_id, client_secret } = call.credentials;
    const clientId = client_id ?? application?.clientId;
    const clientSecret = client_secret ?? application?.clientSecret;
    if (!refresh_token || !clientId || !clientSecret) return null;
    const form = {
      grant_type: 'refresh_token',
      client_id: clientId,
      client_secret: clientSecret,
      refresh_token,
    };
    const { access_token, expires_in, ...token } = await askToken(call, form);
    // Only the last refresh token works.
    const credentials = {
      ...call.credentials,
      access_token,
      refresh_token: token.refresh_token ?? refresh_token,
    };
    return { credentials, secondsToLive: expires_in };
  },

  consent: {
    address: ({ application, redirectUri, state, challenge }) => {
      const url = new URL('https://auth.mercadolibre.com.mx/authorization');
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: application.clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }).toString();
      return url.href;
    },
    async exchange(call, { application, redirectUri, answer, verifier }) {
      const { code } = Granted.parse(answer);
      const form = {
        ...grantOf(application),
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      };
      const { access_token, refresh_token, expires_in, user_id } = await askToken(call, form);
      return {
        credentials: { user_id, access_token, ...(refresh_token && { refresh_token }) },
        secondsToLive: expires_in,
      };
    },
  },
};

const Granted = z.object({ code: z.string().min(1) });

function grantOf(application: Application) {
  return {
    grant_type: 'authorization_code',
    client_id: application.clientId,
    client_secret: application.clientSecret,
  };
}

/** Parameters go in the body. Each refresh token works once; the answer has the next one. */
async function askToken(
  call: Call<unknown>,
  form: Record<string, string>,
): Promise<z.infer<typeof Token>> {
  const answer = await call.request({
    method: 'POST',
    path: '/oauth/token',
    body: { form },
    anonymous: true,
  });
  return Token.parse(parseLossless(answer.body));
}

const Notice = z.object({
  resource: z.string(),
  topic: z.string(),
  user_id: id,
  application_id: optional(id),
});
/** Many times the size of a notification. */
const MOST_BYTES = 4 * 1024;
/** Characters of a field that are stored, since the sender is not authenticated. */
const LONGEST_FIELD = 200;

/** The resource of a webhook; stock elsewhere is reported under its user product. */
const RESOURCE = /^\/(orders|shipments|items|user-products)\/([\w-]+)(?:\/stock)?$/;
const NOTIFICATIONS: Readonly<Record<string, (id: string) => Notification>> = {
  orders: (id) => ({ stream: 'orders', id }),
  shipments: (id) => ({ stream: 'orders', id: `shipment:${id}` }),
  items: (id) => ({ stream: 'inventory', id }),
  'user-products': (id) => ({ stream: 'inventory', id: `user-product:${id}` }),
};

/**
 * Webhooks carry no signature: a seller's number suffices to forge one. The resource is fetched
 * from Mercado Libre itself, and a webhook must name our application where its number is set.
 */
const notifications: Notifications<MercadoLibreCredentials> = {
  mostBytes: MOST_BYTES,
  kept: ({ body }) =>
    Object.fromEntries(
      Object.entries(Notice.safeParse(body).data ?? {}).map(([name, value]) => [
        name,
        value?.slice(0, LONGEST_FIELD),
      ]),
    ),
  account: ({ body }) => Notice.safeParse(body).data?.user_id ?? null,
  verify: ({ body }, credentials, { application }) => {
    const expected = credentials.client_id ?? application?.clientId;
    return !expected || Notice.safeParse(body).data?.application_id === expected;
  },
  notificationsIn: ({ body }) => {
    const resource = Notice.safeParse(body).data?.resource ?? '';
    const [, kind = '', id] = RESOURCE.exec(resource) ?? [];
    const notification = NOTIFICATIONS[kind];
    return notification && id ? [notification(id)] : [];
  },
};

/** Mercado Libre, site MLM. Limits are not published; this pace has not met one. */
export const mercadoLibre: Connector<MercadoLibreCredentials> = {
  slug: 'mercado_libre',
  name: 'Mercado Libre',
  facts: {
    packsTravelTogether: true,
    reservedIn: 'marketplace',
    copiedFrom: {},
    payoutsDrawOnBalance: true,
    refundsHaveNoTimes: true,
  },
  auth,
  versions,
  rates: {
    default: {
      perMinute: 1_500,
      burst: 300,
      concurrency: 8,
      window: 'bucket',
      shared: 'connection',
    },
    documents: {
      perMinute: 300,
      burst: 50,
      concurrency: 4,
      window: 'bucket',
      shared: 'connection',
    },
    payments: { perMinute: 120, burst: 20, concurrency: 2, window: 'bucket', shared: 'connection' },
  },
  orders,
  readStored,
  inventory,
  balances,
  settlements,
  invoices,
  notifications,
};
