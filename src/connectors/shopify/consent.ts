import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import { sameSecret } from '../../platform/seal.ts';
import type { Application, Call, CodeExchange, Consent, Renewed } from '../contract.ts';
import { SHOP, type ShopifyCredentials } from './credentials.ts';
import { broken } from './graphql.ts';
import { Token } from './wire.ts';

/** The requested scopes; a missing one beyond the first is reported to the seller. */
export const SCOPES: Readonly<Record<string, string | null>> = {
  read_orders: null,
  read_all_orders:
    'Shopify solo nos deja ver las órdenes de los últimos 60 días: a la aplicación le falta el permiso read_all_orders.',
  read_customers: 'No vemos el nombre de los compradores: falta el permiso read_customers.',
  read_fulfillments: null,
  read_merchant_managed_fulfillment_orders: null,
  read_returns: null,
  read_products: null,
  read_inventory: 'No vemos las existencias: falta el permiso read_inventory.',
  read_locations: null,
  read_shopify_payments_accounts: null,
  read_shopify_payments_payouts:
    'No vemos el saldo ni los depósitos de Shopify Payments: falta el permiso read_shopify_payments_payouts.',
};

/** Each store has its own consent page. */
export const consent: Consent<ShopifyCredentials> = {
  store(typed) {
    const [, admin] = /^https?:\/\/admin\.shopify\.com\/store\/([^/?#]+)/i.exec(typed.trim()) ?? [];
    const name =
      admin ??
      typed
        .trim()
        .replace(/^https?:\/\//i, '')
        .split(/[/?#]/, 1)[0] ??
      '';
    const shop = (name.includes('.') ? name : `${name}.myshopify.com`).toLowerCase();
    return SHOP.test(shop) ? shop : null;
  },

  address({ application, redirectUri, state, store }) {
    const url = new URL(`https://${store}/admin/oauth/authorize`);
    url.search = new URLSearchParams({
      client_id: application.clientId,
      scope: Object.keys(SCOPES).join(','),
      redirect_uri: redirectUri,
      state,
    }).toString();
    return url.href;
  },

  async exchange(call, { application, answer, store }) {
    const { shop, code } = Granted.parse(answer);
    if (shop !== store) throw broken(['shop'], 'another store than the one that was asked');
    if (!isSigned(answer, application.clientSecret))
      throw broken(['hmac'], 'the signature is wrong');
    const form = { ...clientOf(application), code, expiring: '1' };
    return toRenewed({ shop }, await askToken(call, shop, form));
  },
};

const Granted = z.object({
  code: z.string().min(1),
  shop: z.string().regex(SHOP),
  hmac: z.string(),
});

/**
 * Over all other parameters by name; whether they are escaped again is not documented, so both
 * forms are accepted.
 */
function isSigned({ hmac = '', ...others }: CodeExchange['answer'], secret: string): boolean {
  const pairs = Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1));
  const plain = pairs.map(([name, value]) => `${name}=${value}`).join('&');
  const escaped = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const given = Buffer.from(hmac, 'hex');
  return [plain, escaped].some((text) =>
    sameSecret(given, createHmac('sha256', secret).update(text).digest()),
  );
}

/**
 * By the refresh token; without one, a store's own application requests a new token with its
 * secret.
 */
export async function renew(
  call: Call<ShopifyCredentials>,
  application: Application | null,
): Promise<Renewed<ShopifyCredentials> | null> {
  const { shop, refresh_token, client_id, client_secret } = call.credentials;
  const own =
    client_id && client_secret ? { clientId: client_id, clientSecret: client_secret } : null;
  if (refresh_token) {
    const client = own ?? application;
    if (!client) return null;
    const form = { ...clientOf(client), grant_type: 'refresh_token', refresh_token };
    return toRenewed(call.credentials, await askToken(call, shop, form));
  }
  if (!own) return null;
  const form = { ...clientOf(own), grant_type: 'client_credentials' };
  return toRenewed(call.credentials, await askToken(call, shop, form));
}

function clientOf({ clientId, clientSecret }: Application) {
  return { client_id: clientId, client_secret: clientSecret };
}

async function askToken(call: Call<unknown>, shop: string, form: Record<string, string>) {
  const answer = await call.request({
    method: 'POST',
    host: `https://${shop}`,
    path: '/admin/oauth/access_token',
    body: { form },
    anonymous: true,
  });
  return Token.parse(parseLossless(answer.body));
}

/** Each answer has the next refresh token; the former one works until the new one was used. */
function toRenewed(
  former: Omit<ShopifyCredentials, 'access_token'>,
  { access_token, refresh_token, expires_in }: z.infer<typeof Token>,
): Renewed<ShopifyCredentials> {
  const credentials = { ...former, access_token, ...(refresh_token && { refresh_token }) };
  return { credentials, secondsToLive: expires_in };
}
