import type { Auth, Connector } from '../contract.ts';
import { consent, renew, SCOPES } from './consent.ts';
import { SHOPIFY_FORM, ShopifyCredentials } from './credentials.ts';
import { ask, broken, pace, verdict } from './graphql.ts';
import { inventory } from './inventory.ts';
import { balances, settlements } from './money.ts';
import { notifications } from './notifications.ts';
import { orders, readStored } from './orders.ts';
import { SHOP_AND_SCOPES } from './queries.ts';
import { versions } from './versions.ts';
import { ShopAndScopes } from './wire.ts';

const auth: Auth<ShopifyCredentials> = {
  kind: 'oauth2',
  credentials: ShopifyCredentials,
  form: SHOPIFY_FORM,
  hosts: ({ shop }) => ({ default: `https://${shop}` }),
  sign: (request, { access_token = '' }) => ({
    ...request,
    headers: { ...request.headers, 'x-shopify-access-token': access_token },
  }),

  async check(call) {
    const answered = await ask(call, SHOP_AND_SCOPES, {}, ShopAndScopes);
    if (!answered) throw broken(['shop'], 'it costs more than a query may');
    const { shop, currentAppInstallation } = answered.data;
    const granted = currentAppInstallation?.accessScopes?.map(({ handle }) => handle);
    return {
      accountId: shop.myshopifyDomain,
      name: shop.name ?? shop.myshopifyDomain,
      gaps: granted ? gapsOf(new Set(granted)) : [],
    };
  },

  renew,
  hasSingleUseToken: true,
  consent,
};

/** A write scope includes reading. */
function gapsOf(granted: ReadonlySet<string>): string[] {
  const isGiven = (scope: string) =>
    granted.has(scope) || granted.has(scope.replace(/^read_/, 'write_'));
  return Object.entries(SCOPES).flatMap(([scope, sentence]) =>
    sentence && !isGiven(scope) ? [sentence] : [],
  );
}

/**
 * Shopify, Admin GraphQL. The limit is in points, not in calls: each answer has the remaining
 * points, and `pace` waits.
 */
export const shopify: Connector<ShopifyCredentials> = {
  slug: 'shopify',
  name: 'Shopify',
  facts: { packsTravelTogether: false, reservedIn: 'seller', copiedFrom: {}, isOwnShop: true },
  auth,
  versions,
  rates: {
    default: { perMinute: 240, burst: 10, concurrency: 2, window: 'bucket', shared: 'connection' },
  },
  verdict,
  pace,
  orders,
  readStored,
  inventory,
  balances,
  settlements,
  notifications,
};
