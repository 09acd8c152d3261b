import { invalid } from '../../platform/failure.ts';
import type { Auth, Connector, Marketplace } from '../contract.ts';
import { balances } from './balances.ts';
import { MIRAKL_FORM, type MiraklCredentials, miraklCredentials } from './credentials.ts';
import { inventory } from './inventory.ts';
import { invoices } from './invoices.ts';
import { orders } from './orders.ts';
import { settlements } from './settlements.ts';
import { versions } from './versions.ts';
import { readStoredOrder, Shop } from './wire.ts';

/** The differences between operators. */
interface Operator {
  readonly slug: Marketplace;
  readonly name: string;
  /** The usual host of its sellers. */
  readonly host: string;
}

const PAUSE_AFTER_TOO_MANY_MS = 60_000;

/**
 * A marketplace on the Mirakl platform. It sends no webhooks to sellers, and its keys do not
 * expire.
 */
export function mirakl({ slug, name, host }: Operator): Connector<MiraklCredentials> {
  return {
    slug,
    name,
    facts: { packsTravelTogether: false, reservedIn: null, copiedFrom: {} },
    auth: authFor(host),
    versions,
    rates: {
      // The published limit is on how often to synchronise, not on pages; this pace has not met a
      // limit.
      default: { perMinute: 60, burst: 10, concurrency: 2, window: 'bucket', shared: 'connection' },
      // 20 a minute and 60 an hour: 15 at once and 45 an hour keep to both.
      transactions: {
        perMinute: 0.75,
        burst: 15,
        concurrency: 1,
        window: 'bucket',
        shared: 'connection',
      },
    },
    pace: ({ status, headers }) =>
      status === 429 && headers['retry-after'] === undefined ? PAUSE_AFTER_TOO_MANY_MS : 0,
    orders,
    readStored: readStoredOrder,
    inventory,
    balances,
    settlements,
    invoices,
  };
}

function authFor(usualHost: string): Auth<MiraklCredentials> {
  return {
    kind: 'api_key',
    credentials: miraklCredentials(usualHost),
    form: MIRAKL_FORM,
    hosts: ({ host }) => ({ default: `https://${host}/api` }),

    /**
     * The bare key. Without the shop's id the API would answer silently for the user's default
     * shop.
     */
    sign(request, { api_key, shop_id }) {
      const url = new URL(request.url);
      if (shop_id) url.searchParams.set('shop_id', shop_id);
      return { ...request, url, headers: { ...request.headers, authorization: api_key } };
    },

    async check(call) {
      const wanted = call.credentials.shop_id;
      const { shop_id, shop_name, currency_iso_code } = await call.get('/account', Shop);
      if (wanted && wanted !== shop_id)
        throw invalid(
          'shop_id',
          `La clave abre la tienda ${shop_id}, pero su shop_id dice ${wanted}.`,
        );
      const learnt = { shop_id, ...(currency_iso_code && { currency: currency_iso_code }) };
      return {
        accountId: shop_id,
        name: shop_name ?? shop_id,
        credentials: { ...call.credentials, ...learnt },
      };
    },
  };
}
