import type { Auth, Connector } from '../contract.ts';
import { VTEX_FORM, VtexCredentials } from './credentials.ts';
import { feedState } from './feed.ts';
import { inventory } from './inventory.ts';
import { invoices } from './invoices.ts';
import { notifications } from './notifications.ts';
import { orders } from './orders.ts';
import { versions } from './versions.ts';
import { OrderList, readStored } from './wire.ts';

const auth: Auth<VtexCredentials> = {
  kind: 'api_key',
  credentials: VtexCredentials,
  form: VTEX_FORM,
  hosts: ({ account, environment }) => ({ default: `https://${account}.${environment}.com.br` }),
  sign: (request, { app_key, app_token }) => ({
    ...request,
    headers: { ...request.headers, 'x-vtex-api-appkey': app_key, 'x-vtex-api-apptoken': app_token },
  }),

  /**
   * Both roles that orders need: the feed's and the list's. Nothing says whose key it is but the
   * host itself.
   */
  async check(call) {
    const { account } = call.credentials;
    await feedState(call);
    await call.get('/api/oms/pvt/orders', OrderList, { query: { page: 1, per_page: 1 } });
    return { accountId: account, name: account };
  },
};

/**
 * VTEX: own stores, and sellers' accounts at marketplaces that run on VTEX. Payouts live at the
 * gateway.
 */
export const vtex: Connector<VtexCredentials> = {
  slug: 'vtex',
  name: 'VTEX',
  facts: { packsTravelTogether: false, reservedIn: 'seller', copiedFrom: {}, isOwnShop: true },
  auth,
  versions,
  rates: {
    // 6,000 a minute belong to the whole account, so some are left to the seller's other systems.
    default: {
      perMinute: 5_000,
      burst: 100,
      concurrency: 8,
      window: 'bucket',
      shared: 'connection',
    },
  },
  orders,
  inventory,
  invoices,
  notifications,
  readStored,
};
