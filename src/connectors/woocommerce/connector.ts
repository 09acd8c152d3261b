import { Failure, invalid } from '../../platform/failure.ts';
import { parseLossless } from '../../platform/json.ts';
import type { Auth, Connector, WireAnswer } from '../contract.ts';
import { Rows } from '../lists.ts';
import { readOne } from '../read-rows.ts';
import { UpstreamError } from '../upstream-error.ts';
import { WOOCOMMERCE_FORM, WooCommerceCredentials } from './credentials.ts';
import { inventory } from './inventory.ts';
import { notifications } from './notifications.ts';
import { orders } from './orders.ts';
import { versions } from './versions.ts';
import { fromStored, isGone } from './wire.ts';

const API = '/wp-json';
const MOVED = [301, 302, 303, 307, 308];

const auth: Auth<WooCommerceCredentials> = {
  kind: 'api_key',
  credentials: WooCommerceCredentials,
  form: WOOCOMMERCE_FORM,
  hosts: ({ url }) => ({ default: `${url}${API}/wc/v3` }),

  sign(request, { auth, permalinks, consumer_key, consumer_secret }) {
    const url = new URL(request.url);
    if (!permalinks) {
      const at = url.pathname.lastIndexOf(`${API}/wc/`);
      url.searchParams.set('rest_route', url.pathname.slice(at + API.length));
      url.pathname = `${url.pathname.slice(0, at)}/`;
    }
    if (auth === 'query') {
      url.searchParams.set('consumer_key', consumer_key);
      url.searchParams.set('consumer_secret', consumer_secret);
      return { ...request, url };
    }
    const basic = Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64');
    return { ...request, url, headers: { ...request.headers, authorization: `Basic ${basic}` } };
  },

  async check(call) {
    const query = { per_page: 1, orderby: 'date' };
    const answer = await call.request({
      method: 'GET',
      path: '/orders',
      query,
      expect: [404, ...MOVED],
    });
    refuseElsewhere(answer);
    Rows.parse(parseLossless(answer.body));
    const store = call.credentials.url.replace('https://', '');
    return { accountId: store, name: store };
  },

  /** The keys go into the query of https addresses alone: no store has another. */
  otherwise(credentials, refusal) {
    if (refusal instanceof NoApiThere && credentials.permalinks)
      return { ...credentials, permalinks: false };
    const isRefused = refusal instanceof UpstreamError && refusal.kind === 'unauthorized';
    return isRefused && credentials.auth === 'header' ? { ...credentials, auth: 'query' } : null;
  },
};

/** The keys may be right: it is the address that is not. */
class NoApiThere extends Failure {
  constructor() {
    super('invalid_request', {
      param: 'url',
      message:
        'En esa dirección no encontramos la API de WooCommerce. Revisa que sea la de tu tienda y que WooCommerce esté activo.',
    });
  }
}

/** Redirects are never followed, so the seller must give the new address. */
function refuseElsewhere({ status, headers }: WireAnswer): void {
  if (status === 404) throw new NoApiThere();
  if (MOVED.includes(status)) {
    const host = URL.parse(headers.location ?? '')?.host;
    throw invalid(
      'url',
      `Tu tienda manda a otra dirección${host ? ` (${host})` : ''}. Escribe esa.`,
    );
  }
}

/**
 * A store of the seller's own. Its hoster limits how much may be asked, and does not say how much
 * that is.
 */
export const woocommerce: Connector<WooCommerceCredentials> = {
  slug: 'woocommerce',
  name: 'WooCommerce',
  facts: { packsTravelTogether: false, reservedIn: null, copiedFrom: {}, isOwnShop: true },
  auth,
  versions,
  rates: {
    default: { perMinute: 120, burst: 10, concurrency: 2, window: 'bucket', shared: 'connection' },
  },

  /** Pages of firewalls and of maintenance come with any status, and never as JSON. */
  verdict(answer) {
    const { status, headers } = answer;
    if (isGone(answer)) return 'ok';
    const isForPeople = !(headers['content-type'] ?? 'json').includes('json');
    return isForPeople && (status === 403 || (status >= 200 && status < 300)) ? 'retry' : null;
  },
  orders,
  readStored: (raw, fetchedAt) => readOne(raw, () => fromStored(raw, fetchedAt)),
  inventory,
  notifications,
};
