import { z } from 'zod';
import { invalid } from '../../platform/failure.ts';
import { parseLossless } from '../../platform/json.ts';
import type { Application, Auth, Connector, WireAnswer } from '../contract.ts';
import { TIENDANUBE_FORM, TiendanubeCredentials } from './credentials.ts';
import { inventory } from './inventory.ts';
import { notifications } from './notifications.ts';
import { orders, readStored } from './orders.ts';
import { isBehindLast } from './pages.ts';
import { versions } from './versions.ts';
import { Store, Token } from './wire.ts';

const CONSENT = 'https://www.tiendanube.com';
const LONGEST_PAUSE_MS = 60_000;

const auth: Auth<TiendanubeCredentials> = {
  kind: 'oauth2',
  credentials: TiendanubeCredentials,
  form: TIENDANUBE_FORM,
  hosts: ({ version, store_id }) => ({
    default: `https://api.tiendanube.com/${version}/${store_id}`,
  }),

  /**
   * The header's name is correct, and a request without a user agent that names the caller gets no
   * answer.
   */
  sign: (request, { access_token, client_id, store_id }, { application }) => ({
    ...request,
    headers: {
      ...request.headers,
      'user-agent': userAgentOf(client_id ?? nameOf(application) ?? store_id),
      authentication: `bearer ${access_token}`,
    },
  }),

  async check(call) {
    const { id, name } = await call.get('/store', Store);
    const wanted = call.credentials.store_id;
    if (id !== wanted)
      throw invalid(
        'store_id',
        `Las credenciales son de la tienda ${id}, pero su store_id dice ${wanted}.`,
      );
    return { accountId: id, name: name ?? id };
  },

  consent: {
    address: ({ application, state }) => {
      const url = new URL(
        `${CONSENT}/apps/${encodeURIComponent(nameOf(application) ?? '')}/authorize`,
      );
      url.search = new URLSearchParams({ state }).toString();
      return url.href;
    },
    /** The code lives 30 seconds. */
    async exchange(call, { application, answer }) {
      const { code } = Granted.parse(answer);
      const { body } = await call.request({
        method: 'POST',
        host: CONSENT,
        path: '/apps/authorize/token',
        headers: { 'user-agent': userAgentOf(application.clientId) },
        body: { json: { ...grantOf(application), code } },
        anonymous: true,
      });
      const { access_token, user_id } = Token.parse(parseLossless(body));
      const credentials = TiendanubeCredentials.parse({ store_id: user_id, access_token });
      return { credentials, secondsToLive: null };
    },
  },
};

const Granted = z.object({ code: z.string().min(1) });

function grantOf({ clientId, clientSecret }: Application) {
  return { client_id: clientId, client_secret: clientSecret, grant_type: 'authorization_code' };
}

function nameOf(application: Application | null): string | null {
  return application && (application.appId ?? application.clientId);
}

function userAgentOf(contact: string): string {
  return `Tianguis (${contact})`;
}

/**
 * The bucket may be shared with other clients, so a full one is left to drain; the answer says how
 * long that takes.
 */
function pace({ status, headers }: WireAnswer): number {
  const milliseconds = Number(headers['x-rate-limit-reset']);
  const isFull = status === 429 || headers['x-rate-limit-remaining'] === '0';
  return isFull && milliseconds > 0 ? Math.min(milliseconds, LONGEST_PAUSE_MS) : 0;
}

/** Tiendanube. It has no money and no invoices of its sellers. */
export const tiendanube: Connector<TiendanubeCredentials> = {
  slug: 'tiendanube',
  name: 'Tiendanube',
  facts: {
    packsTravelTogether: false,
    reservedIn: null,
    copiedFrom: { 'storefront:meli': 'mercado_libre' },
    isOwnShop: true,
  },
  auth,
  versions,
  rates: {
    // A bucket of 40 that leaks 2 a second; some room is left for slow answers.
    default: { perMinute: 120, burst: 30, concurrency: 4, window: 'bucket', shared: 'connection' },
  },
  pace,
  verdict: (answer) => (isBehindLast(answer) ? 'ok' : null),
  orders,
  readStored,
  inventory,
  notifications,
};
